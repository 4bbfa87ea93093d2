import * as v from 'valibot'
import { deleteSecret, pageOfSecrets, putSecret } from '../../actions/secrets/secret-store.ts'
import type { Begin, Sql } from '../../db/sql.ts'
import { type Page, type Paging, pageQuery } from '../../http/route/page.ts'
import { badRequest, notFound } from '../../http/route/problem.ts'
import { ReplyWith } from '../../http/route/results.ts'
import { type Actor, record } from '../admin/audit-trail.ts'
import { signedInFully } from '../auth/access.ts'
import { orgOwner } from '../orgs/access.ts'
import { inRepo, nameParam } from '../protocol/query.ts'
import { repoOwner } from '../repos/access.ts'
import { type ForgeTools, route } from '../route.ts'
import { actionName, cutDescription, validName } from './names.ts'
import { type ActionsOwner, holderIn, ownerOf, scopeOf } from './owner.ts'
import { CreateOrUpdateSecretOption, printSecret, Secret } from './secret.shape.ts'

/** Secrets that jobs are given. They come in and never go out again but to a runner. */

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
    ...listing,
    summary: 'Names of the secrets of an organization, the oldest first',
    access: orgOwner('org', 'organization'),
    params: { org: nameParam },
  },
  ({ caller, query, sql }) => listed(sql, ownerOf(caller.subject), query),
)

const putOfOrg = route(
  'PUT /orgs/{org}/actions/secrets/{secretname}',
  {
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
    ...listing,
    summary: 'Names of the secrets of a repository, the oldest first',
    access: repoOwner('repository'),
    params: inRepo,
  },
  ({ caller, query, sql }) => listed(sql, holderIn(caller), query),
)

const putOfRepo = route(
  'PUT /repos/{owner}/{repo}/actions/secrets/{secretname}',
  {
    ...putting,
    summary: 'Create a secret of a repository, or replace it',
    access: repoOwner('repository'),
    params: { ...inRepo, secretname: nameParam },
  },
  (context) => put(context, holderIn(context.caller)),
)

const deleteOfRepo = route(
  'DELETE /repos/{owner}/{repo}/actions/secrets/{secretname}',
  {
    ...deleting,
    summary: 'Delete a secret of a repository',
    access: repoOwner('repository'),
    params: { ...inRepo, secretname: nameParam },
  },
  (context) => remove(context, holderIn(context.caller)),
)

const listOwn = route(
  'GET /user/actions/secrets',
  {
    ...listing,
    summary: 'Names of the secrets of the user who asks, the oldest first',
    access: signedInFully('user'),
  },
  ({ caller, query, sql }) => listed(sql, ownerOf(caller.me), query),
)

const putOwn = route(
  'PUT /user/actions/secrets/{secretname}',
  {
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

/** The largest secret, in bytes of UTF-8. */
const LARGEST = 65_536

async function listed(sql: Sql, holder: ActionsOwner, paging: Paging): Promise<Page<Secret>> {
  const page = await pageOfSecrets(sql, scopeOf(holder), paging)
  return { ...page, rows: page.rows.map(printSecret) }
}

/** What a handler is given that changes a secret. */
type Context = Exclude<Actor, string> & { begin: Begin; params: { secretname: string } }
type PutContext = Context & { body: v.InferOutput<typeof CreateOrUpdateSecretOption>; tools: ForgeTools }

/** Answers 201 to whoever created it and 204 to whoever replaced it. @throws Problem 400 */
async function put(
  { begin, params, body, tools, ...by }: PutContext,
  holder: ActionsOwner,
): Promise<ReplyWith<undefined>> {
  const name = validName(params.secretname)
  if (Buffer.byteLength(body.data) > LARGEST) throw badRequest('data too long')
  const draft = { name, data: body.data, description: cutDescription(body.description) }
  const done = await begin(async (tx) => {
    const done = await putSecret(tx, tools.secrets, scopeOf(holder), draft)
    await record(tx, by, { action: `secret.${done}`, target: holder, details: { name } })
    return done
  })
  return new ReplyWith(undefined, done === 'created' ? {} : { status: 204 })
}

/** @throws Problem 404 for whatever names no secret */
async function remove({ begin, params, ...by }: Context, holder: ActionsOwner): Promise<void> {
  const name = actionName(params.secretname)
  const removed =
    name.ok &&
    (await begin(async (tx) => {
      const removed = await deleteSecret(tx, scopeOf(holder), name.value)
      if (removed)
        await record(tx, by, { action: 'secret.removed', target: holder, details: { name: name.value } })
      return removed
    }))
  if (!removed) throw notFound()
}
