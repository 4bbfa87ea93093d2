import type * as v from 'valibot'
import { deleteSecret, pageOfSecrets, putSecret } from '../../actions/secrets/secret-store.ts'
import { mapPage, type Page, type Paging } from '../../db/page.ts'
import { pagesOf } from '../../http/route/page.ts'
import { badRequest, notFound } from '../../http/route/problem.ts'
import { ReplyWith } from '../../http/route/results.ts'
import { noBody } from '../../http/route/sends.ts'
import { record } from '../audit/audit-trail.ts'
import { type ForgeContext, route } from '../route.ts'
import { CreateOrUpdateSecretOption } from './actions.option.ts'
import { cutDescription, nameIn, validName } from './names.ts'
import { type OnOwner, ownedByOrganization, ownedByRepository, ownedByUser, scopeOf } from './scopes.ts'
import { printSecret, Secret } from './secret.shape.ts'

/** Secrets of jobs. The API never returns a value; only runners receive it. */

const listing = { ...pagesOf(Secret), handler: listSecrets } as const
const putting = {
  body: CreateOrUpdateSecretOption,
  fails: [400, 404],
  returns: noBody(201),
  also: [204],
  handler: putSecretNamed,
} as const
const removing = { fails: [404], returns: noBody(204), handler: removeSecret } as const

export const orgListActionsSecrets = route('GET /orgs/{org}/actions/secrets', {
  ...listing,
  summary: 'Names of the secrets of an organization, the oldest first',
  access: ownedByOrganization,
})

export const repoListActionsSecrets = route('GET /repos/{owner}/{repo}/actions/secrets', {
  ...listing,
  summary: 'Names of the secrets of a repository, the oldest first',
  access: ownedByRepository,
})

export const userListActionsSecrets = route('GET /user/actions/secrets', {
  ...listing,
  extension: true,
  summary: 'Names of the secrets of the caller, the oldest first',
  access: ownedByUser,
})

export const updateOrgSecret = route('PUT /orgs/{org}/actions/secrets/{secretname}', {
  ...putting,
  summary: 'Create a secret of an organization, or replace it',
  access: ownedByOrganization,
})

export const updateRepoSecret = route('PUT /repos/{owner}/{repo}/actions/secrets/{secretname}', {
  ...putting,
  summary: 'Create a secret of a repository, or replace it',
  access: ownedByRepository,
})

export const updateUserSecret = route('PUT /user/actions/secrets/{secretname}', {
  ...putting,
  summary: 'Create a secret of the caller, or replace it',
  access: ownedByUser,
})

export const deleteOrgSecret = route('DELETE /orgs/{org}/actions/secrets/{secretname}', {
  ...removing,
  summary: 'Delete a secret of an organization',
  access: ownedByOrganization,
})

export const deleteRepoSecret = route('DELETE /repos/{owner}/{repo}/actions/secrets/{secretname}', {
  ...removing,
  summary: 'Delete a secret of a repository',
  access: ownedByRepository,
})

export const deleteUserSecret = route('DELETE /user/actions/secrets/{secretname}', {
  ...removing,
  summary: 'Delete a secret of the caller',
  access: ownedByUser,
})

/** Maximum size of a secret, in bytes of UTF-8. */
const MAX_BYTES = 65_536

async function listSecrets({
  sql,
  query,
  caller,
}: ForgeContext<OnOwner, { query: Paging }>): Promise<Page<Secret>> {
  return mapPage(await pageOfSecrets(sql, scopeOf(caller.owner), query), printSecret)
}

type Context = ForgeContext<OnOwner, { params: { secretname: string } }>

/** Responds 201 if the secret was created and 204 if it was replaced. @throws Problem 400 */
async function putSecretNamed({
  begin,
  params,
  body,
  tools,
  ...actor
}: Context & { body: v.InferOutput<typeof CreateOrUpdateSecretOption> }): Promise<ReplyWith<undefined>> {
  const { owner } = actor.caller
  const name = validName(params.secretname)
  if (Buffer.byteLength(body.data) > MAX_BYTES) throw badRequest('data too long')
  const draft = { name, data: body.data, description: cutDescription(body.description) }
  const outcome = await begin(async (tx) => {
    const outcome = await putSecret(tx, tools.secrets, scopeOf(owner), draft)
    await record(tx, actor, { action: `secret.${outcome}`, target: owner, details: { name } })
    return outcome
  })
  return new ReplyWith(undefined, outcome === 'created' ? {} : { status: 204 })
}

/** @throws Problem 404 if there is no secret of this name */
async function removeSecret({ begin, params, ...actor }: Context): Promise<void> {
  const { owner } = actor.caller
  const name = nameIn(params.secretname)
  await begin(async (tx) => {
    if (!(await deleteSecret(tx, scopeOf(owner), name))) throw notFound()
    await record(tx, actor, { action: 'secret.removed', target: owner, details: { name } })
  })
}
