import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable, Transform } from 'node:stream'
import type { GitFault } from '../program/outcome.ts'
import { type BodyFault, dropRest } from './body.ts'
import { uncached } from './relay.ts'
import { bytesMoved, type Progress, watchConnection, watchPlace } from './slow-client.ts'

/** The result of an exchange; the response has already been written. */
export interface ExchangeResult {
  status: number
  fault?: GitFault
}

interface CallOptions {
  req: IncomingMessage
  res: ServerResponse
  signal?: AbortSignal | undefined
  /** Over which time a client must not be slower than the slowest that is served, in milliseconds. */
  silence: number
  /** Maximum time until git has started and has read a long request, in milliseconds. */
  start: number
  /** Whether git continues if the client disconnects after its last byte: its request may already be carried out. */
  persists: boolean
}

/** One request of a git client: what may abort it, and how it is answered. */
export class Call {
  readonly #options: CallOptions
  readonly #controller = new AbortController()
  readonly #startTimer: NodeJS.Timeout
  readonly #stopConnectionWatch: () => void
  readonly #progress: Progress
  #stopPlaceWatch: (() => void) | undefined
  #body: Transform | undefined
  #bodyFault: BodyFault | undefined
  #isRead = true

  constructor(options: CallOptions) {
    this.#options = options
    const { req, res, signal, silence, start } = options
    this.#progress = { moved: () => bytesMoved(req.socket), waits: () => this.#waitsForClient() }
    this.#stopConnectionWatch = watchConnection(this.#progress, this.#cut, silence)
    this.#startTimer = setTimeout(() => this.interrupt(this.#isRead ? notStarted : notSent), start)
    if (req.socket.readableEnded) this.#onEnd()
    if (signal?.aborted || res.closed) this.#abort()
    signal?.addEventListener('abort', this.#abort, { once: true })
    res.once('close', this.#onClose)
    req.socket.once('end', this.#onEnd)
  }

  /** Fires when git must be ended: the client left, fell silent or sent something invalid, or the server aborts it. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** From now on the client must send the body. */
  expectBody(expected: Transform): void {
    this.#body = expected
    this.#isRead = false
    if (this.signal.aborted) expected.destroy()
  }

  /** The part of the request that the server needs before it starts git has arrived. */
  requestRead(): void {
    this.#isRead = true
  }

  /**
   * Git is running from now on; `leavePlace` is called if the client is slow. `rest`: the part of the request that git
   * has not read yet.
   */
  gitStarted({ leavePlace }: { leavePlace: () => void }, rest?: Readable): void {
    if (rest) rest.once('end', () => clearTimeout(this.#startTimer))
    else clearTimeout(this.#startTimer)
    this.#stopPlaceWatch = watchPlace(this.#progress, leavePlace)
  }

  /** Ends git because of an error in the body; `finish` then answers with that error. */
  interrupt(fault: BodyFault): void {
    this.#bodyFault ??= fault
    this.#abort()
  }

  /** Answers what is wrong with the request, or a fault of git. */
  refuse({ status, sentence }: BodyFault, fault?: GitFault): ExchangeResult {
    const { res } = this.#options
    // Nobody reads an answer to a client that has left, and it is not counted as one.
    if (res.headersSent || res.destroyed) res.destroy()
    else refuseInText(res, status, sentence)
    return this.#close(status, fault)
  }

  /** Answers a fault of git. */
  fail(fault: GitFault): ExchangeResult {
    return this.refuse(this.#bodyFault ?? sentenceOf(fault), fault)
  }

  /** Ends a response that `relay` has started, or sends an error if nothing was written. */
  finish(fault: GitFault | undefined): ExchangeResult {
    const { res } = this.#options
    // Once git has written anything, it has reported its own error to the client, unless it was ended.
    if (fault && !(res.headersSent && isReportedByGit(fault))) return this.fail(fault)
    res.end()
    return this.#close(200, fault)
  }

  /** Sends a complete response that this server has made. */
  answer(bytes: Buffer, contentType: string): ExchangeResult {
    const { res } = this.#options
    res.writeHead(200, { ...uncached, 'Content-Type': contentType })
    res.end(bytes)
    return this.#close(200)
  }

  /** Releases the request without an answer; the caller will answer it. */
  abandon(): void {
    const { req, res, signal } = this.#options
    clearTimeout(this.#startTimer)
    this.#stopConnectionWatch()
    this.#stopPlaceWatch?.()
    signal?.removeEventListener('abort', this.#abort)
    res.off('close', this.#onClose)
    req.socket.off('end', this.#onEnd)
  }

  #close(status: number, fault?: GitFault): ExchangeResult {
    this.abandon()
    dropRest(this.#options.req)
    return { status, ...(fault && { fault }) }
  }

  /**
   * Anything that the kernel has not accepted means that the client is slow: the next chunk is only written after it.
   * If the body has unread bytes, the client has sent them already, so git or the queue for it is slow.
   */
  #waitsForClient(): boolean {
    const { req, res } = this.#options
    return res.writableLength > 0 || (this.#body?.readableLength === 0 && !req.complete)
  }

  readonly #abort = (): void => {
    this.#controller.abort()
    this.#body?.destroy()
  }

  readonly #cut = (): void => {
    this.#abort()
    this.#options.res.destroy()
  }

  readonly #onClose = (): void => {
    const { res, persists } = this.#options
    if (!res.writableFinished && !(persists && this.#body?.writableEnded)) this.#abort()
  }

  // A git client only ends its side when it disconnects; without this it would hold its slot or place in the queue.
  readonly #onEnd = (): void => {
    this.#options.res.destroy()
  }
}

const notSent: BodyFault = { status: 408, sentence: 'the request did not arrive in time' }
const notStarted: BodyFault = { status: 503, sentence: 'the server is busy; try again in a moment' }

/** Answers in plain text, which git prints as `remote: …` for errors of `info/refs`. */
export function refuseInText(res: ServerResponse, status: number, sentence: string): void {
  if (status === 503) res.setHeader('Retry-After', '5')
  res.writeHead(status, { ...uncached, 'Content-Type': 'text/plain; charset=utf-8' })
  res.end(`${sentence}\n`)
}

/** Whether git ended by itself, so that it has reported the error to the client. */
const isReportedByGit = ({ kind }: GitFault) => kind === 'failed' || kind === 'full'

/** Messages of git for requests that violate the protocol or ask for objects that do not exist. */
const clientErrors = new RegExp(
  [
    'protocol error',
    'bad line',
    'hung up',
    'expected ',
    'not our ref',
    'invalid ',
    'no common',
    '(?:mismatched|unknown|unsupported) object format',
    'unknown capability',
    'no command requested',
    'after already requesting command',
    'deepen-not',
    'cannot be (?:used|combined)',
    'has been dropped',
  ].join('|'),
  'i',
)

function sentenceOf({ kind, log }: GitFault): BodyFault {
  if (kind === 'gone') return { status: 404, sentence: 'repository not found' }
  if (kind === 'busy') return { status: 503, sentence: 'the server is busy; try again in a moment' }
  if (kind === 'missing') return { status: 503, sentence: 'this server has no git program' }
  if (kind === 'late') return { status: 503, sentence: 'it took too long' }
  if (kind === 'heavy') return { status: 503, sentence: 'it needs more memory than git may use here' }
  // No client is left to read it, or the server is stopping.
  if (kind === 'cancelled') return { status: 503, sentence: 'it was cancelled' }
  if (kind === 'full') return { status: 507, sentence: 'the server has no space left' }
  if (clientErrors.test(log)) return { status: 400, sentence: 'git did not understand the request' }
  return { status: 500, sentence: 'git failed' }
}
