import * as v from 'valibot'
import type { Sql } from '../../db/sql.ts'
import { found } from '../../http/route/problem.ts'
import { shape } from '../../http/route/validate.ts'
import { described, int } from '../../http/route/values.ts'
import { type Account, accountsByIds } from '../accounts/account-store.ts'
import { ghost } from '../accounts/ghost.ts'
import { moment, printUser, User, type Viewer } from '../accounts/user.shape.ts'
import { Attachment, printAttachment } from '../attachments/attachment.shape.ts'
import { attachmentsOfReleases, type StoredAttachment } from '../attachments/attachment-store.ts'
import { escapeSegments } from '../protocol/escape-segments.ts'
import { EPOCH, printTime } from '../protocol/time.ts'
import type { StoredRelease } from '../repos/release-store.ts'

/** Release of the original. */
export const Release = shape('Release', {
  id: int,
  tag_name: v.string(),
  target_commitish: described(v.string(), 'Where the server makes its tag if it is missing'),
  name: v.string(),
  body: described(v.string(), 'Markdown'),
  url: v.string(),
  html_url: v.string(),
  tarball_url: v.string(),
  zipball_url: v.string(),
  upload_url: described(v.string(), 'Address to which clients send files'),
  draft: described(v.boolean(), 'Whether only callers who may change it see it; its tag may be missing'),
  prerelease: v.boolean(),
  created_at: described(
    moment,
    'When it was published, or the draft made; of a tag that was there before its release: the date of its commit',
  ),
  published_at: described(moment, 'The same as `created_at`'),
  author: User,
  assets: described(v.array(Attachment), 'Its files'),
})
export type Release = v.InferOutput<typeof Release>

/** For whom, and in which repository, a release is printed. */
export interface ReleaseView {
  /** Root of links (`from.host`). */
  host: string
  /** `owner/name` of the repository. */
  path: string
  viewer: Viewer
}

/** Releases with their authors and files, which are read with two statements. */
export async function printReleases(
  sql: Sql,
  rows: readonly StoredRelease[],
  view: ReleaseView,
): Promise<Release[]> {
  const authors = await accountsByIds(sql, [...new Set(rows.flatMap(({ author_id }) => author_id ?? []))])
  const files = await attachmentsOfReleases(
    sql,
    rows.map(({ id }) => id),
  )
  return rows.map((row) =>
    printRow(row, view, {
      author: authors.find(({ id }) => id === row.author_id) ?? ghost,
      assets: files.filter(({ release_id }) => release_id === row.id),
    }),
  )
}

/** One release, likewise. */
export const printRelease = async (sql: Sql, row: StoredRelease, view: ReleaseView): Promise<Release> =>
  found((await printReleases(sql, [row], view))[0])

/** The path below which a release has its files by name. `path`: `owner/name` of the repository. */
export const downloadsOf = (path: string, tag: string) =>
  `${path}/releases/download/${encodeURIComponent(tag)}`

function printRow(
  row: StoredRelease,
  { host, path, viewer }: ReleaseView,
  { author, assets }: { author: Account; assets: readonly StoredAttachment[] },
): Release {
  const url = `${host}api/v1/repos/${path}/releases/${row.id}`
  const tag = escapeSegments(row.tag_name)
  const time = printTime(row.created_at, EPOCH)
  return {
    id: row.id,
    tag_name: row.tag_name,
    target_commitish: row.target,
    name: row.name,
    body: row.body,
    url,
    html_url: `${host}${path}/releases/tag/${tag}`,
    tarball_url: `${host}${path}/archive/${tag}.tar.gz`,
    zipball_url: `${host}${path}/archive/${tag}.zip`,
    upload_url: `${url}/assets`,
    draft: row.is_draft,
    prerelease: row.is_prerelease,
    created_at: time,
    published_at: time,
    author: printUser(author, viewer, host),
    assets: assets.map((each) =>
      printAttachment(each, { host, downloads: `${host}${downloadsOf(path, row.tag_name)}` }),
    ),
  }
}
