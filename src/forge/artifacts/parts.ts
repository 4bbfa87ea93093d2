import type { IncomingMessage, ServerResponse } from 'node:http'
import type { CompleteUpload } from '../../blobs/upload.ts'
import type { Tx } from '../../db/sql.ts'
import { receive } from '../../http/pipeline/upload.ts'
import { badRequest, conflict, Problem } from '../../http/route/problem.ts'
import { headerOf } from '../../http/server/header.ts'
import { holdBlob } from '../blobs/blob-store.ts'
import { IDLE_TIMEOUT, receiveContent, storeContent } from '../blobs/content.ts'
import type { ForgeContext } from '../route.ts'
import { bytesInRepository, countInRun, putPart, type RunningTask } from './artifact-store.ts'

/** Parts of one artifact; the public clients send blocks of 8 MiB and more. */
const maxParts = 10_000

/** Artifacts of one run. */
const maxArtifacts = 1000

type Context = ForgeContext<RunningTask>
type Part = Omit<Parameters<typeof putPart>[2], 'sha256' | 'size'>

/** @throws Problem 400 the name is invalid, 409 the run has too many artifacts */
export async function requireRoomForArtifact(context: Context, name: string): Promise<void> {
  requireArtifactName(name)
  if ((await countInRun(context.sql, context.caller)) >= maxArtifacts)
    throw conflict(`a run has at most ${maxArtifacts} artifacts`)
}

/** When an artifact expires: as its job asks, but not later than the setting says. */
export function expiryOf({ tools, now }: Pick<Context, 'tools' | 'now'>, asked?: Date): Date {
  const latest = now.getTime() + tools.artifacts.kept
  return new Date(asked ? Math.max(now.getTime(), Math.min(asked.getTime(), latest)) : latest)
}

/** An artifact is downloaded under its name, on every system. @throws Problem 400 */
function requireArtifactName(name: string): void {
  if (!isFileName(name) || windowsNames.test(name)) throw badRequest('the name of the artifact is invalid')
}

/** Names of devices of Windows, which also drops dots and spaces at the end of a name. */
const windowsNames = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)|[. ]$/i

/** Whether a text may be the name of a file on every system that unpacks it. */
export const isFileName = (name: string) =>
  [...name].length <= 255 &&
  !/^$|[\u0000-\u001f\u007f"<>|*?:\\/\ufffe]|^\.{1,2}$/.test(name) &&
  name.isWellFormed()

/**
 * Receives a part of an artifact and adds it. `lock` locks the artifact and returns its id.
 * @throws Problem 400 other bytes arrived than were sent, 408, 413 the repository keeps too much, 503, 507, and what `lock`
 * throws
 */
export async function receivePart(
  context: Context,
  exchange: { req: IncomingMessage; res: ServerResponse },
  part: Part,
  lock: (tx: Tx) => Promise<number>,
): Promise<void> {
  const { tools, sql, caller } = context
  const free = tools.artifacts.limit - (await bytesInRepository(sql, caller))
  const isPacked = part.isGzipped ?? false
  if (Number(headerOf(exchange.req, 'content-length') ?? 0) > free) throw tooMuch(tools.artifacts.limit)
  // The older public clients send the checksum of each piece, in base64.
  const md5 = headerOf(exchange.req, 'x-actions-results-md5') ?? headerOf(exchange.req, 'content-md5')
  const others = md5 === undefined ? [] : (['md5'] as const)
  await receiveContent(
    tools,
    exchange,
    { bytes: tools.artifacts.limit, isPacked, others },
    async (content) => {
      if (md5 !== undefined && Buffer.from(md5, 'base64').toString('hex') !== content.digests.md5)
        throw badRequest('the bytes that arrived have another checksum')
      await storePart(context, part, { content, lock })
    },
  )
}

function storePart(
  { begin, tools, from, caller }: Context,
  part: Part,
  { content, lock }: { content: CompleteUpload; lock: (tx: Tx) => Promise<number> },
): Promise<void> {
  const blobs = tools.blobs.forRequest(from.id)
  return storeContent(blobs, content, () =>
    begin(async (tx) => {
      const artifact = await lock(tx)
      await holdBlob(tx, content)
      const parts = await putPart(tx, artifact, {
        ...part,
        sha256: content.digests.sha256,
        size: content.size,
      })
      if (parts > maxParts) throw new Problem(413, `an artifact has at most ${maxParts} parts`)
      if ((await bytesInRepository(tx, caller)) > tools.artifacts.limit) throw tooMuch(tools.artifacts.limit)
      await blobs.place(content)
    }),
  )
}

const tooMuch = (limit: number) =>
  new Problem(413, `the artifacts of a repository may have ${limit} bytes in all (ACTIONS_ARTIFACTS_LIMIT)`)

/** Receives a short body into memory. @throws Problem 400, 408, 413, 415 */
export async function receiveSmall(exchange: Parameters<typeof receive>[0], bytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  await receive(exchange, { bytes, silence: IDLE_TIMEOUT }, async (chunk) => void chunks.push(chunk))
  return Buffer.concat(chunks)
}
