import type { Sql } from '../../../db/sql.ts'
import type { TeamWithOrganization } from '../../orgs/team-store.ts'
import { LEVELS } from '../../permissions/access-level-store.ts'
import { branchProtections, branchRulesFor } from '../../protection/branch-protection-store.ts'
import { ruleOf } from '../../protection/branch-rules.ts'
import type { StoredPull } from '../pull-store.ts'
import { levelsOfReviewer } from './review-store.ts'

type Base = Pick<StoredPull, 'repository_id' | 'base_branch'>

/**
 * Whether the reviews of an account count for the rule of the base branch: it is on the list of reviewers, or without such a
 * list, it may write to the code.
 */
export async function isOfficialReviewer(sql: Sql, pull: Base, account: number): Promise<boolean> {
  const rule = ruleOf(await branchRulesFor(sql, pull.repository_id, account), pull.base_branch)
  if (rule?.enable_approvals_whitelist) return rule.listed.includes('approvals')
  return (await levelsOfReviewer(sql, pull.repository_id, account)).code >= LEVELS.write
}

/** Whether the reviews of the members of a team count; without a rule nobody asks. */
export async function isOfficialTeam(sql: Sql, pull: Base, team: TeamWithOrganization): Promise<boolean> {
  const rule = ruleOf(await branchProtections(sql, pull.repository_id), pull.base_branch)
  if (rule?.enable_approvals_whitelist) return rule.teams.approvals?.includes(team.name) ?? false
  const writes = ['write', 'admin', 'owner'].includes(team.units['repo.code'] ?? 'none')
  return rule !== undefined && (writes || team.permission === 'admin' || team.permission === 'owner')
}
