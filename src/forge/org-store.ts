import type { Tx } from '../db/sql.ts'
import { type Account, type AccountDraft, insertAccount } from './account.ts'

/** The parts of a repository that a team may be given, and what owners may do with each. */
export const OWNER_UNITS = {
  'repo.actions': 'owner',
  'repo.code': 'owner',
  'repo.ext_issues': 'read',
  'repo.ext_wiki': 'read',
  'repo.issues': 'owner',
  'repo.packages': 'owner',
  'repo.projects': 'owner',
  'repo.pulls': 'owner',
  'repo.releases': 'owner',
  'repo.wiki': 'owner',
} as const

/**
 * Creates an organization, its team of owners, and its first owner, whose membership others do not see. A taken name
 * is refused by `account_name_unique`.
 */
export async function insertOrganization(
  tx: Tx,
  owner: Pick<Account, 'id'>,
  draft: Omit<AccountDraft, 'kind'>,
): Promise<Account> {
  const organization = await insertAccount(tx, { ...draft, kind: 'organization' })
  const team = await insertOwners(tx, organization.id)
  await insertTeamMember(tx, { id: team, organization_id: organization.id }, owner.id)
  return organization
}

/** Puts somebody into a team, and makes a member of the organization of who was none; twice is as good as once. */
export async function insertTeamMember(
  tx: Tx,
  team: { id: number; organization_id: number },
  account: number,
): Promise<void> {
  await tx`
    insert into forge.membership (organization_id, account_id)
    values (${team.organization_id}, ${account})
    on conflict on constraint membership_pkey do nothing`
  await tx`
    insert into forge.team_member (team_id, organization_id, account_id)
    values (${team.id}, ${team.organization_id}, ${account})
    on conflict on constraint team_member_pkey do nothing`
}

async function insertOwners(tx: Tx, organization: number): Promise<number> {
  const [team] = await tx<[{ id: number }]>`
    insert into forge.team
      (organization_id, name, permission, visibility, includes_all_repositories, can_create_repositories, units,
       created_at)
    values
      (${organization}, 'Owners', 'owner', 'limited', true, true, ${JSON.stringify(OWNER_UNITS)}::text::jsonb,
       ${tx.now})
    returning id`
  return team.id
}
