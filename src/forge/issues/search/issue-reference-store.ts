import { allRows } from '../../../db/rows.ts'
import type { Sql } from '../../../db/sql.ts'
import { matches, searchPattern } from '../../protocol/search-pattern.ts'
import { numberOf } from '../issue-conditions-store.ts'

/** An issue or pull request that a text can name. */
interface IssueReference {
  number: number
  title: string
}

/** How many issues are read, the newest first: a statement costs the same however many there are. */
const maxRead = 1000

/**
 * What somebody may mean who has written the beginning of a number or a part of a title: the one with this number, then
 * the newest first. `isPull`: only pull requests, or only others.
 */
export function issuesMeantBy(
  sql: Sql,
  { repository, isPull, q }: { repository: number; isPull: boolean | undefined; q: string },
  limit: number,
): Promise<IssueReference[]> {
  const search = searchPattern(q)
  const number = numberOf(q)
  const among = sql`repository_id = ${repository} ${isPull === undefined ? sql`` : sql`and is_pull = ${isPull}`}`
  const isMeant = search
    ? sql`(${number === undefined ? sql`false` : sql`number::text like ${`${number}%`}`} or ${matches(sql, search, sql`title`)})`
    : sql`true`
  return allRows(sql<IssueReference[]>`
    select number, title
    from (
      select number, title
      from (
        select number, title
        from forge.issue
        where ${among}
        order by number desc
        limit ${maxRead}
      ) as newest
      where ${isMeant}
      union
      select number, title
      from forge.issue
      where ${among} and number = ${number ?? 0}
    ) as meant
    order by number = ${number ?? 0} desc, number desc
    limit ${limit}`)
}
