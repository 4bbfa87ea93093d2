import * as v from 'valibot'
import { isoMoment } from './common/units.ts'

const levels = ['debug', 'info', 'warn', 'error', 'silent'] as const
type Level = (typeof levels)[number]
export const level = v.picklist(levels, `must be one of ${levels.join(', ')}`)

/** Fields of a line besides its message: flat, and never a secret. */
export type Fields = Readonly<Record<string, string | number | boolean | null | undefined>>

/** The log line of a request. Its texts are tokens, declared paths and addresses, which need no JSON escapes. */
export interface RequestLine {
  id: string
  method: string
  /** As declared; null for unknown paths. */
  route: string | null
  status: number
  /** Milliseconds, to the microsecond. */
  ms: number
  bytes: number
  /** The IP address of the client. */
  address: string
}

/** Writes lines of a level and above; lines below it cost one comparison. */
export interface Log {
  enabled: (at: Level) => boolean
  debug: (message: string, fields?: Fields) => void
  info: (message: string, fields?: Fields) => void
  warn: (message: string, fields?: Fields) => void
  error: (message: string, fields?: Fields) => void
  /** Writes the line of a request, with level `info`. */
  request: (line: RequestLine) => void
}

/** The destination of lines: the used part of a writable stream. */
export interface Sink {
  write: (text: string) => unknown
  isTTY?: boolean | undefined
  /** Bytes that its reader has not consumed yet. */
  writableLength?: number
}

/** Maximum bytes buffered for a slow reader; further lines are dropped. */
const maxUnread = 16 * 1024 * 1024

/** How long request lines are buffered, in milliseconds. */
const requestDelay = 10

/**
 * A log with one line per message: JSON, or readable text when `sink` is a terminal. Request lines are buffered for ten
 * milliseconds, which makes a line per request affordable; any other line is written at the end of the current turn of
 * the event loop, after the buffered ones.
 */
export function createLog(lowest: Level, sink: Sink = process.stdout): Log {
  const threshold = levels.indexOf(lowest)
  const enabled = (at: Level) => levels.indexOf(at) >= threshold
  const format = sink.isTTY ? readable : json
  const requestFormat = sink.isTTY ? readableRequest : jsonRequests()
  let buffered = ''
  let dropped = 0
  const flush = () => {
    const text = buffered
    if (!text) return
    buffered = ''
    process.off('exit', flush)
    if ((sink.writableLength ?? 0) > maxUnread) {
      dropped += Buffer.byteLength(text)
      return
    }
    const gap =
      dropped > 0
        ? format('warn', 'lines were dropped here: their reader was too slow', { bytes: dropped })
        : ''
    dropped = 0
    sink.write(gap + text)
  }
  const buffer = (line: string) => {
    if (!buffered) process.on('exit', flush)
    buffered += line
  }
  const add = (line: string) => {
    setImmediate(flush)
    buffer(line)
  }
  const addLater = (line: string) => {
    if (!buffered) setTimeout(flush, requestDelay)
    buffer(line)
  }
  const writer = (at: Level) => {
    if (!enabled(at)) return () => {}
    return (message: string, fields: Fields = {}) => add(format(at, message, fields))
  }
  return {
    enabled,
    debug: writer('debug'),
    info: writer('info'),
    warn: writer('warn'),
    error: writer('error'),
    request: enabled('info') ? (line) => addLater(requestFormat(line)) : () => {},
  }
}

function json(at: Level, message: string, fields: Fields): string {
  let line = `{"time":"${moment()}","level":"${at}","message":${JSON.stringify(message)}`
  for (const name in fields) {
    const value = fields[name]
    if (value !== undefined) line += `,"${name}":${typeof value === 'string' ? JSON.stringify(value) : value}`
  }
  return `${line}}\n`
}

/**
 * Formats the lines of requests, the most frequent ones. Most requests differ from the previous one in few members, so
 * the text of the others is cached.
 */
function jsonRequests(): (line: RequestLine) => string {
  let last: RequestLine | undefined
  let rest = ''
  return (line) => {
    if (!last || !isAlike(line, last)) rest = restOf(line)
    last = line
    return `{"time":"${moment()}","level":"info","message":"request","id":"${line.id}","ms":${line.ms}${rest}`
  }
}

function isAlike(one: RequestLine, other: RequestLine): boolean {
  return (
    one.route === other.route &&
    one.method === other.method &&
    one.status === other.status &&
    one.bytes === other.bytes &&
    one.address === other.address
  )
}

/** Flattened to one string, so that it is not concatenated again for every line. */
function restOf({ method, route, status, bytes, address }: RequestLine): string {
  const outcome = `,"method":"${method}","route":${quoted(route)},"status":${status}`
  return Buffer.from(`${outcome},"bytes":${bytes},"address":"${address}"}\n`).toString()
}

const quoted = (text: string | null) => (text === null ? 'null' : `"${text}"`)

const readableRequest = (line: RequestLine) => readable('info', 'request', { ...line })

function readable(at: Level, message: string, fields: Fields): string {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined)
  const rest = entries.map(([name, value]) => ` ${name}=${value}`).join('')
  return `${moment().slice(11, 23)} ${at.padEnd(5)} ${escapeControls(message + rest)}\n`
}

/** Indents further lines, so that none looks like an entry of its own, and escapes control characters. */
function escapeControls(text: string): string {
  const escapeOne = (character: string) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`
  return text.replace(/[\0-\x08\x0b-\x1f\x7f-\x9f]/g, escapeOne).replaceAll('\n', '\n    ')
}

/** Least time between two lines about the same cause, in milliseconds: a flood must not fill the log. */
const lineInterval = 1_000

/** Returns a function that calls `write` at most once a second, with the number of calls since then that it left out. */
export function limitLines(): (write: (unlogged: number) => void) => void {
  let writtenAt = Number.NEGATIVE_INFINITY
  let unlogged = 0
  return (write) => {
    const now = performance.now()
    if (now - writtenAt < lineInterval) {
      unlogged++
      return
    }
    write(unlogged)
    writtenAt = now
    unlogged = 0
  }
}

const moment = () => isoMoment(Date.now())
