import type { Tx } from '../../db/sql.ts'
import { found } from '../../http/route/problem.ts'
import { accountById } from '../accounts/account-store.ts'
import { record } from '../audit/audit-trail.ts'
import type { PackageContext } from './access.ts'
import { emitPackageEvent } from './events.ts'
import { ensureLatest } from './npm/npm-store.ts'
import {
  deleteFile,
  deleteVersion,
  filesOf,
  lockPackage,
  type PackageKey,
  type PackageRow,
  versionByName,
  versionsOf,
} from './package-store.ts'
import { packageTarget } from './publication.ts'

// Removals leave blobs on the disk until `cleanUpPackages` finds them unused.

/** Removes a version with its files; removes the package with its last version. @throws Problem 404 */
export async function removeVersion(
  context: PackageContext,
  key: PackageKey,
  version: string,
): Promise<void> {
  await context.begin(async (tx) => {
    await removeLockedVersion(tx, context, await lockVersion(tx, key, version))
  })
}

/** Removes a package with all its versions, as if one were removed after the other. @throws Problem 404 */
export async function removePackage(context: PackageContext, key: PackageKey): Promise<void> {
  await context.begin(async (tx) => {
    const { id } = found(await lockPackage(tx, key))
    for (const row of await versionsOf(tx, id)) await removeLockedVersion(tx, context, row)
  })
}

/** Removes a file; removes the version with its last file. @throws Problem 404 */
export async function removeFile(
  context: PackageContext,
  packageKey: PackageKey,
  { version, file: name }: { version: string; file: string },
): Promise<void> {
  await context.begin(async (tx) => {
    const row = await lockVersion(tx, packageKey, version)
    const key = name.toLowerCase()
    const file = found((await filesOf(tx, row.id)).find((each) => each.name.toLowerCase() === key))
    if ((await deleteFile(tx, row.id, file.id)) === 0) return removeLockedVersion(tx, context, row)
    const target = packageTarget(row, context.caller.subject.name)
    await record(tx, context, { action: 'package_file.deleted', target, details: { file: file.name } })
  })
}

/** Locks a package and returns its version. @throws Problem 404 */
async function lockVersion(tx: Tx, key: PackageKey, version: string): Promise<PackageRow> {
  found(await lockPackage(tx, key))
  return found(await versionByName(tx, key, version))
}

/** Removes a version of a locked package, emits the event and audits it. */
export async function removeLockedVersion(tx: Tx, context: PackageContext, row: PackageRow): Promise<void> {
  const { me: sender, subject: owner } = context.caller
  const creator = row.creator_id === null ? undefined : await accountById(tx, row.creator_id)
  await deleteVersion(tx, row)
  if (row.type === 'npm') await ensureLatest(tx, row.package_id)
  await emitPackageEvent(tx, { action: 'deleted', row, owner, creator, sender, host: context.from.host })
  await record(tx, context, { action: 'package.deleted', target: packageTarget(row, owner.name) })
}
