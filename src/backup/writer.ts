import { createHash } from 'node:crypto'
import { once } from 'node:events'
import type { FileHandle } from 'node:fs/promises'
import { type Pack, pack } from 'tar-stream'
import { memberNames } from './archive.ts'
import { gzipBlocks } from './gzip-blocks.ts'
import { buffersOf } from './streams.ts'

/** Bytes read from a file at a time. */
const chunkSize = 256 * 1024

/** The mode of every member. */
const fileMode = 0o600

/** Writes an archive to a stream, member by member, with the checksum of each. */
export class ArchiveWriter {
  readonly #pack: Pack = pack()
  readonly #stopped = new AbortController()
  readonly #sums: string[] = []
  readonly #now: Date
  readonly #onBytes: (bytes: number) => void

  /** `onBytes` is called with the number of added bytes. */
  constructor(now: Date, onBytes: (bytes: number) => void) {
    this.#now = now
    this.#onBytes = onBytes
    this.#pack.once('error', (error) => this.#stopped.abort(error))
    this.#pack.once('close', () =>
      this.#stopped.abort(new Error('the reader of the archive has disconnected')),
    )
  }

  /** The bytes of the archive. If the reader stops, the next `add…` rejects. */
  compressed(): AsyncGenerator<Buffer> {
    return gzipBlocks(buffersOf(this.#pack))
  }

  /** Adds a small member from memory. */
  async addBytes(name: string, bytes: Buffer): Promise<void> {
    this.#stopped.signal.throwIfAborted()
    await new Promise<void>((resolve, reject) => {
      this.#pack.entry(this.#header(name, bytes.length), bytes, (error) =>
        error ? reject(error) : resolve(),
      )
    })
    this.#sums.push(`${createHash('sha256').update(bytes).digest('hex')}  ${escaped(name)}\n`)
    this.#onBytes(bytes.length)
  }

  addJson(name: string, value: unknown): Promise<void> {
    return this.addBytes(name, Buffer.from(`${JSON.stringify(value)}\n`))
  }

  /** Adds the first `size` bytes of a file. @throws Error when it has fewer */
  addFile(name: string, file: FileHandle, size: number): Promise<void> {
    return this.addStream(name, chunksOf(file, size), size)
  }

  /** Adds a member of `size` bytes. @throws Error when the stream has more or fewer */
  async addStream(name: string, chunks: AsyncIterable<Buffer>, size: number): Promise<void> {
    if (size <= chunkSize) return this.addBytes(name, await wholeOf(chunks, size))
    const { signal } = this.#stopped
    const hash = createHash('sha256')
    signal.throwIfAborted()
    await new Promise<void>((resolve, reject) => {
      const entry = this.#pack.entry(this.#header(name, size), (error) => (error ? reject(error) : resolve()))
      // When the archive is destroyed, its open member ends with an error.
      entry.on('error', reject)
      const fill = async () => {
        let left = size
        for await (const chunk of chunks) {
          left -= chunk.length
          if (left < 0) break
          hash.update(chunk)
          if (!entry.write(chunk)) await once(entry, 'drain', { signal })
          this.#onBytes(chunk.length)
        }
        if (left !== 0) throw new Error(`${name} does not have ${size} bytes`)
        entry.end(null)
      }
      fill().catch((error) => {
        // An incomplete member cannot be removed.
        this.fail(error)
        reject(error)
      })
    })
    this.#sums.push(`${hash.digest('hex')}  ${escaped(name)}\n`)
  }

  /** Adds the checksums and ends the archive. */
  async finish(): Promise<void> {
    await this.addBytes(memberNames.sums, Buffer.from(this.#sums.join('')))
    this.#pack.finalize()
  }

  /** Ends the stream with an error. */
  fail(error: Error): void {
    if (!this.#pack.destroyed) this.#pack.destroy(error)
  }

  #header(name: string, size: number): Parameters<Pack['entry']>[0] {
    return { name, size, mode: fileMode, mtime: this.#now, type: 'file' }
  }
}

/** sha256sum(1) cannot read a line break in a name; git allows none in the name of a ref either. */
function escaped(name: string): string {
  if (/[\n\r]/.test(name)) throw new Error(`${JSON.stringify(name)} cannot be the name of a member`)
  return name
}

async function* chunksOf(file: FileHandle, size: number): AsyncGenerator<Buffer> {
  for (let left = size; left > 0; left -= chunkSize) yield await readExactly(file, Math.min(left, chunkSize))
}

async function wholeOf(chunks: AsyncIterable<Buffer>, size: number): Promise<Buffer> {
  const all: Buffer[] = []
  for await (const chunk of chunks) all.push(chunk)
  const whole = Buffer.concat(all)
  if (whole.length !== size) throw new Error(`a member has ${whole.length} bytes instead of ${size}`)
  return whole
}

async function readExactly(file: FileHandle, size: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(size)
  for (let at = 0; at < size; ) {
    const { bytesRead } = await file.read(buffer, at, size - at)
    if (bytesRead === 0) throw new Error('a file became shorter while it was read')
    at += bytesRead
  }
  return buffer
}
