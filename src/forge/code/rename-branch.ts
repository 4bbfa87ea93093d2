import { zeroIdOf } from '../../git/program/names.ts'
import { setHeadBranch } from '../../git/repository/refs.ts'
import { forbidden, found } from '../../http/route/problem.ts'
import { problemOf } from '../git-service.ts'
import { LEVELS } from '../permissions/access-level-store.ts'
import { branchRulesFor, renameBranchProtection } from '../protection/branch-protection-store.ts'
import { mayPush, ruleOf } from '../protection/branch-rules.ts'
import { recordRuleChange } from '../protection/rule-changes.ts'
import { changeRefs, type RefRequest } from '../push/change-refs.ts'
import { followRename } from '../push/rename.ts'
import type { Refusal } from '../push/rules.ts'
import type { Code } from '../repos/code.ts'
import { folderOf, lockRepository, updateRepository } from '../repos/repo-store.ts'

interface Names {
  from: string
  to: string
}

/**
 * Renames a branch, the rule that has its name, and the branch in pull requests. Changes the default branch of the repository before it deletes the
 * old name: a crash in between leaves both branches and a default branch that exists.
 * @throws Problem 403, 404, 409, 503
 */
export async function renameBranch(
  context: RefRequest,
  { row }: Code,
  { from, to, commit }: Names & { commit: string },
): Promise<void> {
  const none = zeroIdOf(commit)
  const created = { ref: `refs/heads/${to}`, before: none, after: commit }
  const deleted = { ref: `refs/heads/${from}`, before: commit, after: none }
  const isDefault = from === row.default_branch
  await withRule(context, row, { from, to }, (refusal) =>
    changeRefs({ ...context, refusal }, row, isDefault ? [created] : [created, deleted]),
  )
  if (!isDefault) return
  const moved = await context.begin(async (tx) => {
    const locked = found(await lockRepository(tx, row.id))
    if (locked.default_branch !== from) return locked
    const updated = await updateRepository(tx, locked, { default_branch: to })
    const path = context.tools.gitService.repositories.path(folderOf(locked)) ?? ''
    const pointed = await setHeadBranch(path, to)
    if (!pointed.ok) throw problemOf(pointed.fault)
    return updated
  })
  // The first move has decided whether the caller may rename the branch.
  await changeRefs({ ...context, refusal: async () => undefined }, moved, [deleted])
}

/**
 * Renames the rule of a branch, and the branch in pull requests, while git holds the locks of the refs that `move` moves, so that the branch is protected
 * all the time. If they do not move, all get the old name back.
 * @throws Problem 403
 */
async function withRule(
  context: RefRequest,
  row: Code['row'],
  names: Names,
  move: (refusal: Refusal) => Promise<void>,
): Promise<void> {
  const refusalNow = ({ row, level }: Parameters<Refusal>[0]) => refusalOfRename(context, row, level, names)
  const refusal = await refusalNow({ row, level: context.caller.repo.level })
  if (refusal !== undefined) throw forbidden(refusal)
  let [isFollowed, isRenamed] = [false, false]
  try {
    await move(async (now) => {
      const refusal = await refusalNow(now)
      if (refusal !== undefined) return refusal
      await followRename(context, names)
      isFollowed = true
      isRenamed = await renameRule(context, names)
      return undefined
    })
  } catch (error) {
    const back = { from: names.to, to: names.from }
    if (isFollowed) await followRename(context, back)
    if (isRenamed) await renameRule(context, back)
    throw error
  }
}

async function refusalOfRename(
  { sql, caller }: RefRequest,
  row: Code['row'],
  level: number,
  { from, to }: Names,
): Promise<string | undefined> {
  const rules = await branchRulesFor(sql, row.id, caller.me.id)
  const rule = rules.find(({ rule_name }) => rule_name === from)
  if ((rule || from === row.default_branch) && level < LEVELS.admin)
    return 'User must be a repo or site admin to rename default or protected branches.'
  const other = ruleOf(rules, to)
  const isNameTaken = rule && rules.some(({ rule_name }) => rule_name === to)
  if ((!rule && ruleOf(rules, from)) || (other && !mayPush(other)) || isNameTaken)
    return 'Failed to rename branch due to branch protection rules.'
  return undefined
}

/** False: no rule has exactly the name of the branch. */
const renameRule = (context: RefRequest, names: Names): Promise<boolean> =>
  context.begin(async (tx) => {
    if (!(await renameBranchProtection(tx, context.caller.repo.id, names))) return false
    await recordRuleChange(tx, context, 'branch_protection_renamed', { ...names })
    return true
  })
