import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Transform } from 'node:stream'
import type { GitFault } from '../program/outcome.ts'
import { type BodyFault, dropRest } from './body.ts'
import { uncached } from './relay.ts'
import { watchSilence } from './silence.ts'
import { watchSlowness } from './slowness.ts'

/** How an exchange went; the response has been written, whatever it says. */
export interface ExchangeResult {
  status: number
  fault?: GitFault
}

/** One request of a git client: what may end it early, and how it is answered. */
export interface Call {
  /** Fires when git is to be ended: the client left, fell silent or sent what it may not, or the server says so. */
  signal: AbortSignal
  /** From now on the body is waited for. */
  reads: (body: Transform) => void
  /** Git works on it from now on; `stepAside` is called when it is the client that is waited for. */
  works: (git: { stepAside: () => void }) => void
  /** Ends git for what is wrong with the body; `finish` then answers that. */
  interrupt: (fault: BodyFault) => void
  refuse: (fault: BodyFault) => ExchangeResult
  /** Answers a fault of git. */
  fail: (fault: GitFault) => ExchangeResult
  /** Ends an answer that `relay` has begun, or refuses when nothing was written. */
  finish: (fault: GitFault | undefined) => ExchangeResult
  /** Lets go of the request, which somebody else will answer. */
  abandon: () => void
  /** A whole answer of ours. */
  answer: (bytes: Buffer, contentType: string) => ExchangeResult
}

export interface Heard {
  req: IncomingMessage
  res: ServerResponse
  signal?: AbortSignal | undefined
  /** Longest silence of the client, in milliseconds. */
  silence: number
  /** Whether git goes on when the client leaves after its last byte: what it asked for may have happened already. */
  goesOn: boolean
}

export function createCall({ req, res, signal, silence, goesOn }: Heard): Call {
  const controller = new AbortController()
  const abort = () => {
    controller.abort()
    body?.destroy()
  }
  let body: Transform | undefined
  let wrong: BodyFault | undefined
  let stopLooking: (() => void) | undefined

  const left = () => {
    if (!res.writableFinished && !(goesOn && body?.writableEnded)) abort()
  }
  // Whatever little the kernel does not take is the client's to take: the next piece comes only after it. What waits in
  // the body was sent already: then it is git, or the queue for it, that is slow.
  const waitsForClient = () => res.writableLength > 0 || (body?.readableLength === 0 && !req.complete)
  const stopWatch = watchSilence(req.socket, waitsForClient, silence, () => {
    abort()
    res.destroy()
  })
  // Git ends its side of a connection only when it leaves, and holds a place or one in line until then.
  const leave = () => res.destroy()
  if (req.socket.readableEnded) leave()
  if (signal?.aborted || res.closed) abort()
  signal?.addEventListener('abort', abort, { once: true })
  res.once('close', left)
  req.socket.once('end', leave)

  const abandon = () => {
    stopWatch()
    stopLooking?.()
    signal?.removeEventListener('abort', abort)
    res.off('close', left)
    req.socket.off('end', leave)
  }
  const close = (status: number, fault?: GitFault): ExchangeResult => {
    abandon()
    dropRest(req)
    return { status, ...(fault && { fault }) }
  }
  const refuse = ({ status, sentence }: BodyFault, fault?: GitFault) => {
    if (res.headersSent) res.destroy()
    else refuseInText(res, status, sentence)
    return close(status, fault)
  }
  const fail = (fault: GitFault) => refuse(wrong ?? sentenceOf(fault), fault)

  return {
    signal: controller.signal,
    reads: (given) => {
      body = given
      if (controller.signal.aborted) body.destroy()
    },
    works: ({ stepAside }) => {
      stopLooking = watchSlowness(waitsForClient, stepAside)
    },
    interrupt: (fault) => {
      wrong ??= fault
      abort()
    },
    refuse: (fault) => refuse(fault),
    fail,
    finish: (fault) => {
      // Git has said by itself what went wrong once it has written anything; one that was ended has not.
      if (fault && !(res.headersSent && isSaid(fault))) return fail(fault)
      res.end()
      return close(200, fault)
    },
    abandon,
    answer: (bytes, contentType) => {
      res.writeHead(200, { ...uncached, 'Content-Type': contentType })
      res.end(bytes)
      return close(200)
    },
  }
}

/** Answers in plain text, which git prints as `remote: …` when it comes for `info/refs`. */
export function refuseInText(res: ServerResponse, status: number, sentence: string): void {
  if (status === 503) res.setHeader('Retry-After', '5')
  res.writeHead(status, { ...uncached, 'Content-Type': 'text/plain; charset=utf-8' })
  res.end(`${sentence}\n`)
}

/** Whether git ended by itself. */
const isSaid = ({ kind }: GitFault) => kind === 'failed' || kind === 'full'

/** What git says when a client did not keep to the protocol, or asked for what there is not. */
const clientsFault = new RegExp(
  [
    ...['protocol error', 'bad line', 'hung up', 'expected ', 'not our ref', 'invalid ', 'no common'],
    ...['(?:mismatched|unknown|unsupported) object format', 'unknown capability', 'no command requested'],
    ...['after already requesting command', 'deepen-not', 'cannot be (?:used|combined)', 'has been dropped'],
  ].join('|'),
  'i',
)

function sentenceOf({ kind, log }: GitFault): BodyFault {
  if (kind === 'gone') return { status: 404, sentence: 'repository not found' }
  if (kind === 'busy') return { status: 503, sentence: 'the server is busy; try again in a moment' }
  if (kind === 'missing') return { status: 503, sentence: 'this server has no git program' }
  if (kind === 'late') return { status: 503, sentence: 'it took too long' }
  // Nobody is there to read it, or the server is going down.
  if (kind === 'cancelled') return { status: 503, sentence: 'it was cancelled' }
  if (kind === 'full') return { status: 507, sentence: 'the server has no place left' }
  if (clientsFault.test(log)) return { status: 400, sentence: 'git did not understand the request' }
  return { status: 500, sentence: 'git failed' }
}
