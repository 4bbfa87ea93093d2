import type { Fragment, Sql } from '../../db/sql.ts'

/**
 * What a runner or a registration token serves: the site (both null), the repositories of an account, or one
 * repository.
 */
export interface Scope {
  owner_id: number | null
  repository_id: number | null
}

export const siteScope: Scope = { owner_id: null, repository_id: null }

/** The condition on the columns of a scope, written so that PostgreSQL can use the indexes. */
export function inScope(sql: Sql, { owner_id, repository_id }: Scope): Fragment {
  return sql`
    ${owner_id === null ? sql`owner_id is null` : sql`owner_id = ${owner_id}`}
    and ${repository_id === null ? sql`repository_id is null` : sql`repository_id = ${repository_id}`}`
}
