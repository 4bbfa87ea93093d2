import { printable } from '../../common/printable.ts'
import type { Sql } from '../../db/sql.ts'
import type { OpenRepository } from '../../git/program/git.ts'
import { isZeroId } from '../../git/program/names.ts'
import type { RefUpdate } from '../../git/repository/move-refs.ts'
import { commitsOfMove, keepsCommits, pathsOfMove } from '../../git/repository/received.ts'
import { gitValue } from '../repos/code.ts'
import type { Repository } from '../repos/repo-store.ts'
import { signersOf } from '../ssh-keys/signers.ts'
import { branchRulesFor } from './branch-protection-store.ts'
import {
  type BranchRule,
  fileMatcherOf,
  forDeployKeys,
  mayForcePush,
  mayPush,
  ruleOf,
} from './branch-rules.ts'
import { tagRulesFor } from './tag-protection-store.ts'
import { isTagAllowed } from './tag-rules.ts'

/** An account that may write to the code and is about to move refs. */
interface Pusher {
  sql: Sql
  /** Reads the objects that the refs are about to point to. */
  repository: OpenRepository
  row: Pick<Repository, 'id' | 'default_branch'>
  account: number
  /** Whether the account acts by a deploy key, which is on no list of accounts. */
  isDeployKey: boolean
}

/**
 * Why rules of the repository refuse these updates, in the sentences of the original; undefined: they do not.
 * @throws Problem for faults of git
 */
export async function refusalByRules(
  pusher: Pusher,
  updates: readonly RefUpdate[],
): Promise<string | undefined> {
  const { sql, row, account, isDeployKey } = pusher
  const [branchRules, tagRules] = await Promise.all([
    branchRulesFor(sql, row.id, account),
    tagRulesFor(sql, row.id, account),
  ])
  const branches = isDeployKey ? branchRules.map(forDeployKeys) : branchRules
  const tags = isDeployKey ? tagRules.map((rule) => ({ ...rule, is_listed: false })) : tagRules
  for (const update of updates) {
    const [, kind, name = ''] = /^refs\/(heads|tags)\/(.+)$/s.exec(update.ref) ?? []
    if (kind === 'tags' && !isTagAllowed(tags, name)) return `Tag ${name} is protected`
    const refusal = kind === 'heads' ? await refusalOfBranch(pusher, branches, name, update) : undefined
    if (refusal !== undefined) return refusal
  }
  return undefined
}

async function refusalOfBranch(
  pusher: Pusher,
  rules: readonly BranchRule[],
  branch: string,
  update: RefUpdate,
): Promise<string | undefined> {
  const isDeleted = isZeroId(update.after)
  if (isDeleted && branch === pusher.row.default_branch)
    return `branch ${branch} is the default branch and cannot be deleted`
  const rule = ruleOf(rules, branch)
  if (!rule) return undefined
  if (isDeleted) return `branch ${branch} is protected from deletion`
  return refusalByRule(pusher, rule, branch, update)
}

async function refusalByRule(
  pusher: Pusher,
  rule: BranchRule,
  branch: string,
  update: RefUpdate,
): Promise<string | undefined> {
  const { repository } = pusher
  const isForced = !gitValue(await keepsCommits(repository, update))
  if (isForced && !rule.enable_force_push) return `branch ${branch} is protected from force push`
  const unverified = rule.require_signed_commits ? await unverifiedOf(pusher, update) : undefined
  if (unverified !== undefined) return `branch ${branch} is protected from unverified commit ${unverified}`
  const isProtected = fileMatcherOf(rule.protected_file_patterns)
  const changed = isProtected && gitValue(await pathsOfMove(repository, update)).find(isProtected)
  if (changed !== undefined) return `branch ${branch} is protected from changing file ${printable(changed)}`
  if (isForced ? mayForcePush(rule) : mayPush(rule)) return undefined
  const isUnprotected = fileMatcherOf(rule.unprotected_file_patterns)
  if (isUnprotected && gitValue(await pathsOfMove(repository, update)).every(isUnprotected)) return undefined
  return `Not allowed to ${isForced ? 'force-push' : 'push'} to protected branch ${branch}`
}

/** The newest commit that a branch gets and no account has signed (`signersOf`). @throws Problem for faults of git */
export async function unverifiedOf(
  { sql, repository }: Pick<Pusher, 'sql' | 'repository'>,
  update: Pick<RefUpdate, 'before' | 'after'>,
): Promise<string | undefined> {
  for await (const commits of commitsOfMove(repository, update)) {
    const read = gitValue(commits)
    const signers = await signersOf(sql, read, repository.git.signer)
    const unverified = read.find(({ id }) => !signers.has(id))
    if (unverified) return unverified.id
  }
  return undefined
}
