import type { Tx } from '../../db/sql.ts'
import { found, Problem } from '../../http/route/problem.ts'
import { record, repositoryTarget } from '../audit/audit-trail.ts'
import type { SignedInOnRepository } from '../repos/access.ts'
import { lockRepository } from '../repos/repo-store.ts'
import type { ForgeContext } from '../route.ts'

type Context = Pick<ForgeContext<SignedInOnRepository>, 'begin' | 'caller' | 'from'>

/**
 * Changes the rules of the caller's repository in a transaction that locks the repository.
 * @throws Problem 404 gone, 423 archived, and those of `change`
 */
export const changeRules = <Result>(
  { begin, caller }: Context,
  change: (tx: Tx, repository: number) => Promise<Result>,
): Promise<Result> =>
  begin(async (tx) => {
    const { id, is_archived } = found(await lockRepository(tx, caller.repo.id))
    if (is_archived) throw new Problem(423, 'repo is archived')
    return change(tx, id)
  })

/** Records a change of a rule in the audit trail. */
export const recordRuleChange = (
  tx: Tx,
  context: Context,
  action:
    | `${'branch' | 'tag'}_protection_${'created' | 'edited' | 'renamed' | 'deleted'}`
    | 'branch_protections_ordered',
  details: Readonly<Record<string, unknown>>,
) =>
  record(tx, context, {
    action: `repository.${action}`,
    target: repositoryTarget(context.caller.repo, context.caller.subject),
    details,
  })
