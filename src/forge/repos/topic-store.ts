import { type Page, type Paging, pageOf } from '../../db/page.ts'
import type { Sql } from '../../db/sql.ts'
import { searchPattern } from '../protocol/search-pattern.ts'

/** A topic of public repositories. Triggers write these rows (0002_forge.sql). */
export interface StoredTopic {
  id: number
  name: string
  /** The number of public repositories with the topic; at least 1. */
  repository_count: number
  created_at: string
  updated_at: string
}

/** A page of the topics whose names contain `q`, the most used first, and how many there are: one statement. */
export function pageOfTopics(sql: Sql, q: string, paging: Paging): Promise<Page<StoredTopic>> {
  const search = searchPattern(q)
  return pageOf<StoredTopic>(sql, paging, {
    from: sql`from forge.topic ${search ? sql`where name like ${search.pattern} escape ''` : sql``}`,
    columns: sql`id, name, repository_count, created_at, updated_at`,
    by: sql`order by repository_count desc, name`,
  })
}
