import type { Fragment, Sql } from '../../db/sql.ts'

/** The scope of a runner, a secret or a variable: the site (both null), the repositories of an account, or one repository. */
export interface Scope {
  owner_id: number | null
  repository_id: number | null
}

export const siteScope: Scope = { owner_id: null, repository_id: null }

/** A condition on the columns of a scope that lets PostgreSQL use the indexes. */
export function inScope(sql: Sql, { owner_id, repository_id }: Scope): Fragment {
  return sql`
    ${owner_id === null ? sql`owner_id is null` : sql`owner_id = ${owner_id}`}
    and ${repository_id === null ? sql`repository_id is null` : sql`repository_id = ${repository_id}`}`
}
