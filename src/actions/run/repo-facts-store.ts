import { firstRow } from '../../db/rows.ts'
import type { Sql } from '../../db/sql.ts'

/** The facts about a repository that Actions uses. */
export interface RepoFacts {
  id: number
  owner_id: number
  owner_name: string
  name: string
  folder_owner: string
  folder_name: string
  default_branch: string
  is_private: boolean
  is_archived: boolean
  /** Whether Actions is enabled. */
  has_actions: boolean
}

/** Undefined unless the repository is ready: while it is being created, and after its deletion. */
export const repoFacts = (sql: Sql, id: number) =>
  firstRow(sql<RepoFacts[]>`
    select repository.id, owner_id, owner.name as owner_name, repository.name, folder_owner, folder_name,
      default_branch, is_private, is_archived,
      coalesce((settings ->> 'has_actions')::boolean, not is_template) as has_actions
    from forge.repository
    join forge.account as owner on owner.id = owner_id
    where repository.id = ${id} and repository.state = 'ready'`)

/** The name of an account; undefined if it was deleted. */
export async function accountName(sql: Sql, id: number | null): Promise<string | undefined> {
  if (id === null) return undefined
  const account = await firstRow(sql<{ name: string }[]>`
    select name
    from forge.account
    where id = ${id}`)
  return account?.name
}
