import { registrationToken, replaceRegistrationToken } from '../../actions/runner/registration-store.ts'
import {
  hideRunner,
  type ListedRunner,
  lockRunner,
  pageOfRunners,
  runnerById,
  updateDisabled,
} from '../../actions/runner/runner-store.ts'
import { endTasksOf } from '../../actions/runner/task-end.ts'
import type { Scope } from '../../actions/secrets/scope-store.ts'
import { mapPage, type Page, type Paging } from '../../db/page.ts'
import type { Tx } from '../../db/sql.ts'
import { forbidden, notFound, unprocessable } from '../../http/route/problem.ts'
import { type Actor, record } from '../audit/audit-trail.ts'
import { type Category, permits, scopeRefusal } from '../auth/scopes.ts'
import { integer } from '../protocol/parameters.ts'
import type { ForgeContext } from '../route.ts'
import { printRunner, type Runner } from './runner.shape.ts'
import { type ActionsOwnerOrSite, type OnOwner, scopeOf, site } from './scopes.ts'

/** Handlers of the runner routes, for all kinds of owners. Site administrators see all runners. */

/** The owner of the runners of a route; `all`: any. */
type RunnersOf = ActionsOwnerOrSite | 'all'

type Context = ForgeContext<OnOwner<RunnersOf>>
type RunnerContext = ForgeContext<OnOwner<RunnersOf>, { params: { runner_id: string } }>

export async function listRunners({
  sql,
  now,
  query,
  caller: { owner },
}: Context & { query: Paging & { disabled: boolean | undefined } }): Promise<Page<Runner>> {
  const filter = { scope: owner === 'all' ? undefined : scopeOf(owner), disabled: query.disabled }
  return mapPage(await pageOfRunners(sql, filter, query), (runner) => printRunner(runner, now))
}

/** @throws Problem 404 */
export async function showRunner({ sql, now, params, caller }: RunnerContext): Promise<Runner> {
  const id = integer(params.runner_id)
  return printRunner(ownedBy(caller.owner, id, await runnerById(sql, id)), now)
}

/** Disables or enables a runner. A disabled one ends its current job and gets no other. @throws Problem 404, 422 */
export async function editRunner(
  context: RunnerContext & { body: { disabled?: boolean | undefined } },
): Promise<Runner> {
  const { owner } = context.caller
  const id = integer(context.params.runner_id)
  const { disabled } = context.body
  return context.begin(async (tx) => {
    const runner = ownedBy(owner, id, await lockRunner(tx, id))
    if (disabled === undefined) throw unprocessable('[Disabled]: Required')
    if (disabled === runner.disabled) return printRunner(runner, tx.now)
    await updateDisabled(tx, runner.id, disabled)
    const action = disabled ? 'runner.disabled' : 'runner.enabled'
    await record(tx, context, { action, target: runnerTarget(runner) })
    return printRunner({ ...runner, disabled }, tx.now)
  })
}

/** Deletes a runner; its current job fails at once. @throws Problem 404 */
export async function deleteRunner(context: RunnerContext): Promise<void> {
  const { owner } = context.caller
  const id = integer(context.params.runner_id)
  await context.begin(async (tx) => {
    const runner = ownedBy(owner, id, await lockRunner(tx, id))
    await hideRunner(tx, runner.id)
    await endTasksOf(tx, [runner.id])
    await record(tx, context, { action: 'runner.deleted', target: runnerTarget(runner) })
  })
}

/** The token to register runners with; further calls return the same one until it is replaced. */
export async function tokenFor(context: Context): Promise<{ token: string }> {
  const owner = siteOr(context.caller.owner)
  return context.begin(async (tx) => {
    const { token, made } = await registrationToken(tx, context.tools.secrets, scopeOf(owner), tx.now)
    if (made) await record(tx, context, { action: 'registration_token.created', target: targetOf(owner) })
    return { token }
  })
}

/** Makes the token of the caller's runners invalid. */
export const replaceToken = (context: Context): Promise<void> =>
  context.begin((tx) => replaceTokenOf(tx, context, siteOr(context.caller.owner)))

/** Makes the token of an owner invalid; runners that have registered with it stay. */
export async function replaceTokenOf(tx: Tx, by: Actor, owner: ActionsOwnerOrSite): Promise<void> {
  const isReplaced = await replaceRegistrationToken(tx, scopeOf(owner))
  if (isReplaced) await record(tx, by, { action: 'registration_token.replaced', target: targetOf(owner) })
}

const siteOr = (owner: RunnersOf): ActionsOwnerOrSite => (owner === 'all' ? site : owner)

const runnerTarget = ({ id, name }: ListedRunner) => ({ kind: 'runner', id, name })

const targetOf = (owner: ActionsOwnerOrSite) =>
  'id' in owner
    ? { kind: owner.kind, id: owner.id, name: owner.name }
    : { kind: owner.kind, name: owner.name }

/**
 * The same for the deprecated GET, which requires the same scope of tokens as the POST that replaces it.
 * @throws Problem 403
 */
export const tokenByGet = (category: Category) => async (context: Context) => {
  const { token } = context.caller
  if (token && !permits(token.scopes, [category], 'write'))
    throw forbidden(scopeRefusal(token.scopes, [category], 'write'))
  return tokenFor(context)
}

/** @throws Problem 404 */
function ownedBy(owner: RunnersOf, id: number, runner: ListedRunner | undefined): ListedRunner {
  if (runner && (owner === 'all' || isInScope(scopeOf(owner), runner))) return runner
  // Does not reveal whether the runner exists or who owns it.
  throw notFound(
    owner === 'all' ? `runner with id ${id}: resource does not exist` : 'No permission to access this runner',
  )
}

function isInScope(scope: Scope, runner: Scope): boolean {
  return scope.owner_id === runner.owner_id && scope.repository_id === runner.repository_id
}
