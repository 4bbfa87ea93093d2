import type { Sql } from '../../db/sql.ts'
import { offsetOf, type Page, type Paging } from '../../http/route/page.ts'
import { searchPattern } from '../protocol/search-pattern.ts'

/** A topic of public repositories. Triggers write these rows (0026_topics_and_reactions.sql). */
export interface StoredTopic {
  id: number
  name: string
  /** The number of public repositories with the topic; at least 1. */
  repository_count: number
  created_at: string
  updated_at: string
}

/** A page of the topics whose names contain `q`, the most used first, and how many there are: one statement. */
export async function pageOfTopics(sql: Sql, q: string, paging: Paging): Promise<Page<StoredTopic>> {
  const needle = searchPattern(q)
  const wanted = needle ? sql`where name like ${needle.pattern} escape ''` : sql``
  const rows = await sql<({ total: number } & (StoredTopic | { id: null }))[]>`
    select (select count(*)::bigint from forge.topic ${wanted}) as total, topic.*
    from (select) as always
    left join (
      select id, name, repository_count, created_at, updated_at
      from forge.topic
      ${wanted}
      order by repository_count desc, name
      limit ${paging.limit}
      offset ${offsetOf(paging)}
    ) as topic on true
    order by topic.repository_count desc, topic.name`
  const found = rows.flatMap(({ total, ...row }) => (row.id === null ? [] : [row]))
  return { rows: found, total: rows[0]?.total ?? 0, ...paging }
}
