import { firstRow } from '../../db/rows.ts'
import type { Fragment, Sql } from '../../db/sql.ts'

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
  firstRow(sql<RepoFacts[]>`${readyRepositories(sql)} and repository.id = ${id}`)

/** The repository with this name, if jobs of the repository `of` may read it: all can, or it is the same one. */
export const repositoryForJobs = (sql: Sql, of: number, { owner, name }: { owner: string; name: string }) =>
  firstRow(sql<RepoFacts[]>`
    ${readyRepositories(sql)} and lower(owner.name) = lower(${owner}) and lower(repository.name) = lower(${name})
      and (repository.id = ${of} or not repository.is_private and owner.visibility <> 'private')`)

const readyRepositories = (sql: Sql): Fragment => sql`
  select repository.id, owner_id, owner.name as owner_name, repository.name, folder_owner, folder_name,
    default_branch, is_private, is_archived,
    coalesce((settings ->> 'has_actions')::boolean, not is_template) as has_actions
  from forge.repository
  join forge.account as owner on owner.id = owner_id
  where repository.state = 'ready'`

/** The name of an account; undefined if it was deleted. */
export async function accountName(sql: Sql, id: number | null): Promise<string | undefined> {
  if (id === null) return undefined
  const account = await firstRow(sql<{ name: string }[]>`
    select name
    from forge.account
    where id = ${id}`)
  return account?.name
}
