import * as v from 'valibot'
import { OperatorError } from '../common/errors.ts'

/**
 * The archive is a tar file (POSIX.1-2001 pax) in gzip, with these members, all of them plain files, in this order:
 *
 * - `manifest.json`: format, version and time
 * - `packages/<SHA-256>`: the contents that exist before the snapshot of the database
 * - `database/schema.json`: migrations, tables and columns; `database/<schema>.<table>/<number>`: the rows of a table in
 *   PostgreSQL's text format of COPY, in several parts; `database/sequences.json`
 * - `packages/<SHA-256>`: contents that were added until the snapshot
 * - `repositories/<id>-<attempt>/…`: the files of bare repositories
 * - `contents.json`: which attempt of each repository is the complete one
 * - `SHA256SUMS`: the checksum of every other member, as sha256sum(1) reads it
 */

/** The layout above. */
export const formatVersion = 1

/** The archive, the target of the restore, or a concurrent change does not allow it; the message says what to do. */
export class BackupError extends OperatorError {}

const Id = v.pipe(v.number(), v.integer())
const Hash = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/))
const Name = v.pipe(v.string(), v.regex(/^[a-z_][a-z0-9_]*$/))
const MigrationName = v.pipe(v.string(), v.regex(/^[\w.-]{1,100}$/))
/** Schema and table. */
const TableName = v.pipe(v.string(), v.regex(/^[a-z_][a-z0-9_]*\.[a-z_][a-z0-9_]*$/))

export const Manifest = v.object({
  format: v.number(),
  /** Version of the program that wrote it. */
  version: v.pipe(v.string(), v.regex(/^[\w.+-]{1,100}$/)),
  createdAt: v.pipe(v.string(), v.isoTimestamp()),
  database: v.picklist(['embedded', 'postgresql']),
  /** Name of the newest migration. */
  schema: v.union([v.literal(''), MigrationName]),
  /**
   * Ids of the keys with which secrets in it are encrypted (`forgehall.secret_key`). They reveal nothing about the
   * keys.
   */
  keys: v.array(v.pipe(v.string(), v.regex(/^[0-9a-f]{16}$/))),
})
export type Manifest = v.InferOutput<typeof Manifest>

export const Schema = v.object({
  migrations: v.array(MigrationName),
  tables: v.array(v.object({ name: TableName, columns: v.array(Name) })),
})
export type Schema = v.InferOutput<typeof Schema>

export const Sequences = v.array(
  v.object({ name: TableName, value: v.pipe(v.string(), v.regex(/^\d{1,19}$/)), isCalled: v.boolean() }),
)
export type Sequences = v.InferOutput<typeof Sequences>

export const Contents = v.object({
  repositories: v.array(v.object({ id: Id, attempt: Id })),
  /** Repositories and contents of packages that were deleted while the backup was made, after the snapshot. */
  deleted: v.object({ repositories: v.array(Id), packages: v.array(Hash) }),
})
export type Contents = v.InferOutput<typeof Contents>

export const memberNames = {
  manifest: 'manifest.json',
  schema: 'database/schema.json',
  sequences: 'database/sequences.json',
  contents: 'contents.json',
  sums: 'SHA256SUMS',
} as const

/** A member, as its name describes it. */
export type Member =
  | { kind: keyof typeof memberNames }
  | { kind: 'rows'; table: string }
  | { kind: 'package'; sha256: string }
  | { kind: 'repository'; directory: string; path: string }

/** Reads the name of a member; undefined for one that no backup writes, such as one that leads out of its folder. */
export function memberOf(name: string): Member | undefined {
  for (const kind of ['manifest', 'schema', 'sequences', 'contents', 'sums'] as const)
    if (memberNames[kind] === name) return { kind }
  const [, table] = /^database\/([a-z_][a-z0-9_]*\.[a-z_][a-z0-9_]*)\/\d{6,9}$/.exec(name) ?? []
  if (table !== undefined) return { kind: 'rows', table }
  const [, sha256] = /^packages\/([0-9a-f]{64})$/.exec(name) ?? []
  if (sha256 !== undefined) return { kind: 'package', sha256 }
  const [, directory, path] = /^repositories\/(\d{1,15}-\d)\/(.+)$/s.exec(name) ?? []
  if (directory !== undefined && path !== undefined && isRepositoryFile(path))
    return { kind: 'repository', directory, path }
  return undefined
}

/** Top-level names of a bare repository that a backup holds (gitrepository-layout(5)): neither hooks nor logs. */
const included = /^(?:HEAD|config|description|packed-refs|shallow|(?:refs|objects|info)\/.+)$/s

/** Files with which git reads the objects of other directories, which this backup lacks. */
const leading = /^objects\/info\/(?:http-)?alternates$/

/** Files that git has not finished, and indexes over several packs, which git makes again and which become outdated. */
const temporary = /^(?:tmp_.*|incoming-.*|multi-pack-index.*|commit-graphs?)$/s

/** Whether this file of a repository belongs into a backup: a relative path that stays inside, of a lasting file. */
export function isRepositoryFile(path: string): boolean {
  if (path.length >= 4000 || !included.test(path) || leading.test(path) || path.endsWith('.lock'))
    return false
  const segments = path.split('/')
  // A branch may have any of these names.
  return (
    segments.every(isSegment) && !(segments[0] === 'objects' && segments.some((each) => temporary.test(each)))
  )
}

function isSegment(segment: string): boolean {
  return !/^\.{0,2}$/.test(segment) && !/[\0\\]/.test(segment)
}

export const rowsName = (table: string, part: number) => `database/${table}/${String(part).padStart(6, '0')}`
export const packageName = (sha256: string) => `packages/${sha256}`
export const repositoryName = (id: number, attempt: number) => `repositories/${id}-${attempt}`
