import type { Scope } from '../../actions/run/scope.ts'
import { registrationToken } from '../../actions/runner/registration-store.ts'
import {
  hideRunner,
  lockRunner,
  pageOfRunners,
  runnerById,
  type StoredRunner,
  updateDisabled,
} from '../../actions/runner/runner-store.ts'
import { endTasksOf } from '../../actions/runner/task-end.ts'
import type { Begin, Sql } from '../../db/sql.ts'
import { offsetOf, type Paging } from '../../http/route/page.ts'
import { forbidden, notFound, unprocessable } from '../../http/route/problem.ts'
import { type Actor, record } from '../admin/audit-trail.ts'
import type { SignedIn } from '../auth/access.ts'
import { type Category, permits, scopeRefusal } from '../auth/scopes.ts'
import { integer } from '../protocol/parameters.ts'
import type { ForgeTools } from '../route.ts'
import { type ActionsOwnerOrSite, scopeOf } from './owner.ts'
import { printRunner, type Runner, type RunnerList } from './runner.shape.ts'

/** What is done with runners, whosever they are. Site administrators see those of everybody. */

/** Whose runners a route is about: those of a holder, or all there are. */
export type Whose = ActionsOwnerOrSite | 'all'

interface Reading {
  sql: Sql
  now: Date
}

type Doing = { begin: Begin; caller: SignedIn; now: Date } & Exclude<Actor, string>

/** They are paged without a word of it in the headers, as clients of the original know it. */
export async function listRunners(
  { sql, now }: Reading,
  whose: Whose,
  query: Paging & { disabled: boolean | undefined },
): Promise<RunnerList> {
  const filter = { scope: whose === 'all' ? undefined : scopeOf(whose), disabled: query.disabled }
  const { runners, total } = await pageOfRunners(sql, filter, { limit: query.limit, offset: offsetOf(query) })
  return { runners: runners.map((runner) => printRunner(runner, now)), total_count: total }
}

/** @throws Problem 404 */
export async function showRunner({ sql, now }: Reading, whose: Whose, id: string): Promise<Runner> {
  return printRunner(within(whose, id, await runnerById(sql, integer(id))), now)
}

/** Switches a runner off or on. One that is off ends the job that it has and gets no other. @throws Problem 404, 422 */
export async function editRunner(
  doing: Doing,
  whose: Whose,
  { id, disabled }: { id: string; disabled: boolean | undefined },
): Promise<Runner> {
  return doing.begin(async (tx) => {
    const runner = within(whose, id, await lockRunner(tx, integer(id)))
    if (disabled === undefined) throw unprocessable('[Disabled]: Required')
    if (disabled === runner.disabled) return printRunner(runner, tx.now)
    await updateDisabled(tx, runner.id, disabled)
    const action = disabled ? 'runner.disabled' : 'runner.enabled'
    await record(tx, doing, { action, target: { kind: 'runner', id: runner.id, name: runner.name } })
    return printRunner({ ...runner, disabled }, tx.now)
  })
}

/** Deletes a runner. What it works on fails at once. @throws Problem 404 */
export async function deleteRunner(doing: Doing, whose: Whose, id: string): Promise<void> {
  await doing.begin(async (tx) => {
    const runner = within(whose, id, await lockRunner(tx, integer(id)))
    await hideRunner(tx, runner.id)
    await endTasksOf(tx, [runner.id])
    await record(tx, doing, {
      action: 'runner.deleted',
      target: { kind: 'runner', id: runner.id, name: runner.name },
    })
  })
}

/** What runners register with; asked for again it is the same. */
export async function tokenFor(
  doing: Doing & { tools: Pick<ForgeTools, 'secrets'> },
  holder: ActionsOwnerOrSite,
): Promise<{ token: string }> {
  return doing.begin(async (tx) => {
    const { token, made } = await registrationToken(tx, doing.tools.secrets, scopeOf(holder), tx.now)
    if (made) {
      const { name } = holder
      const target = 'id' in holder ? { kind: holder.kind, id: holder.id, name } : { kind: holder.kind, name }
      await record(tx, doing, { action: 'registration_token.created', target })
    }
    return { token }
  })
}

/**
 * A GET that hands out what programs join with asks for as much as the POST that took its place.
 * @throws Problem 403
 */
export function mustWrite({ token }: SignedIn, category: Category): void {
  if (token && !permits(token.scopes, [category], 'write'))
    throw forbidden(scopeRefusal(token.scopes, [category], 'write'))
}

/** @throws Problem 404 */
function within(whose: Whose, id: string, runner: StoredRunner | undefined): StoredRunner {
  if (runner && (whose === 'all' || isOf(scopeOf(whose), runner))) return runner
  // Whose it is, or that there is one, is not for others to know.
  throw notFound(
    whose === 'all'
      ? `runner with id ${integer(id)}: resource does not exist`
      : 'No permission to access this runner',
  )
}

function isOf(scope: Scope, runner: Scope): boolean {
  return scope.owner_id === runner.owner_id && scope.repository_id === runner.repository_id
}
