import type { Intake, Taken } from '../../blobs/intake.ts'
import type { Begin, Tx } from '../../db/sql.ts'
import { isDiskFull } from '../../errors.ts'
import { mapConstraints } from '../../http/database-errors.ts'
import { receive } from '../../http/pipeline/upload.ts'
import { conflict, Problem } from '../../http/route/problem.ts'
import { type Actor, record } from '../admin/audit-trail.ts'
import type { SignedInOnSubject } from '../auth/access.ts'
import type { ForgeTools } from '../route.ts'
import { announcePackage } from './events.ts'
import {
  holdPackage,
  insertFile,
  insertVersion,
  type PackageRow,
  type VersionDraft,
  versionByName,
} from './package-store.ts'

/** Who publishes, and with what. */
export type PublishContext = Exclude<Actor, string> & {
  caller: SignedInOnSubject
  begin: Begin
  tools: Pick<ForgeTools, 'blobs'>
}

/** What is published. */
interface Publication {
  type: string
  name: string
  version: Omit<VersionDraft, 'creator'>
  file: string
  content: Taken
  /** A version is published once, with its only file; else files are added to it one by one. */
  once?: boolean
  /** What else is written with a new version. */
  also?: (tx: Tx, row: PackageRow) => Promise<void>
}

/** The sentence (409) for what has been published before. */
export const SAY_PUBLISHED = 'this has been published before'

/** How long an upload may send nothing, in milliseconds. */
export const SILENCE = 60_000

/** How a body becomes a content: of at most `bytes`, each piece handed on by `each`; absent: as it comes. */
interface TakingIn {
  bytes: number
  each?: (chunk: Buffer, intake: Intake) => Promise<void>
}

/**
 * Takes the body of a request in, and hands it to `publish`; whatever fails leaves nothing of it.
 * @throws Problem 400, 408, 413, 415, 507
 */
export async function takeIn(
  tools: Pick<ForgeTools, 'blobs'>,
  exchange: Parameters<typeof receive>[0],
  { bytes, each = (chunk, { write }) => write(chunk) }: TakingIn,
  publish: (content: Taken) => Promise<void>,
): Promise<void> {
  let intake: Intake | undefined
  try {
    const opened = await tools.blobs.take()
    intake = opened
    await receive(exchange, { bytes, silence: SILENCE }, (chunk) => each(chunk, opened))
    await publish(await opened.finish())
  } catch (error) {
    throw refusedByDisk(error) ?? error
  } finally {
    await intake?.drop()
  }
}

/** RFC 4918, section 11.5, for a disk that has no place left. */
function refusedByDisk(error: unknown): Problem | undefined {
  if (!isDiskFull(error)) return undefined
  return new Problem(507, 'the server has no place left for packages', { log: String(error) })
}

/**
 * Writes the rows of a publication; the file gets its name as the last thing before they commit, so that there is never
 * a row without its file. A file without a row, which a crash may leave here, is removed by `cleanUpPackages`.
 * @throws Problem 404 owner gone, 409 published before
 */
export async function publish(context: PublishContext, publication: Publication): Promise<void> {
  const { begin, caller, tools } = context
  const { type, name, file, content } = publication
  const publishing = begin(async (tx) => {
    const id = await holdPackage(tx, { owner: caller.subject.id, type, name })
    const version = await versionFor(tx, context, publication, id)
    await insertFile(tx, version, { name: file, ...content })
    await tools.blobs.place(content)
  })
  await mapConstraints(publishing, ({ constraint }) =>
    constraint === 'package_file_unique' ? conflict(SAY_PUBLISHED) : undefined,
  )
}

/** The id of the version, which is told of when it is new. @throws Problem 409 */
async function versionFor(
  tx: Tx,
  context: PublishContext,
  { type, name, version, once, also }: Publication,
  id: number,
): Promise<number> {
  const { me, subject: owner } = context.caller
  const row = await insertVersion(tx, id, { ...version, creator: me.id })
  if (!row) {
    const old = once ? undefined : await versionByName(tx, { owner: owner.id, type, name }, version.version)
    if (!old) throw conflict(SAY_PUBLISHED)
    return old.id
  }
  await also?.(tx, row)
  await announcePackage(tx, {
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

/** A version in the audit trail. */
export const packageTarget = ({ id, type, name, version }: PackageRow, owner: string) => ({
  kind: 'package',
  id,
  name: `${owner}/${type}/${name}/${version}`,
})
