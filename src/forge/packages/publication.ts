import type { Blobs } from '../../blobs/blobs.ts'
import type { CompleteUpload } from '../../blobs/upload.ts'
import type { Tx } from '../../db/sql.ts'
import { mapConstraints } from '../../http/database-errors.ts'
import { confirmed } from '../../http/route/confirmation.ts'
import { conflict } from '../../http/route/problem.ts'
import { record } from '../audit/audit-trail.ts'
import { storeContent } from '../blobs/content.ts'
import type { PackageContext, PackageReceivingContext } from './access.ts'
import { emitPackageEvent } from './events.ts'
import {
  insertFile,
  insertVersion,
  lockOrCreatePackage,
  type PackageRow,
  type VersionDraft,
  versionByName,
} from './package-store.ts'

/** A package file to be published, with its version. */
interface Publication {
  type: string
  name: string
  version: Omit<VersionDraft, 'creator'>
  file: string
  content: CompleteUpload
  /** The version is published once, with its only file. Otherwise files can be added to it one by one. */
  singleFile?: boolean
  /** Further writes in the transaction of a new version. */
  onNewVersion?: (tx: Tx, row: PackageRow) => Promise<void>
}

/** The error message (409) for something that was published before. */
export const ALREADY_PUBLISHED = 'this has been published before'

/**
 * Stores the content of a publication and writes its rows.
 * @throws Problem 404 owner deleted, 409 published before
 */
export async function publish(context: PackageReceivingContext, publication: Publication): Promise<void> {
  const blobs = context.tools.blobs.forRequest(context.from.id)
  await confirmed(context, (caller) =>
    storeContent(blobs, publication.content, () => write({ ...context, caller }, publication, blobs)),
  )
}

/** Writes the rows. The blob is placed just before the commit, so that there is never a row without its content. */
async function write(context: PackageContext, publication: Publication, blobs: Blobs): Promise<void> {
  const { begin, caller } = context
  const { type, name, file, content } = publication
  const publishing = begin(async (tx) => {
    const id = await lockOrCreatePackage(tx, { owner: caller.subject.id, type, name })
    const version = await findOrCreateVersion(tx, context, publication, id)
    await insertFile(tx, version, { name: file, ...content })
    await blobs.place(content)
  })
  await mapConstraints(publishing, { package_file_unique: [409, ALREADY_PUBLISHED] })
}

/** The id of the version; a new version emits its event, and the audit trail has it or else the new file. @throws Problem 409 */
async function findOrCreateVersion(
  tx: Tx,
  context: PackageContext,
  { type, name, version, file, singleFile, onNewVersion }: Publication,
  id: number,
): Promise<number> {
  const { me, subject: owner } = context.caller
  const row = await insertVersion(tx, id, { ...version, creator: me.id })
  if (!row) {
    const old = singleFile
      ? undefined
      : await versionByName(tx, { owner: owner.id, type, name }, version.version)
    if (!old) throw conflict(ALREADY_PUBLISHED)
    const target = packageTarget(old, owner.name)
    await record(tx, context, { action: 'package_file.published', target, details: { file } })
    return old.id
  }
  await onNewVersion?.(tx, row)
  await emitPackageEvent(tx, {
    action: 'created',
    row,
    owner,
    creator: me,
    sender: me,
    host: context.from.host,
  })
  await record(tx, context, { action: 'package.published', target: packageTarget(row, owner.name) })
  return row.id
}

/** A version as a target in the audit trail. */
export const packageTarget = ({ id, type, name, version }: PackageRow, owner: string) => ({
  kind: 'package',
  id,
  name: `${owner}/${type}/${name}/${version}`,
})
