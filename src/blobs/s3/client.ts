import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { StoreError } from '../store-error.ts'
import { elementOf, faultOf } from './fault.ts'
import type { S3Settings } from './settings.ts'
import { type S3Request, S3Transport } from './transport.ts'
import { type S3Operation, type S3Watcher, watched } from './watch.ts'

/** How long the client waits for the store. */
export interface Patience {
  /** Longest time without an answer, in milliseconds. */
  silence: number
  /** The same while a content is sent: a store answers when the content is on its disks. */
  uploadSilence: number
  /** How often a request is sent before its failure counts. */
  attempts: number
}

export const defaultPatience: Patience = { silence: 5_000, uploadSilence: 30_000, attempts: 3 }

/** Wait before the second attempt, in milliseconds; four times as long before the third. */
const firstPause = 100

/** Bytes of a response that are read into memory: a page of a list has about 300 kB. */
const maxText = 4 * 1024 * 1024

/** An object in a list. */
interface Listed {
  key: string
  /** When it was stored, by the clock of the store. */
  storedAt: Date
}

/** A response that was read to its end. */
interface Completed extends Pick<IncomingMessage, 'headers'> {
  status: number
  body: string
}

/** The requests to an S3-compatible store that we use. All of them may be repeated. Keys are without the prefix. */
export class S3Client {
  readonly #settings: S3Settings
  readonly #transport: S3Transport
  readonly #patience: Patience
  readonly #watcher: S3Watcher

  constructor(
    settings: S3Settings,
    patience: Patience,
    watcher: S3Watcher = {},
    transport = new S3Transport(settings),
  ) {
    this.#settings = settings
    this.#transport = transport
    this.#patience = patience
    this.#watcher = watcher
  }

  /** The same client, whose lines in the log have the id of a request. */
  forRequest(requestId: string): S3Client {
    const watcher = { ...this.#watcher, requestId }
    return new S3Client(this.#settings, this.#patience, watcher, this.#transport)
  }

  /** @throws StoreError */
  async put(key: string, content: { size: number; sha256: string; open: () => Readable }): Promise<void> {
    // The store refuses a body with another checksum.
    const headers = { 'content-length': String(content.size), 'x-amz-content-sha256': content.sha256 }
    const request = this.#request('PUT', this.#urlOf(key), {
      headers,
      body: content.open,
      silence: this.#patience.uploadSilence,
    })
    await this.#repeat('put', () => this.#complete(request, [200, 201, 204]))
  }

  /** Bytes of an object; undefined if there is none. @throws StoreError */
  async sizeOf(key: string): Promise<number | undefined> {
    const request = this.#request('HEAD', this.#urlOf(key))
    const { status, headers } = await this.#repeat('head', () => this.#complete(request, [200, 404]))
    return status === 200 ? Number(headers['content-length']) : undefined
  }

  /**
   * Opens an object, or its bytes from `first` to `last`; undefined if there is none. The response must be read or
   * destroyed.
   * @throws StoreError
   */
  async get(key: string, span?: { first: number; last: number }): Promise<IncomingMessage | undefined> {
    const headers = span ? { range: `bytes=${span.first}-${span.last}` } : {}
    const request = this.#request('GET', this.#urlOf(key), { headers })
    return await this.#repeat('get', async () => {
      const response = await this.#transport.send(request)
      const status = response.statusCode ?? 0
      if (status === (span ? 206 : 200)) return response
      const body = await this.#textOf(request, response)
      if (status === 404 && elementOf(body, 'Code') !== 'NoSuchBucket') return undefined
      throw faultOf(nameOf(request), status, body)
    })
  }

  /** Does nothing if there is no object. @throws StoreError */
  async delete(key: string): Promise<void> {
    const request = this.#request('DELETE', this.#urlOf(key))
    await this.#repeat('delete', async () => {
      const { status, body } = await this.#complete(request, [200, 204, 404])
      if (status === 404 && elementOf(body, 'Code') === 'NoSuchBucket')
        throw faultOf(nameOf(request), status, body)
    })
  }

  /** All objects whose keys begin with `folder`, by key; at most `pageSize` per request. @throws StoreError */
  async *list(folder: string, pageSize = 1000): AsyncGenerator<Listed> {
    for (let after: string | undefined = ''; after !== undefined; ) {
      const page = await this.#page(folder, after, pageSize)
      yield* page.listed
      const last = page.listed.at(-1)?.key
      if (last !== undefined && last <= after)
        throw new StoreError('denied', 'the store does not continue a list after the key in start-after')
      after = page.isLast ? undefined : last
    }
  }

  close(): void {
    this.#transport.close()
  }

  async #page(folder: string, after: string, size: number): Promise<{ listed: Listed[]; isLast: boolean }> {
    const { bucketUrl, prefix } = this.#settings
    const query = new URLSearchParams({ 'list-type': '2', 'max-keys': String(size), prefix: prefix + folder })
    if (after !== '') query.set('start-after', prefix + after)
    const request = this.#request('GET', `${bucketUrl}?${query}`)
    const { body } = await this.#repeat('list', () => this.#complete(request, [200]))
    if (!body.includes('<ListBucketResult'))
      throw new StoreError('denied', 'the store answers a list with another document')
    const listed = body
      .split('<Contents>')
      .slice(1)
      .map((each) => ({
        key: elementOf(each, 'Key').slice(prefix.length),
        storedAt: new Date(elementOf(each, 'LastModified')),
      }))
    return { listed, isLast: elementOf(body, 'IsTruncated') !== 'true' }
  }

  /** Sends a request and reads its response to the end. @throws StoreError for a status that is not expected */
  async #complete(request: S3Request, expected: readonly number[]): Promise<Completed> {
    const response = await this.#transport.send(request)
    const status = response.statusCode ?? 0
    const body = await this.#textOf(request, response)
    if (expected.includes(status)) return { status, headers: response.headers, body }
    // The store may not have read the whole body of the request.
    response.destroy()
    throw faultOf(nameOf(request), status, body)
  }

  async #textOf(request: S3Request, response: IncomingMessage): Promise<string> {
    const chunks: Buffer[] = []
    let size = 0
    const timer = setTimeout(() => response.destroy(new Error('the answer stalled')), request.silence)
    try {
      for await (const chunk of response) {
        const bytes = Buffer.from(chunk)
        size += bytes.length
        if (size > maxText) throw new Error('the answer is too long')
        chunks.push(bytes)
        timer.refresh()
      }
    } catch (error) {
      throw new StoreError('away', `${nameOf(request)}: ${String(error)}`)
    } finally {
      clearTimeout(timer)
    }
    return Buffer.concat(chunks).toString()
  }

  async #repeat<Result>(operation: S3Operation, work: () => Promise<Result>): Promise<Result> {
    for (let attempt = 1, wait = firstPause; ; attempt++, wait *= 4) {
      try {
        return await watched(operation, this.#watcher, work)
      } catch (error) {
        const mayPass = error instanceof StoreError && error.kind === 'away'
        if (!mayPass || attempt >= this.#patience.attempts) throw error
        await pause(wait)
      }
    }
  }

  #request(method: S3Request['method'], url: string, more: Partial<S3Request> = {}): S3Request {
    return { method, url, silence: this.#patience.silence, ...more }
  }

  #urlOf(key: string): string {
    const { bucketUrl, prefix } = this.#settings
    return `${bucketUrl}/${prefix}${key}`
  }
}

const nameOf = ({ method, url }: S3Request) => `${method} ${url}`
