import * as v from 'valibot'
import { deleteSecret, pageOfSecrets, putSecret } from '../../actions/secrets/secret-store.ts'
import type { Page, Paging } from '../../db/page.ts'
import type { Begin, Sql } from '../../db/sql.ts'
import { pageQuery } from '../../http/route/page.ts'
import { badRequest, notFound } from '../../http/route/problem.ts'
import { ReplyWith } from '../../http/route/results.ts'
import { type Actor, record } from '../admin/audit-trail.ts'
import { signedInFully } from '../auth/access.ts'
import { orgOwner } from '../orgs/access.ts'
import { inRepo, nameParam } from '../protocol/query.ts'
import { repoOwner } from '../repos/access.ts'
import { type ForgeTools, route } from '../route.ts'
import { actionName, cutDescription, validName } from './names.ts'
import { type ActionsOwner, ownerOf, repoOwnerOf, scopeOf } from './owner.ts'
import { CreateOrUpdateSecretOption, printSecret, Secret } from './secret.shape.ts'

/** Routes for the secrets of jobs. The API never returns a value; only runners receive it. */

const listing = {
  query: pageQuery(),
  returns: [200, v.array(Secret)],
  sends: 'page',
  shared: 'until written',
} as const

const putting = {
  body: CreateOrUpdateSecretOption,
  fails: [400, 404],
  returns: [201],
  also: [204],
} as const

const deleting = { fails: [404], returns: [204] } as const

const listOfOrg = route(
  'GET /orgs/{org}/actions/secrets',
  {
    operationId: 'orgListActionsSecrets',
    ...listing,
    summary: 'Names of the secrets of an organization, the oldest first',
    access: orgOwner('org', 'organization'),
    params: { org: nameParam },
  },
  ({ caller, query, sql }) => listSecrets(sql, ownerOf(caller.subject), query),
)

const putOfOrg = route(
  'PUT /orgs/{org}/actions/secrets/{secretname}',
  {
    operationId: 'updateOrgSecret',
    ...putting,
    summary: 'Create a secret of an organization, or replace it',
    access: orgOwner('org', 'organization'),
    params: { org: nameParam, secretname: nameParam },
  },
  (context) => put(context, ownerOf(context.caller.subject)),
)

const deleteOfOrg = route(
  'DELETE /orgs/{org}/actions/secrets/{secretname}',
  {
    operationId: 'deleteOrgSecret',
    ...deleting,
    summary: 'Delete a secret of an organization',
    access: orgOwner('org', 'organization'),
    params: { org: nameParam, secretname: nameParam },
  },
  (context) => remove(context, ownerOf(context.caller.subject)),
)

const listOfRepo = route(
  'GET /repos/{owner}/{repo}/actions/secrets',
  {
    operationId: 'repoListActionsSecrets',
    ...listing,
    summary: 'Names of the secrets of a repository, the oldest first',
    access: repoOwner('repository'),
    params: inRepo,
  },
  ({ caller, query, sql }) => listSecrets(sql, repoOwnerOf(caller), query),
)

const putOfRepo = route(
  'PUT /repos/{owner}/{repo}/actions/secrets/{secretname}',
  {
    operationId: 'updateRepoSecret',
    ...putting,
    summary: 'Create a secret of a repository, or replace it',
    access: repoOwner('repository'),
    params: { ...inRepo, secretname: nameParam },
  },
  (context) => put(context, repoOwnerOf(context.caller)),
)

const deleteOfRepo = route(
  'DELETE /repos/{owner}/{repo}/actions/secrets/{secretname}',
  {
    operationId: 'deleteRepoSecret',
    ...deleting,
    summary: 'Delete a secret of a repository',
    access: repoOwner('repository'),
    params: { ...inRepo, secretname: nameParam },
  },
  (context) => remove(context, repoOwnerOf(context.caller)),
)

const listOwn = route(
  'GET /user/actions/secrets',
  {
    operationId: 'userListActionsSecrets',
    extension: true,
    ...listing,
    summary: 'Names of the secrets of the user who asks, the oldest first',
    access: signedInFully('user'),
  },
  ({ caller, query, sql }) => listSecrets(sql, ownerOf(caller.me), query),
)

const putOwn = route(
  'PUT /user/actions/secrets/{secretname}',
  {
    operationId: 'updateUserSecret',
    ...putting,
    summary: 'Create a secret of the user who asks, or replace it',
    access: signedInFully('user'),
    params: { secretname: nameParam },
  },
  (context) => put(context, ownerOf(context.caller.me)),
)

const deleteOwn = route(
  'DELETE /user/actions/secrets/{secretname}',
  {
    operationId: 'deleteUserSecret',
    ...deleting,
    summary: 'Delete a secret of the user who asks',
    access: signedInFully('user'),
    params: { secretname: nameParam },
  },
  (context) => remove(context, ownerOf(context.caller.me)),
)

export const secretRoutes = [
  listOfOrg,
  putOfOrg,
  deleteOfOrg,
  listOfRepo,
  putOfRepo,
  deleteOfRepo,
  listOwn,
  putOwn,
  deleteOwn,
]

/** Maximum size of a secret, in bytes of UTF-8. */
const MAX_BYTES = 65_536

async function listSecrets(sql: Sql, owner: ActionsOwner, paging: Paging): Promise<Page<Secret>> {
  const page = await pageOfSecrets(sql, scopeOf(owner), paging)
  return { ...page, rows: page.rows.map(printSecret) }
}

/** The context of a handler that changes a secret. */
type Context = Exclude<Actor, string> & { begin: Begin; params: { secretname: string } }
type PutContext = Context & { body: v.InferOutput<typeof CreateOrUpdateSecretOption>; tools: ForgeTools }

/** Responds 201 if the secret was created and 204 if it was replaced. @throws Problem 400 */
async function put(
  { begin, params, body, tools, ...actor }: PutContext,
  owner: ActionsOwner,
): Promise<ReplyWith<undefined>> {
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
async function remove({ begin, params, ...actor }: Context, owner: ActionsOwner): Promise<void> {
  const name = actionName(params.secretname)
  const removed =
    name.ok &&
    (await begin(async (tx) => {
      const removed = await deleteSecret(tx, scopeOf(owner), name.value)
      if (removed)
        await record(tx, actor, { action: 'secret.removed', target: owner, details: { name: name.value } })
      return removed
    }))
  if (!removed) throw notFound()
}
