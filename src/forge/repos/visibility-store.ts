import type { Fragment, Sql } from '../../db/sql.ts'
import { levelIn } from '../permissions/access-level-store.ts'
import type { Unit } from '../permissions/units.ts'
import { type Reader, visibleOwners } from './visibility.ts'

/** Public repositories of owners that the reader can see. */
const publicTo = (sql: Sql, reader: Reader) => sql`
  not repository.is_private and repository.owner_visibility = any(${visibleOwners(reader)}::text[])`

/**
 * Repositories that the reader may see: public ones of visible owners, and those shared with the reader for this unit, or
 * for any.
 */
export function readableBy(sql: Sql, reader: Reader, part: Unit | 'repository' = 'repository'): Fragment {
  const { me, publicOnly } = reader
  if (me?.is_admin && !publicOnly) return sql`true`
  if (!me || publicOnly) return publicTo(sql, reader)
  return sql`(${publicTo(sql, reader)} or repository.id in (${sharedWith(sql, me.id, part)}))`
}

/** Ids of the repositories that an account owns, collaborates on, or can access in this unit, or in any, through its teams. */
export function sharedWith(sql: Sql, account: number, part: Unit | 'repository' = 'repository'): Fragment {
  return sql`
    select id
    from forge.repository
    where owner_id = ${account}
    union all
    select repository_id
    from forge.repository_collaborator
    where account_id = ${account}
    union all
    select theirs.id
    from (
      select distinct organization_id
      from forge.team_member
      where account_id = ${account}
    ) as membership
    cross join lateral (
      select id
      from forge.repository
      where owner_id = membership.organization_id and ${levelIn(sql, sql`${account}::bigint`, part)} > 0
      offset 0
    ) as theirs`
}
