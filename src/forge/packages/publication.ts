import { type Blobs, ContentLost } from '../../blobs/blobs.ts'
import type { Intake, Taken } from '../../blobs/intake.ts'
import type { Tx } from '../../db/sql.ts'
import { mapConstraints } from '../../http/database-errors.ts'
import { receive } from '../../http/pipeline/upload.ts'
import { conflict } from '../../http/route/problem.ts'
import { record } from '../admin/audit-trail.ts'
import type { SignedInOnSubject } from '../auth/access.ts'
import type { ForgeContext, ForgeTools } from '../route.ts'
import { contentProblem } from './content-problem.ts'
import { emitPackageEvent } from './events.ts'
import {
  insertFile,
  insertVersion,
  lockOrCreatePackage,
  type PackageRow,
  type VersionDraft,
  versionByName,
} from './package-store.ts'

export type PublishContext = ForgeContext<SignedInOnSubject>

/** A package file to be published, with its version. */
interface Publication {
  type: string
  name: string
  version: Omit<VersionDraft, 'creator'>
  file: string
  content: Taken
  /** The version is published once, with its only file. Otherwise files can be added to it one by one. */
  singleFile?: boolean
  /** Further writes in the transaction of a new version. */
  onNewVersion?: (tx: Tx, row: PackageRow) => Promise<void>
}

/** The error message (409) for something that was published before. */
export const SAY_PUBLISHED = 'this has been published before'

/** How long an upload may stall, in milliseconds. */
export const IDLE_TIMEOUT = 60_000

/** How a request body becomes a blob: at most `bytes` long; `onChunk` writes each chunk, by default unchanged. */
interface ReceiveOptions {
  bytes: number
  onChunk?: (chunk: Buffer, intake: Intake) => Promise<void>
}

/**
 * Receives the body of a request as a blob and passes it to `publish`; if anything fails, the blob is dropped.
 * @throws Problem 400, 408, 413, 415, 503, 507
 */
export async function receiveContent(
  tools: Pick<ForgeTools, 'blobs'>,
  exchange: Parameters<typeof receive>[0],
  { bytes, onChunk = (chunk, { write }) => write(chunk) }: ReceiveOptions,
  publish: (content: Taken) => Promise<void>,
): Promise<void> {
  let intake: Intake | undefined
  try {
    const started = await tools.blobs.take()
    intake = started
    await receive(exchange, { bytes, silence: IDLE_TIMEOUT }, (chunk) => onChunk(chunk, started))
    await publish(await started.finish())
  } catch (error) {
    throw contentProblem(error) ?? error
  } finally {
    await intake?.drop()
  }
}

/** How often a content is stored again that a clean-up removed before its row was written. */
const maxAttempts = 3

/**
 * Stores the content of a publication and writes its rows. A crash may leave a content without a row, which
 * `cleanUpPackages` removes.
 * @throws Problem 404 owner deleted, 409 published before
 */
export async function publish(context: PublishContext, publication: Publication): Promise<void> {
  const blobs = context.tools.blobs.forRequest(context.from.id)
  for (let attempt = 1; ; attempt++) {
    await blobs.prepare(publication.content)
    try {
      await write(context, publication, blobs)
      return
    } catch (error) {
      if (!(error instanceof ContentLost) || attempt === maxAttempts) throw error
    }
  }
}

/** Writes the rows. The blob is placed just before the commit, so that there is never a row without its content. */
async function write(context: PublishContext, publication: Publication, blobs: Blobs): Promise<void> {
  const { begin, caller } = context
  const { type, name, file, content } = publication
  const publishing = begin(async (tx) => {
    const id = await lockOrCreatePackage(tx, { owner: caller.subject.id, type, name })
    const version = await findOrCreateVersion(tx, context, publication, id)
    await insertFile(tx, version, { name: file, ...content })
    await blobs.place(content)
  })
  await mapConstraints(publishing, { package_file_unique: [409, SAY_PUBLISHED] })
}

/** The id of the version; a new version emits its event and is audited. @throws Problem 409 */
async function findOrCreateVersion(
  tx: Tx,
  context: PublishContext,
  { type, name, version, singleFile, onNewVersion }: Publication,
  id: number,
): Promise<number> {
  const { me, subject: owner } = context.caller
  const row = await insertVersion(tx, id, { ...version, creator: me.id })
  if (!row) {
    const old = singleFile
      ? undefined
      : await versionByName(tx, { owner: owner.id, type, name }, version.version)
    if (!old) throw conflict(SAY_PUBLISHED)
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
