import { zeroIdOf } from '../../git/program/names.ts'
import { setHeadBranch } from '../../git/repository/refs.ts'
import { forbidden, found } from '../../http/route/problem.ts'
import { record, repositoryTarget } from '../admin/audit-trail.ts'
import { branchRulesFor, renameBranchProtection } from '../protection/branch-protection-store.ts'
import { mayPush, ruleOf } from '../protection/branch-rules.ts'
import { changeRefs, type RefRequest } from '../push/change-refs.ts'
import type { Refusal } from '../push/rules.ts'
import { LEVELS } from '../repos/access-level-store.ts'
import { problemOf } from '../repos/git-service.ts'
import { folderOf, lockRepository, updateRepository } from '../repos/repo-store.ts'
import type { Code } from './code.ts'

type Renaming = Omit<RefRequest, 'row'>

interface Names {
  from: string
  to: string
}

/**
 * Renames a branch, and the rule that has its name. The default branch of the repository follows before the old name
 * goes: a crash in between leaves both branches and a default branch that exists.
 * @throws Problem 403, 404, 409, 503
 */
export async function renameBranch(
  context: Renaming,
  { row }: Code,
  { from, to, commit }: Names & { commit: string },
): Promise<void> {
  const none = zeroIdOf(commit)
  const created = { ref: `refs/heads/${to}`, before: none, after: commit }
  const deleted = { ref: `refs/heads/${from}`, before: commit, after: none }
  const isDefault = from === row.default_branch
  await withRule(context, row, { from, to }, (refusal) =>
    changeRefs({ ...context, row, refusal }, isDefault ? [created] : [created, deleted]),
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
  // Whether the branch may be renamed was decided before.
  await changeRefs({ ...context, row: moved, refusal: async () => undefined }, [deleted])
}

/**
 * Renames the rule of a branch while git holds the locks of the refs that `move` moves, so that the branch is protected
 * all the time. If they do not move, the rule gets its name back.
 * @throws Problem 403
 */
async function withRule(
  context: Renaming,
  row: Code['row'],
  names: Names,
  move: (refusal: Refusal) => Promise<void>,
): Promise<void> {
  const refusalNow = ({ row, level }: Parameters<Refusal>[0]) => refusalOfRename(context, row, level, names)
  const early = await refusalNow({ row, level: context.caller.repo.level })
  if (early !== undefined) throw forbidden(early)
  let isRenamed = false
  try {
    await move(async (now) => {
      const sentence = await refusalNow(now)
      isRenamed = sentence === undefined && (await renameRule(context, names))
      return sentence
    })
  } catch (error) {
    if (isRenamed) await renameRule(context, { from: names.to, to: names.from })
    throw error
  }
}

async function refusalOfRename(
  { sql, caller }: Renaming,
  row: Code['row'],
  level: number,
  { from, to }: Names,
): Promise<string | undefined> {
  const rules = await branchRulesFor(sql, row.id, caller.me.id)
  const own = rules.find(({ rule_name }) => rule_name === from)
  if ((own || from === row.default_branch) && level < LEVELS.admin)
    return 'User must be a repo or site admin to rename default or protected branches.'
  const other = ruleOf(rules, to)
  const isInTheWay = own && rules.some(({ rule_name }) => rule_name === to)
  if ((!own && ruleOf(rules, from)) || (other && !mayPush(other)) || isInTheWay)
    return 'Failed to rename branch due to branch protection rules.'
  return undefined
}

/** False: no rule has exactly the name of the branch. */
const renameRule = (context: Renaming, names: Names): Promise<boolean> =>
  context.begin(async (tx) => {
    const { repo, subject } = context.caller
    if (!(await renameBranchProtection(tx, repo.id, names))) return false
    const target = repositoryTarget(repo, subject)
    await record(tx, context, {
      action: 'repository.branch_protection_renamed',
      target,
      details: { ...names },
    })
    return true
  })
