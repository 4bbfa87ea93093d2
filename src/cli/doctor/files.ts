import { join } from 'node:path'
import type { Blobs } from '../../blobs/blobs.ts'
import type { Sql } from '../../db/sql.ts'
import { unknownBlobs, usedBlobs } from '../../forge/blobs/blob-store.ts'
import { placesOfRepositories } from '../../forge/repos/repo-query-store.ts'
import { kindOf } from '../../git/repository/files.ts'
import { scanRepositories } from '../../git/repository/unadopted.ts'
import { type Finding, failed, ok, someOf, warning } from './finding.ts'

/** Blobs that are looked up with one statement. */
const batchSize = 500

/** Checks rows of repositories against their directories, in both directions. */
export async function checkRepositories(sql: Sql, dataDir: string): Promise<Finding[]> {
  const root = join(dataDir, 'repositories')
  const scanned = await scanRepositories(root)
  const onDisk = new Set(scanned.map(({ owner, name }) => `${owner}/${name}`))
  // Rows are read after the disk: a repository that is created meanwhile has both.
  const rows = await placesOfRepositories(sql)
  const names = rows.map((row) => `${row.folder_owner}/${row.folder_name}`)
  const missing: string[] = []
  for (const [at, row] of rows.entries()) {
    const name = names[at] ?? ''
    if (row.state !== 'ready' || onDisk.has(name)) continue
    if ((await kindOf(join(root, `${name}.git`))) !== 'directory') missing.push(name)
  }
  const known = new Set(names)
  const unadopted = [...onDisk].filter((name) => !known.has(name))
  const findings: Finding[] = []
  if (missing.length > 0)
    findings.push(
      failed(
        'repositories',
        `${missing.length} of ${rows.length} have no directory: ${someOf(missing)}`,
        'check that DATA_DIR is the right folder; then restore them, or run the task reinit_missing_repos or delete_missing_repos',
      ),
    )
  if (unadopted.length > 0)
    findings.push(
      warning(
        'repositories',
        `${unadopted.length} directories belong to no repository: ${someOf(unadopted)}`,
        'adopt or delete them (/api/v1/admin/unadopted)',
      ),
    )
  return findings.length > 0 ? findings : [ok('repositories', `${rows.length}, all on the disk`)]
}

/** Checks rows of packages against their contents, in both directions. */
export async function checkPackages(sql: Sql, blobs: Blobs): Promise<Finding[]> {
  const stored: string[] = []
  for await (const name of blobs.names()) stored.push(name)
  const used = await usedBlobs(sql)
  const present = new Set(stored)
  const missing: string[] = []
  for (const name of used) {
    if (present.has(name)) continue
    if (!(await blobs.has(name))) missing.push(name)
  }
  const unknown: string[] = []
  for (let at = 0; at < stored.length; at += batchSize)
    unknown.push(...(await unknownBlobs(sql, stored.slice(at, at + batchSize))))
  const findings: Finding[] = []
  if (missing.length > 0)
    findings.push(
      failed(
        'packages',
        `${missing.length} of ${used.length} contents are missing ${blobs.location}: ${someOf(missing, 2)}`,
        'check that these are the settings of the server; then restore them from a backup: packages/<name> in the archive',
      ),
    )
  if (unknown.length > 0)
    findings.push(
      warning(
        'packages',
        `${unknown.length} contents belong to no package`,
        'nothing: the task cleanup_packages removes them',
      ),
    )
  return findings.length > 0 ? findings : [ok('packages', `${used.length} contents, all ${blobs.location}`)]
}
