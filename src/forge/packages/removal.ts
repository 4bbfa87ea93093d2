import type { Begin, Tx } from '../../db/sql.ts'
import { found } from '../../http/route/problem.ts'
import { accountById } from '../accounts/account.ts'
import { type Actor, record } from '../admin/audit-trail.ts'
import type { SignedInOnSubject } from '../auth/access.ts'
import { announcePackage } from './events.ts'
import { keepLatest } from './npm/store.ts'
import {
  deleteFile,
  deleteVersion,
  filesOf,
  lockPackage,
  type PackagePlace,
  type PackageRow,
  versionByName,
} from './package-store.ts'
import { packageTarget } from './publication.ts'

/** Who removes. The contents stay on the disk until `cleanUpPackages` finds that nobody uses them. */
export type RemovalContext = Exclude<Actor, string> & { caller: SignedInOnSubject; begin: Begin }

/** Removes a version with its files; the package with its last version. @throws Problem 404 */
export async function removeVersion(
  context: RemovalContext,
  place: PackagePlace,
  version: string,
): Promise<void> {
  await context.begin(async (tx) => {
    await removeHeld(tx, context, await held(tx, place, version))
  })
}

/** Removes a file; the version with its last file. @throws Problem 404 */
export async function removeFile(
  context: RemovalContext,
  place: PackagePlace,
  { version, file: name }: { version: string; file: string },
): Promise<void> {
  await context.begin(async (tx) => {
    const row = await held(tx, place, version)
    const wanted = name.toLowerCase()
    const file = found((await filesOf(tx, row.id)).find((each) => each.name.toLowerCase() === wanted))
    if ((await deleteFile(tx, row.id, file.id)) === 0) return removeHeld(tx, context, row)
    const target = packageTarget(row, context.caller.subject.name)
    await record(tx, context, { action: 'package_file.deleted', target, details: { file: file.name } })
  })
}

/** A version of a package that is now locked. @throws Problem 404 */
async function held(tx: Tx, place: PackagePlace, version: string): Promise<PackageRow> {
  found(await lockPackage(tx, place))
  return found(await versionByName(tx, place, version))
}

/** Removes a version of a package that is locked, and tells of it. */
export async function removeHeld(tx: Tx, context: RemovalContext, row: PackageRow): Promise<void> {
  const { me: sender, subject: owner } = context.caller
  const creator = row.creator_id === null ? undefined : await accountById(tx, row.creator_id)
  await deleteVersion(tx, row)
  if (row.type === 'npm') await keepLatest(tx, row.package_id)
  await announcePackage(tx, { action: 'deleted', row, owner, creator, sender, host: context.from.host })
  await record(tx, context, { action: 'package.deleted', target: packageTarget(row, owner.name) })
}
