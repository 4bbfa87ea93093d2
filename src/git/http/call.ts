import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable, Transform } from 'node:stream'
import type { GitFault } from '../program/outcome.ts'
import { type BodyFault, dropRest } from './body.ts'
import { uncached } from './relay.ts'
import { bytesMoved, watchConnection, watchPlace } from './slow-client.ts'

/** The result of an exchange; the response has already been written. */
export interface ExchangeResult {
  status: number
  fault?: GitFault
}

/** One request of a git client: what may abort it, and how it is answered. */
export type Call = ReturnType<typeof createCall>

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

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: its functions share state
export function createCall({ req, res, signal, silence, start, persists }: CallOptions) {
  const { socket } = req
  const controller = new AbortController()
  const abort = () => {
    controller.abort()
    body?.destroy()
  }
  let body: Transform | undefined
  let bodyFault: BodyFault | undefined
  let stopPlaceWatch: (() => void) | undefined

  const onClose = () => {
    if (!res.writableFinished && !(persists && body?.writableEnded)) abort()
  }
  // Anything that the kernel has not accepted means that the client is slow: the next chunk is only written after it.
  // If the body has unread bytes, the client has sent them already, so git or the queue for it is slow.
  const waitsForClient = () => res.writableLength > 0 || (body?.readableLength === 0 && !req.complete)
  const progress = { moved: () => bytesMoved(socket), waits: waitsForClient }
  const cut = () => {
    abort()
    res.destroy()
  }
  const stopConnectionWatch = watchConnection(progress, cut, silence)
  let isRead = true
  const startTimer = setTimeout(() => interrupt(isRead ? notStarted : notSent), start)
  const interrupt = (fault: BodyFault) => {
    bodyFault ??= fault
    abort()
  }
  // A git client only ends its side when it disconnects; without this it would hold its slot or place in the queue.
  const onEnd = () => res.destroy()
  if (socket.readableEnded) onEnd()
  if (signal?.aborted || res.closed) abort()
  signal?.addEventListener('abort', abort, { once: true })
  res.once('close', onClose)
  socket.once('end', onEnd)

  const abandon = () => {
    clearTimeout(startTimer)
    stopConnectionWatch()
    stopPlaceWatch?.()
    signal?.removeEventListener('abort', abort)
    res.off('close', onClose)
    socket.off('end', onEnd)
  }
  const close = (status: number, fault?: GitFault): ExchangeResult => {
    abandon()
    dropRest(req)
    return { status, ...(fault && { fault }) }
  }
  const refuse = ({ status, sentence }: BodyFault, fault?: GitFault) => {
    // Nobody reads an answer to a client that has left, and it is not counted as one.
    if (res.headersSent || res.destroyed) res.destroy()
    else refuseInText(res, status, sentence)
    return close(status, fault)
  }
  const fail = (fault: GitFault) => refuse(bodyFault ?? sentenceOf(fault), fault)

  return {
    /** Fires when git must be ended: the client left, fell silent or sent something invalid, or the server aborts it. */
    signal: controller.signal,
    /** From now on the client must send the body. */
    expectBody: (expected: Transform) => {
      body = expected
      isRead = false
      if (controller.signal.aborted) body.destroy()
    },
    /** The part of the request that the server needs before it starts git has arrived. */
    requestRead: () => {
      isRead = true
    },
    /**
     * Git is running from now on; `leavePlace` is called if the client is slow. `rest`: the part of the request that git
     * has not read yet.
     */
    gitStarted: ({ leavePlace }: { leavePlace: () => void }, rest?: Readable) => {
      if (rest) rest.once('end', () => clearTimeout(startTimer))
      else clearTimeout(startTimer)
      stopPlaceWatch = watchPlace(progress, leavePlace)
    },
    /** Ends git because of an error in the body; `finish` then answers with that error. */
    interrupt,
    refuse: (fault: BodyFault) => refuse(fault),
    /** Answers a fault of git. */
    fail,
    /** Ends a response that `relay` has started, or sends an error if nothing was written. */
    finish: (fault: GitFault | undefined) => {
      // Once git has written anything, it has reported its own error to the client, unless it was ended.
      if (fault && !(res.headersSent && isReportedByGit(fault))) return fail(fault)
      res.end()
      return close(200, fault)
    },
    /** Releases the request without an answer; the caller will answer it. */
    abandon,
    /** Sends a complete response that this server has made. */
    answer: (bytes: Buffer, contentType: string) => {
      res.writeHead(200, { ...uncached, 'Content-Type': contentType })
      res.end(bytes)
      return close(200)
    },
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
