import { type Blobs, ContentLost } from '../../blobs/blobs.ts'
import type { CompleteUpload, OtherDigest, Upload } from '../../blobs/upload.ts'
import { receive } from '../../http/pipeline/upload.ts'
import { contentProblem } from './content-problem.ts'

/** How files of packages and of releases, and pictures, get into the store of contents. */

/** How long an upload may stall, in milliseconds. */
export const IDLE_TIMEOUT = 60_000

/**
 * How a request body becomes a blob: at most `bytes` long; `onChunk` writes each chunk, by default unchanged, and
 * `onEnd` what is left after the last one. `isPacked`: a compressed body is stored as it arrives. `others`: the checksums
 * that are needed besides the SHA-256.
 */
interface ReceiveOptions {
  bytes: number
  others?: readonly OtherDigest[]
  isPacked?: boolean
  onChunk?: (chunk: Buffer, upload: Upload) => Promise<void>
  onEnd?: (upload: Upload) => Promise<void>
}

/**
 * Receives the body of a request as a blob and passes it to `publish`; if anything fails, the blob is dropped.
 * @throws Problem 400, 408, 413, 415, 503, 507
 */
export async function receiveContent(
  tools: { blobs: Blobs },
  exchange: Parameters<typeof receive>[0],
  {
    bytes,
    others = [],
    isPacked = false,
    onChunk = (chunk, { write }) => write(chunk),
    onEnd,
  }: ReceiveOptions,
  publish: (content: CompleteUpload) => Promise<void>,
): Promise<void> {
  await withUpload(tools.blobs, others, async (upload) => {
    await receive(exchange, { bytes, silence: IDLE_TIMEOUT, isPacked }, (chunk) => onChunk(chunk, upload))
    await onEnd?.(upload)
    await publish(await upload.finish())
  })
}

/**
 * Stores bytes; `write` is as in `storeContent`.
 * @throws Problem 503, 507, and what `write` throws
 */
export async function storeBytes(
  blobs: Blobs,
  bytes: Buffer,
  write: (content: CompleteUpload) => Promise<void>,
): Promise<void> {
  await withUpload(blobs, [], async (upload) => {
    await upload.write(bytes)
    const content = await upload.finish()
    await storeContent(blobs, content, () => write(content))
  })
}

/** @throws Problem 503, 507, and what `work` throws */
async function withUpload(
  blobs: Blobs,
  others: readonly OtherDigest[],
  work: (upload: Upload) => Promise<void>,
): Promise<void> {
  let upload: Upload | undefined
  try {
    upload = await blobs.startUpload(others)
    await work(upload)
  } catch (error) {
    throw contentProblem(error) ?? error
  } finally {
    await upload?.discard()
  }
}

/** How often a content is stored again that a clean-up removed before its row was written. */
const maxAttempts = 3

/**
 * Stores a content whose rows `write` writes, in a transaction that places it just before the commit, so that there is
 * never a row without its content. A crash may leave a content without a row, which `cleanUpPackages` removes.
 * @throws ContentLost, and what `write` throws
 */
export const storeContent = <Result>(
  blobs: Blobs,
  content: CompleteUpload,
  write: () => Promise<Result>,
): Promise<Result> => storeContents(blobs, [content], write)

/** The same of several contents, whose rows are written in one transaction. */
export async function storeContents<Result>(
  blobs: Blobs,
  contents: readonly CompleteUpload[],
  write: () => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    for (const content of contents) await blobs.prepare(content)
    try {
      return await write()
    } catch (error) {
      if (!(error instanceof ContentLost) || attempt === maxAttempts) throw error
    }
  }
}
