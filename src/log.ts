import * as v from 'valibot'
import { isoMoment } from './units.ts'

export const levels = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type Level = (typeof levels)[number]
export const level = v.picklist(levels, `must be one of ${levels.join(', ')}`)

/** What a line says beside its message: flat, and never a secret. */
export type Fields = Readonly<Record<string, string | number | boolean | null | undefined>>

/** What is said of a request. None of its texts needs escapes in JSON: they are words, declared paths and addresses. */
export interface RequestLine {
  id: string
  method: string
  /** As declared; null when the path is nobody's. */
  route: string | null
  status: number
  /** Milliseconds, to the microsecond. */
  ms: number
  bytes: number
  address: string | null
}

/** Writes lines of a level and above; those below cost one comparison. */
export interface Log {
  enabled: (at: Level) => boolean
  debug: (message: string, fields?: Fields) => void
  info: (message: string, fields?: Fields) => void
  warn: (message: string, fields?: Fields) => void
  error: (message: string, fields?: Fields) => void
  /** The line of a request, of level `info`. */
  request: (line: RequestLine) => void
}

/** Where lines go: a stream with nothing else asked of it. */
export interface Sink {
  write: (text: string) => unknown
  isTTY?: boolean | undefined
  /** Bytes that its reader has not taken yet. */
  writableLength?: number
}

/** Bytes that are kept for a reader who takes none; what comes on top of them is lost, for memory has an end. */
const mostUnread = 16 * 1024 * 1024

/** How long lines of requests gather, in milliseconds. */
const gathering = 10

/**
 * A log with one line per message: JSON, or readable text when `sink` is a terminal. Lines of requests gather for ten
 * milliseconds, which makes a line per request affordable; anything else is written when its turn of the event loop is
 * over, with what has gathered before it.
 */
export function createLog(lowest: Level, sink: Sink = process.stdout): Log {
  const threshold = levels.indexOf(lowest)
  const enabled = (at: Level) => levels.indexOf(at) >= threshold
  const format = sink.isTTY ? readable : json
  const requestFormat = sink.isTTY ? readableRequest : jsonRequests()
  let waiting = ''
  let lost = 0
  const flush = () => {
    const text = waiting
    if (!text) return
    waiting = ''
    process.off('exit', flush)
    if ((sink.writableLength ?? 0) > mostUnread) {
      lost += Buffer.byteLength(text)
      return
    }
    const gap = lost > 0 ? format('warn', 'lines are missing here, which nobody read', { bytes: lost }) : ''
    lost = 0
    sink.write(gap + text)
  }
  const wait = (line: string) => {
    if (!waiting) process.on('exit', flush)
    waiting += line
  }
  const add = (line: string) => {
    setImmediate(flush)
    wait(line)
  }
  const gather = (line: string) => {
    if (!waiting) setTimeout(flush, gathering)
    wait(line)
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
    request: enabled('info') ? (line) => gather(requestFormat(line)) : () => {},
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
 * Writes the line that is written more often than all others. Most requests are like the one before in all but a few
 * members, so the rest is kept in one piece.
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

/** In one piece, so that it is not put together from its parts with every line. */
function restOf({ method, route, status, bytes, address }: RequestLine): string {
  const what = `,"method":"${method}","route":${quoted(route)},"status":${status}`
  return Buffer.from(`${what},"bytes":${bytes},"address":${quoted(address)}}\n`).toString()
}

const quoted = (text: string | null) => (text === null ? 'null' : `"${text}"`)

const readableRequest = (line: RequestLine) => readable('info', 'request', { ...line })

function readable(at: Level, message: string, fields: Fields): string {
  const said = Object.entries(fields).filter(([, value]) => value !== undefined)
  const rest = said.map(([name, value]) => ` ${name}=${value}`).join('')
  return `${moment().slice(11, 23)} ${at.padEnd(5)} ${tame(message + rest)}\n`
}

/** Further lines are set in, so that none looks like an entry of its own; what would steer a terminal is spelt out. */
function tame(text: string): string {
  const spelt = (character: string) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`
  return text.replace(/[\0-\x08\x0b-\x1f\x7f-\x9f]/g, spelt).replaceAll('\n', '\n    ')
}

const moment = () => isoMoment(Date.now())
