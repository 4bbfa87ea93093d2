import { connect, type Socket } from 'node:net'
import { openCaller } from './caller.ts'
import { requestText } from './connection.ts'
import { newsText } from './fill.ts'

/** Longest time until all have what they wait for, in milliseconds. */
const patience = 60_000

/** Streams that are opened at the same time: fewer than a server lets wait. */
const atOnce = 200

const request = requestText('GET', '/api/stats/stream')

/** All streams read into the same memory, one after another. */
const shared = Buffer.allocUnsafe(64 * 1024)

/** How the events of one write end: no text in them holds a line break, and each write is a chunk (RFC 9112, section 7.1). */
const endOfEvents = Buffer.from('\n\n\r\n')

/** Readers of the event stream of a server, which wait for a word in it. */
export class Streams {
  readonly #port: number
  readonly #sockets: Socket[] = []
  #word = Buffer.alloc(0)
  /** Streams that still wait for the word. */
  #left = 0
  #allHave: () => void = () => {}
  #failed: (error: Error) => void = () => {}

  constructor(port: number) {
    this.#port = port
  }

  /** Opens so many more; gives how many there are when each has had its first events. */
  async open(count: number): Promise<number> {
    for (let left = count; left > 0; left -= atOnce) {
      const group = Math.min(left, atOnce)
      await this.#waitFor('event: presence', group, () => {
        for (let each = 0; each < group; each++) this.#sockets.push(this.#stream())
      })
    }
    return this.#sockets.length
  }

  /** Publishes a post; gives the milliseconds from its request until every stream has had the event with it. */
  async publish(title: string): Promise<number> {
    const caller = openCaller(this.#port)
    const post = requestText('POST', '/api/news', JSON.stringify({ title, content: newsText }))
    let began = 0
    await this.#waitFor(title, this.#sockets.length, () => {
      began = performance.now()
      caller.ask(post).catch(this.#failed)
    })
    caller.close()
    return performance.now() - began
  }

  #waitFor(word: string, count: number, start: () => void): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#word = Buffer.from(word)
      this.#left = count
      const late = setTimeout(
        () => reject(new Error(`${this.#left} streams did not get "${word}"`)),
        patience,
      )
      this.#allHave = () => {
        clearTimeout(late)
        resolve()
      }
      this.#failed = reject
      start()
    })
  }

  #stream(): Socket {
    /** The word for which it has seen the event, and the end of what came last. */
    let had: Buffer | undefined
    let isInside = false
    let tail: Buffer = Buffer.alloc(0)
    const read = (length: number): boolean => {
      const bytes = shared.subarray(0, length)
      if (had === this.#word) return true
      isInside ||= this.#isIn(tail, bytes)
      tail = Buffer.from(bytes.subarray(-this.#word.length))
      if (!isInside || !bytes.subarray(-endOfEvents.length).equals(endOfEvents)) return true
      had = this.#word
      isInside = false
      if (--this.#left === 0) this.#allHave()
      return true
    }
    const socket = connect({
      port: this.#port,
      host: '127.0.0.1',
      noDelay: true,
      onread: { buffer: shared, callback: read },
    })
    socket.once('connect', () => socket.write(request))
    socket.once('error', (error) => this.#failed(error))
    socket.once('close', () => this.#failed(new Error('A stream was closed')))
    return socket
  }

  /** Looks for the word, also where two packets meet. */
  #isIn(tail: Buffer, bytes: Buffer): boolean {
    if (bytes.includes(this.#word)) return true
    const reach = this.#word.length
    return Buffer.concat([tail.subarray(-reach), bytes.subarray(0, reach)]).includes(this.#word)
  }
}
