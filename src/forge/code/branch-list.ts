import { newestRefs } from '../../git/repository/cache/newest-refs.ts'
import { readCommitObject } from '../../git/repository/commit.ts'
import { accountsByEmail } from '../accounts/account-by-email-store.ts'
import { LEVELS } from '../permissions/access-level-store.ts'
import { branchRulesFor } from '../protection/branch-protection-store.ts'
import { ruleOf } from '../protection/branch-rules.ts'
import { type Code, type CodeContext, gitValue } from '../repos/code.ts'
import { signersOf } from '../ssh-keys/signers.ts'
import { type Branch, printBranch } from './branch.shape.ts'

/** Maximum branches that are listed. */
const maxBranches = 1_000_000

/** A branch by its short name, and the id of its commit. */
interface NamedCommit {
  name: string
  commit: string
}

/** Branches whose names contain a text in any case, by the time of their commits, newest first. @throws Problem 404, 503 */
export async function branchesOf(code: Code, q: string): Promise<NamedCommit[]> {
  const text = q.toLowerCase()
  const all = gitValue(await newestRefs(code, 'heads', maxBranches))
  return all.filter(({ name }) => name.toLowerCase().includes(text))
}

/** Branches as the API shows them, without those whose commit no longer exists. @throws Problem 404, 503 */
export async function printBranches(
  { sql, caller }: Pick<CodeContext, 'sql' | 'caller'>,
  code: Code,
  branches: readonly NamedCommit[],
): Promise<Branch[]> {
  const read = await Promise.all(branches.map(({ commit }) => readCommitObject(code, commit).then(gitValue)))
  const addresses = read.flatMap((commit) => (commit ? [commit.author.email, commit.committer.email] : []))
  const [authors, signers, rules] = await Promise.all([
    accountsByEmail(sql, addresses),
    signersOf(
      sql,
      read.flatMap((commit) => commit ?? []),
      code.git.signer,
    ),
    branchRulesFor(sql, code.row.id, caller.me?.id),
  ])
  const canWrite = caller.me !== undefined && caller.repo.level >= LEVELS.write && !code.row.is_archived
  const view = { home: code.home, authors, signers, canWrite, isAdmin: caller.repo.level >= LEVELS.admin }
  return branches.flatMap(({ name }, at) => {
    const commit = read[at]
    return commit ? [printBranch({ name, commit, rule: ruleOf(rules, name) }, view)] : []
  })
}
