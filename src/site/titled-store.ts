import { limitOf } from '../db/limit.ts'
import type { Fragment, Sql } from '../db/sql.ts'

/** A post or a media item with its title. */
export interface Titled {
  id: number
  title: string
  created_at: string
}

/** The rows on one side of a place in a list, which a moment and an id define: the list is ordered by both. */
export interface Beside {
  side: 'older' | 'newer'
  at: Date
  id: number
}

/** Rows of a list, newest first: from its beginning, or those that are nearest to a place; at most `count`. */
export interface ListPart {
  beside?: Beside | undefined
  count: number
}

/**
 * The end of a statement that reads a part of a list, from `where` on. The index leads to the part at once, however many
 * rows come before it. Of `newer` rows the nearest come first: the statement around this one has to order them.
 */
export function partOf(sql: Sql, time: 'created_at' | 'removed_at', { beside, count }: ListPart): Fragment {
  const by = time === 'created_at' ? sql`created_at` : sql`removed_at`
  const limit = limitOf(sql, count)
  if (!beside) return sql`order by ${by} desc, id desc ${limit}`
  const { side, at, id } = beside
  return side === 'older'
    ? sql`where (${by}, id) < (${at}::timestamptz, ${id}::bigint) order by ${by} desc, id desc ${limit}`
    : sql`where (${by}, id) > (${at}::timestamptz, ${id}::bigint) order by ${by}, id ${limit}`
}
