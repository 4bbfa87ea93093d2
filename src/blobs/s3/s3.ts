import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Log } from '../../log.ts'
import { type Blobs, type Content, ContentLost, isName, pathOfName, type Span } from '../blobs.ts'
import { createSpool } from '../spool.ts'
import { StoreError } from '../store-error.ts'
import { verified } from '../verified.ts'
import { defaultPatience, type Patience, S3Client } from './client.ts'
import { resumed } from './download.ts'
import type { S3Settings } from './settings.ts'

/** The part of all keys before the name of a content. With `folder.ts` it makes the layout of `DATA_DIR`. */
const folder = 'packages/'

/** Uploads that a crash has left in the spool are removed after this time, in milliseconds. */
const maxUploadTime = 24 * 3_600_000

const keyOf = (sha256: string) => folder + pathOfName(sha256)

/**
 * Contents as objects of an S3-compatible store. An upload is first a file below `spoolFolder`: its checksum is known
 * only at its end, a failed request can be repeated, and a client that is slow or leaves costs the store nothing. Then
 * it is sent with one PUT, which stores it as a whole or not at all.
 */
export function createS3(
  settings: S3Settings,
  spoolFolder: string,
  { patience = defaultPatience, log }: { patience?: Patience | undefined; log?: Log | undefined } = {},
): Blobs {
  const spool = createSpool(spoolFolder, { durable: false })
  let tidied: Promise<void> | undefined
  const blobsOf = (client: S3Client): Blobs => ({
    location: 'in the S3 store',
    startUpload: async (others) => {
      // The task that cleans up may run on another machine.
      tidied ??= spool.tidy(new Date(Date.now() - maxUploadTime))
      await tidied
      return spool.startUpload(others)
    },
    prepare: async ({ digests: { sha256 }, size, path }) => {
      const key = keyOf(sha256)
      if ((await client.sizeOf(key)) !== size)
        await client.put(key, { size, sha256, open: () => createReadStream(path) })
    },
    place: async ({ digests: { sha256 }, size }) => {
      if ((await client.sizeOf(keyOf(sha256))) !== size) throw new ContentLost(`${sha256} was removed`)
    },
    read: (sha256, span) => read(client, sha256, span),
    has: async (sha256) => (await client.sizeOf(keyOf(sha256))) !== undefined,
    remove: async (sha256) => client.delete(keyOf(sha256)),
    names: () => names(client, () => true),
    settledNames: (before) => names(client, (storedAt) => storedAt < before),
    tidy: spool.tidy,
    check: async (how) => {
      await client.list(folder, 1).next()
      if (how === 'write') await probe(client)
    },
    claim: (id) => claim(client, id),
    forRequest: (id) => blobsOf(client.forRequest(id)),
    close: () => client.close(),
  })
  return blobsOf(new S3Client(settings, patience, { log }))
}

async function read(client: S3Client, sha256: string, span?: Span): Promise<Content | undefined> {
  const key = keyOf(sha256)
  const response = await client.get(key, span)
  if (!response) return undefined
  const size = Number(response.headers['content-length'] ?? Number.NaN)
  if (!Number.isSafeInteger(size) || (span && !isPart(response, span))) {
    response.destroy()
    throw new StoreError('damaged', `GET ${key}: the answer is not the requested part`)
  }
  const first = span?.first ?? 0
  const again = (from: number) => client.get(key, { first: first + from, last: first + size - 1 })
  const bytes = resumed(response, size, again)
  const stream = Readable.from(span ? bytes : verified(sha256, bytes), { objectMode: false })
  // If the stream is never read, the generator never starts.
  stream.once('close', () => response.destroy())
  return { size, stream }
}

/** Whether a response is the requested part of an object of the known size (RFC 9110, section 14.4). */
function isPart({ headers }: IncomingMessage, { first, last, of }: Span): boolean {
  const [, from, to, total] = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(headers['content-range'] ?? '') ?? []
  const isSize = of === undefined || total === '*' || Number(total) === of
  return (
    Number(from) === first &&
    Number(to) === last &&
    Number(headers['content-length']) === last - first + 1 &&
    isSize
  )
}

async function* names(client: S3Client, isListed: (storedAt: Date) => boolean): AsyncGenerator<string> {
  for await (const { key, storedAt } of client.list(folder)) {
    const name = key.slice(-64)
    if (isName(name) && key === keyOf(name) && isListed(storedAt)) yield name
  }
}

/** The object with the id of the database that owns the contents. */
const ownerKey = `${folder}.owner`

async function claim(client: S3Client, id: string): Promise<string> {
  const recorded = await client.get(ownerKey)
  if (recorded) return await textOf(recorded)
  await client.put(ownerKey, smallObject(id))
  // Another database may have written its id meanwhile.
  const written = await client.get(ownerKey)
  return written ? await textOf(written) : ''
}

/** @throws StoreError */
async function textOf(response: IncomingMessage): Promise<string> {
  try {
    return await text(response)
  } catch (error) {
    throw new StoreError('away', `an answer broke off: ${String(error)}`)
  }
}

const smallObject = (content: string) => ({
  size: Buffer.byteLength(content),
  sha256: createHash('sha256').update(content).digest('hex'),
  open: () => Readable.from([Buffer.from(content)]),
})

/** Writes, reads and removes an object whose name is not that of a content. @throws StoreError */
async function probe(client: S3Client): Promise<void> {
  const key = `${folder}.check-${randomUUID()}`
  const content = 'check'
  await client.put(key, smallObject(content))
  const response = await client.get(key)
  const isSame = response !== undefined && (await textOf(response)) === content
  await client.delete(key)
  if (!isSame) throw new StoreError('denied', 'the store returns other bytes than were written')
}
