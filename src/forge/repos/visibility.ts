import type { Fragment, Sql } from '../../db/sql.ts'
import type { Account } from '../accounts/account.ts'
import { levelIn } from './access-level.ts'
import type { Unit } from './units.ts'

/** Which repositories a reader of lists may see. */

/** Who reads a list. */
export interface Reader {
  me: Pick<Account, 'id' | 'is_admin' | 'is_restricted'> | undefined
  /** A token that shows public things only. */
  publicOnly: boolean
}

/** Who else than an administrator sees all public repositories sees those of these owners. */
const opennessTo = ({ me, publicOnly }: Reader) =>
  me && !me.is_restricted && !publicOnly ? ['public', 'limited'] : ['public']

/** Public, of an owner whom the reader sees. */
export const open = (sql: Sql, reader: Reader) => sql`
  not repository.is_private and repository.owner_visibility = any(${opennessTo(reader)}::text[])`

/** What the reader may see: public repositories of owners that it sees, and those shared with it for this part. */
export function seen(sql: Sql, reader: Reader, part: Unit = 'repo.code'): Fragment {
  const { me, publicOnly } = reader
  if (me?.is_admin && !publicOnly) return sql`true`
  if (!me || publicOnly) return open(sql, reader)
  return sql`(${open(sql, reader)} or repository.id in (${sharedWith(sql, me.id, part)}))`
}

/** Ids of what an account owns, is a collaborator of, or has this part of through its teams. */
export function sharedWith(sql: Sql, account: number, part: Unit = 'repo.code'): Fragment {
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
