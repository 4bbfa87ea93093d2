import type * as v from 'valibot'
import { deleteSecret, pageOfSecrets, putSecret } from '../../actions/secrets/secret-store.ts'
import { mapPage, type Page, type Paging } from '../../db/page.ts'
import { pagesOf } from '../../http/route/page.ts'
import { badRequest, notFound } from '../../http/route/problem.ts'
import { ReplyWith } from '../../http/route/results.ts'
import { record } from '../admin/audit-trail.ts'
import type { SignedIn } from '../auth/access.ts'
import type { ForgeContext } from '../route.ts'
import { scoped } from '../scoped.ts'
import { actionName, cutDescription, validName } from './names.ts'
import { type ActionsOwner, organization, repository, scopeOf, user } from './scopes.ts'
import { CreateOrUpdateSecretOption, printSecret, Secret } from './secret.shape.ts'

/** Secrets of jobs. The API never returns a value; only runners receive it. */

export const secretRoutes = scoped<ActionsOwner>(
  [organization, repository, user],
  (route, { whose, name, Name }) => [
    route('GET /actions/secrets', {
      operationId: `${name}ListActionsSecrets`,
      extension: name === 'user',
      summary: `Names of the secrets ${whose}, the oldest first`,
      ...pagesOf(Secret),
      handler: listSecrets,
    }),
    route('PUT /actions/secrets/{secretname}', {
      operationId: `update${Name}Secret`,
      summary: `Create a secret ${whose}, or replace it`,
      body: CreateOrUpdateSecretOption,
      fails: [400, 404],
      returns: [201],
      also: [204],
      handler: putNamed,
    }),
    route('DELETE /actions/secrets/{secretname}', {
      operationId: `delete${Name}Secret`,
      summary: `Delete a secret ${whose}`,
      fails: [404],
      returns: [204],
      handler: removeNamed,
    }),
  ],
)

/** Maximum size of a secret, in bytes of UTF-8. */
const MAX_BYTES = 65_536

async function listSecrets(
  { sql, query }: ForgeContext<SignedIn, { query: Paging }>,
  owner: ActionsOwner,
): Promise<Page<Secret>> {
  return mapPage(await pageOfSecrets(sql, scopeOf(owner), query), printSecret)
}

type Context = ForgeContext<SignedIn, { params: { secretname: string } }>

/** Responds 201 if the secret was created and 204 if it was replaced. @throws Problem 400 */
async function putNamed(
  {
    begin,
    params,
    body,
    tools,
    ...actor
  }: Context & { body: v.InferOutput<typeof CreateOrUpdateSecretOption> },
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
async function removeNamed({ begin, params, ...actor }: Context, owner: ActionsOwner): Promise<void> {
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
