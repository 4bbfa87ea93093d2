import { batchTransactions } from '../../db/batch.ts'
import type { Begin } from '../../db/sql.ts'
import { mapConstraints } from '../../http/database-errors.ts'
import { pagesOf } from '../../http/route/page.ts'
import { forbidden, found, unprocessable } from '../../http/route/problem.ts'
import { json, noBody } from '../../http/route/sends.ts'
import {
  type Account,
  type AccountDraft,
  deleteAccount,
  lockAccount,
  renameAccount,
  updateAccount,
} from '../accounts/account-store.ts'
import { invalidOrganizationAddressMessage, parseAddress } from '../accounts/email-address.ts'
import { nameFault, nameTaken } from '../accounts/names.ts'
import { stillOwns } from '../accounts/ownership-constraints.ts'
import { refuseSystem } from '../accounts/system-account.ts'
import { VISIBILITIES } from '../accounts/visibility.ts'
import { type Actor, accountTarget, record, recordAll } from '../audit/audit-trail.ts'
import { everyone, signedIn, siteAdmin, siteAdminOn } from '../auth/access.ts'
import { orgOwner, orgSeen } from '../auth/org-access.ts'
import { moveMisplaced } from '../repos/directory.ts'
import { type ForgeTools, route } from '../route.ts'
import { CreateOrgOption, EditOrgOption, editOf, orgDraft, RenameOrgOption } from './org.option.ts'
import { pageOfOrganizationsSeen } from './org-list.ts'
import { insertFirstOwners, insertOrganizations, pageOfOrganizations } from './org-store.ts'
import { Organization, printOrganization, printOrganizations } from './organization.shape.ts'

export const orgGetAll = route('GET /orgs', {
  summary: 'Organizations by name',
  // No scope is required: clients with narrow tokens rely on it.
  access: everyone(),
  ...pagesOf(Organization),
  handler: async ({ caller, query, from, sql }) =>
    printOrganizations(await pageOfOrganizationsSeen(sql, caller, query), from.host),
})

export const orgCreate = route('POST /orgs', {
  summary: 'Create an organization',
  access: signedIn('organization'),
  body: CreateOrgOption,
  fails: [403],
  returns: json(201, Organization),
  handler: async ({ body, caller, from, tools, begin }) => {
    if (!mayCreateOrganization(caller.me, tools)) throw forbidden('not allowed to create org')
    requireAddress(body.email)
    const created = await create(begin, { caller, from }, caller.me, orgDraft(body))
    return printOrganization(created, from.host)
  },
})

export const orgGet = route('GET /orgs/{org}', {
  summary: 'An organization',
  access: orgSeen(),
  returns: json(200, Organization),
  handler: ({ caller: { me, subject }, from }) =>
    printOrganization(me ? subject : { ...subject, email: '' }, from.host),
})

export const orgEdit = route('PATCH /orgs/{org}', {
  summary: 'Change an organization; omitted members keep their values',
  access: orgOwner(),
  body: EditOrgOption,
  returns: json(200, Organization),
  handler: async ({ body, caller, from, begin }) => {
    requireAddress(body.email)
    const edit = editOf(body)
    if (Object.keys(edit).length === 0) return printOrganization(caller.subject, from.host)
    const edited = await begin(async (tx) => {
      const row = found(await updateAccount(tx, caller.subject.id, edit))
      const target = accountTarget(row)
      await record(tx, { caller, from }, { action: 'organization.edited', target, details: edit })
      return row
    })
    return printOrganization(edited, from.host)
  },
})

export const renameOrg = route('POST /orgs/{org}/rename', {
  summary: 'Rename an organization; requests with the old name are redirected',
  access: orgOwner(),
  body: RenameOrgOption,
  returns: noBody(204),
  handler: async ({ body: { new_name: name }, caller, from, sql, begin, tools }) => {
    const fault = nameFault(name)
    if (fault !== undefined) throw unprocessable(fault)
    const rename = begin(async (tx) => {
      const organization = found(await lockAccount(tx, caller.subject.id))
      if (organization.name === name) return
      await renameAccount(tx, organization, name)
      const target = accountTarget({ ...organization, name })
      const details = { from: organization.name }
      await record(tx, { caller, from }, { action: 'organization.renamed', target, details })
    })
    await mapConstraints(rename, { account_name_unique: [422, nameTaken(name)] })
    await moveMisplaced({ sql, begin, tools }, caller.subject.id)
  },
})

export const orgDelete = route('DELETE /orgs/{org}', {
  summary: 'Delete an organization that owns nothing',
  access: orgOwner(),
  fails: [422],
  returns: noBody(204),
  handler: async ({ caller, from, begin }) => {
    const remove = begin(async (tx) => {
      const organization = found(await lockAccount(tx, caller.subject.id))
      await deleteAccount(tx, organization.id)
      const target = accountTarget(organization)
      await record(tx, { caller, from }, { action: 'organization.deleted', target })
    })
    await mapConstraints(remove, stillOwns(caller.subject))
  },
})

export const adminGetAllOrgs = route('GET /admin/orgs', {
  summary: 'All organizations by name',
  access: siteAdmin(),
  ...pagesOf(Organization),
  handler: async ({ query, from, sql }) =>
    printOrganizations(await pageOfOrganizations(sql, VISIBILITIES, query), from.host),
})

export const adminCreateOrg = route('POST /admin/users/{username}/orgs', {
  summary: 'Create an organization that a user owns',
  access: siteAdminOn(),
  body: CreateOrgOption,
  fails: [403],
  returns: json(201, Organization),
  handler: async ({ body, caller, from, tools, begin }) => {
    const owner = caller.subject
    if (owner.kind === 'organization') throw unprocessable('an organization cannot own an organization')
    if (!mayCreateOrganization(owner, tools)) throw forbidden('user is not allowed to create organizations')
    requireAddress(body.email)
    return printOrganization(await create(begin, { caller, from }, owner, orgDraft(body)), from.host)
  },
})

/** @throws Problem 422 it is not empty, and not an address */
function requireAddress(email: string | undefined): void {
  const address = email ? parseAddress(email) : undefined
  if (address && !address.ok) throw unprocessable(invalidOrganizationAddressMessage(address.fault))
}

function mayCreateOrganization(owner: Account, { orgCreation }: ForgeTools): boolean {
  return owner.is_admin || (owner.allow_create_organization && orgCreation)
}

/** @throws Problem 422 when the name is reserved or taken */
async function create(
  begin: Begin,
  actor: Actor,
  owner: Account,
  draft: Omit<AccountDraft, 'kind'>,
): Promise<Account> {
  refuseSystem(owner)
  const fault = nameFault(draft.name)
  if (fault !== undefined) throw unprocessable(fault)
  const creating = createTogether(begin, { by: actor, owner, draft })
  // The owner may be deleted concurrently.
  const { created } = await mapConstraints(creating, {
    membership_account_known: [422, 'the owner was deleted'],
  })
  if (!created) throw unprocessable(nameTaken(draft.name))
  return created
}

interface Creation {
  by: Actor
  owner: Account
  draft: Omit<AccountDraft, 'kind'>
}

/** Creates an organization, together with those that wait at the same time. */
const createTogether = batchTransactions(
  async (tx, creations: readonly Creation[]) => {
    const accounts = await insertOrganizations(
      tx,
      creations.map(({ draft }) => draft),
    )
    const successes = creations.flatMap((creation, at) => {
      const created = accounts[at]
      return created ? [{ ...creation, created }] : []
    })
    const owners = successes.map(({ owner, created }) => ({ organization: created.id, account: owner.id }))
    const entries = successes.map(({ by, owner, created }) => {
      const details = { owner: owner.name, visibility: created.visibility }
      return {
        by,
        event: { action: 'organization.created' as const, target: accountTarget(created), details },
      }
    })
    await Promise.all([insertFirstOwners(tx, owners), recordAll(tx, entries)])
    return accounts.map((created) => ({ created }))
  },
  // Texts of an organization are short. The next transaction begins while the one before it is committed.
  { weigh: () => 1024, queueOf: () => undefined, concurrency: 2 },
)
