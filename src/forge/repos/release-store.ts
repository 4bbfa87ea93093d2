import { type Paging, pageOf } from '../../db/page.ts'
import { anyRow, firstRow, onlyRow } from '../../db/rows.ts'
import type { Sql, Tx } from '../../db/sql.ts'
import { withoutNul } from '../protocol/search-pattern.ts'

/** A release as it is stored. */
export interface StoredRelease {
  id: number
  repository_id: number
  /** The short name; the tag of a draft may be missing in git. */
  tag_name: string
  /** Where the server makes the tag if it is missing; "": at the default branch. */
  target: string
  name: string
  body: string
  is_draft: boolean
  is_prerelease: boolean
  author_id: number | null
  created_at: string
}

const releaseColumns = (sql: Sql) => sql`
  release.id, release.repository_id, release.tag_name, release.target, release.name, release.body, release.is_draft,
  release.is_prerelease, release.author_id, release.created_at`

/** Which releases of a repository a list has. */
interface ReleaseFilter {
  repository: number
  /** Whether the reader sees drafts. */
  seesDrafts: boolean
  /** Only drafts, or only others. */
  draft?: boolean | undefined
  prerelease?: boolean | undefined
}

/** A page of releases, the newest first. */
export const pageOfReleases = (
  sql: Sql,
  { repository, seesDrafts, draft, prerelease }: ReleaseFilter,
  paging: Paging,
) =>
  pageOf<StoredRelease>(sql, paging, {
    from: sql`from forge.release
      where repository_id = ${repository} and (${seesDrafts} or not is_draft)
        ${draft === undefined ? sql`` : sql`and is_draft = ${draft}`}
        ${prerelease === undefined ? sql`` : sql`and is_prerelease = ${prerelease}`}`,
    columns: releaseColumns(sql),
    by: sql`order by created_at desc, id desc`,
  })

/** The newest release that is neither a draft nor a prerelease. */
export const latestRelease = (sql: Sql, repository: number) =>
  firstRow(sql<StoredRelease[]>`
    select ${releaseColumns(sql)}
    from forge.release
    where repository_id = ${repository} and not is_draft and not is_prerelease
    order by created_at desc, id desc
    limit 1`)

export const releaseById = (sql: Sql, repository: number, id: number) =>
  firstRow(sql<StoredRelease[]>`
    select ${releaseColumns(sql)}
    from forge.release
    where id = ${id} and repository_id = ${repository}`)

/** The release of a tag, in any case. */
export const releaseByTag = (sql: Sql, repository: number, tag: string) =>
  firstRow(sql<StoredRelease[]>`
    select ${releaseColumns(sql)}
    from forge.release
    where repository_id = ${repository} and key = lower(${withoutNul(tag)} collate "C")`)

/** Whether a tag has a release, drafts included. */
export const hasRelease = (sql: Sql, repository: number, tag: string) =>
  anyRow(sql`
    select
    from forge.release
    where repository_id = ${repository} and tag_name = ${withoutNul(tag)}
    limit 1`)

/** Locks a release against deletion until the transaction ends; false if there is none. */
export const holdRelease = (tx: Tx, id: number) =>
  anyRow(tx`
    select
    from forge.release
    where id = ${id}
    for key share`)

/** Locks a release until the transaction ends and returns it. */
export const lockRelease = (tx: Tx, repository: number, id: number) =>
  firstRow(tx<StoredRelease[]>`
    select ${releaseColumns(tx)}
    from forge.release
    where id = ${id} and repository_id = ${repository}
    for update`)

/** Violates `release_tag_unique` if the tag has a release. */
export const insertRelease = (
  tx: Tx,
  release: Omit<StoredRelease, 'id' | 'created_at'> & { created_at: Date },
) =>
  onlyRow(tx<[StoredRelease]>`
    insert into forge.release
      (repository_id, tag_name, target, name, body, is_draft, is_prerelease, author_id, created_at)
    values (${release.repository_id}, ${release.tag_name}, ${release.target}, ${release.name}, ${release.body},
      ${release.is_draft}, ${release.is_prerelease}, ${release.author_id}, ${release.created_at})
    returning ${releaseColumns(tx)}`)

/** Stores all that an edit can change. Violates `release_tag_unique` if the tag has another release. */
export const updateRelease = (
  tx: Tx,
  id: number,
  release: Pick<StoredRelease, 'tag_name' | 'target' | 'name' | 'body' | 'is_draft' | 'is_prerelease'> & {
    /** Undefined: unchanged. */
    created_at: Date | undefined
  },
) =>
  firstRow(tx<StoredRelease[]>`
    update forge.release
    set tag_name = ${release.tag_name}, target = ${release.target}, name = ${release.name}, body = ${release.body},
      is_draft = ${release.is_draft}, is_prerelease = ${release.is_prerelease},
      created_at = coalesce(${release.created_at ?? null}, created_at)
    where id = ${id}
    returning ${releaseColumns(tx)}`)

/** Deletes a release with its attachments, whose contents `cleanUpPackages` removes. */
export async function deleteRelease(tx: Tx, id: number): Promise<void> {
  await tx`
    delete from forge.release
    where id = ${id}`
}

/** Makes the releases of deleted tags drafts. */
export async function withdrawReleases(tx: Tx, repository: number, tags: readonly string[]): Promise<void> {
  if (tags.length === 0) return
  await tx`
    update forge.release
    set is_draft = true
    where repository_id = ${repository} and tag_name = any(${[...tags]}::text[]) and not is_draft`
}
