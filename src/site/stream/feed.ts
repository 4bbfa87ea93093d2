import type { IncomingMessage, ServerResponse } from 'node:http'
import { messageOf } from '../../common/errors.ts'
import type { Pool } from '../../db/sql.ts'
import type { VersionSource } from '../../db/version.ts'
import type { DatabaseLimiter } from '../../http/reads/database-limiter.ts'
import { busy, tooManyRequests, unavailable } from '../../http/route/problem.ts'
import { networkOf } from '../../http/server/addresses.ts'
import { headerOf } from '../../http/server/header.ts'
import { Shares } from '../../limiter/shares.ts'
import type { Log } from '../../log.ts'
import { type ChangeWatcher, watchChanges } from './changes.ts'
import { EventHistory } from './history.ts'
import { readPanel } from './panel-store.ts'

/** The dependencies of the feed. */
interface FeedDeps {
  pool: Pool
  states: VersionSource
  limiter: DatabaseLimiter
  clock: () => Date
  log: Log
  /** Maximum number of readers of this process. */
  maxReaders: number
}

/** Milliseconds between comments, which keep connections through proxies alive. */
const heartbeat = 15_000

/** Minimum time between two reads of the panel, in milliseconds: one read gets all changes of that time. */
const pause = 100

/** Milliseconds between a failed read of the panel and the next one. */
const retryPause = 5_000

/** The server disconnects a reader with more unsent bytes; it reconnects and continues where it was. */
const maxUnsent = 256 * 1024

/** Event streams of this process, for `src/metrics`. */
export const streamCounts = { open: 0 }

/** `Retry-After` of a refused reader. */
const retrySeconds = 5

const opening = Buffer.from('retry: 3000\n\n')
const comment = Buffer.from(':\n\n')

/**
 * The panel of the site as server-sent events (HTML standard, section 9.2), for all readers of this process. After a
 * change it reads the panel once and sends each reader the same bytes; without readers it reads nothing.
 */
export class SiteFeed {
  readonly #deps: FeedDeps
  readonly #history = new EventHistory()
  readonly #watcher: ChangeWatcher
  readonly #readers = new Set<ServerResponse>()
  /** A network gets at most an eighth of the streams: a browser opens one for each tab, and readers are anonymous. */
  readonly #share: Shares
  /** Readers, and requests that wait to become one. */
  #count = 0
  #isStale = true
  #isClosed = false
  #reading: Promise<void> | undefined
  #nextRead: NodeJS.Timeout | undefined
  #heartbeat: NodeJS.Timeout | undefined

  constructor(deps: FeedDeps) {
    this.#deps = deps
    this.#share = new Shares(Math.ceil(deps.maxReaders / 8))
    this.#watcher = watchChanges(deps, () => this.#onChange())
  }

  /**
   * Sends the panel, or what changed since `Last-Event-ID`, and then every change until one side closes.
   * `address` is the client's.
   * @throws Problem 429 too many readers of this network; 503 too many readers, or the database is unavailable
   */
  async serve(req: IncomingMessage, res: ServerResponse, address: string): Promise<void> {
    const { maxReaders } = this.#deps
    if (this.#isClosed) throw unavailable('the server is stopping')
    const leave = this.#share.enter(networkOf(address))
    if (!leave) throw tooManyRequests('your network has too many event streams', retrySeconds)
    if (this.#count >= maxReaders) {
      leave()
      throw busy(
        'there are too many event streams',
        `all ${maxReaders} event streams are in use`,
        retrySeconds,
      )
    }
    this.#enter()
    try {
      if (this.#isStale || this.#history.isEmpty) await this.#read()
      if (!res.destroyed && !this.#isClosed) await this.#send(req, res)
    } finally {
      this.#leave()
      leave()
    }
  }

  /** Ends all streams, and refuses new ones. */
  close(): void {
    this.#isClosed = true
    clearTimeout(this.#nextRead)
    for (const res of this.#readers) res.end()
  }

  #enter(): void {
    streamCounts.open += 1
    this.#count += 1
    if (this.#count > 1) return
    this.#watcher.start()
    this.#heartbeat = setInterval(() => this.#beat(), heartbeat).unref()
  }

  #leave(): void {
    streamCounts.open -= 1
    this.#count -= 1
    if (this.#count > 0) return
    this.#watcher.stop()
    clearInterval(this.#heartbeat)
    clearTimeout(this.#nextRead)
    this.#nextRead = undefined
    this.#isStale = true
  }

  async #send(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const missed = this.#history.after(headerOf(req, 'last-event-id'))
    // Otherwise nginx buffers the events.
    res.writeHead(200, { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' })
    if (req.method === 'HEAD') {
      res.end()
      return
    }
    res.cork()
    res.write(opening)
    if (missed) res.write(missed)
    res.uncork()
    this.#readers.add(res)
    await untilClosed(req, res)
    this.#readers.delete(res)
    // A reader ends a stream by closing the connection, so the response is complete.
    res.end()
  }

  #onChange(): void {
    this.#isStale = true
    if (this.#count === 0 || this.#nextRead || this.#isClosed) return
    this.#nextRead = setTimeout(() => void this.#refresh(), 0)
  }

  /** Reads the panel after a change; the next read gets changes during this read or the pause after it. */
  async #refresh(): Promise<void> {
    let delay = pause
    try {
      await this.#read()
    } catch (error) {
      delay = retryPause
      this.#deps.log.warn('cannot read the site for event streams', { error: messageOf(error) })
    }
    if (this.#count === 0 || this.#isClosed) return
    this.#nextRead = setTimeout(() => {
      this.#nextRead = undefined
      if (this.#isStale && this.#count > 0) this.#onChange()
    }, delay)
  }

  /** Concurrent calls share one read. */
  #read(): Promise<void> {
    this.#reading ??= this.#readOnce().finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  async #readOnce(): Promise<void> {
    const { limiter, pool, clock } = this.#deps
    this.#isStale = false
    try {
      const frames = this.#history.update(await limiter.run(() => readPanel(pool, clock())))
      if (frames) for (const res of this.#readers) this.#write(res, frames)
    } catch (error) {
      this.#isStale = true
      throw error
    }
  }

  /** Disconnects a reader that does not read, since its unsent events need memory. */
  #write(res: ServerResponse, bytes: Buffer): void {
    if (res.writableLength > maxUnsent) res.destroy()
    else res.write(bytes)
  }

  /** Also reads the panel again, in case a notification was lost. */
  #beat(): void {
    for (const res of this.#readers) this.#write(res, comment)
    this.#onChange()
  }
}

/** Settles when the stream has ended or the client has closed its side, after which it waits for no events. */
function untilClosed({ socket }: IncomingMessage, res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      res.off('close', done)
      socket.off('end', done)
      resolve()
    }
    res.once('close', done)
    socket.once('end', done)
    if (socket.readableEnded) done()
  })
}
