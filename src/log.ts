import * as v from 'valibot'
import { isoMoment } from './units.ts'

export const levels = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type Level = (typeof levels)[number]
export const level = v.picklist(levels)

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
}

/**
 * A log with one line per message: JSON, or readable text when `sink` is a terminal.
 * Lines of one turn of the event loop are written together, which makes a line per request affordable.
 */
export function createLog(lowest: Level, sink: Sink = process.stdout): Log {
  const threshold = levels.indexOf(lowest)
  const enabled = (at: Level) => levels.indexOf(at) >= threshold
  const format = sink.isTTY ? readable : json
  const requestFormat = sink.isTTY ? readableRequest : jsonRequest
  let waiting = ''
  const flush = () => {
    const text = waiting
    waiting = ''
    if (text) sink.write(text)
  }
  const add = (line: string) => {
    if (!waiting) setImmediate(flush)
    waiting += line
  }
  const writer = (at: Level) => {
    if (!enabled(at)) return () => {}
    return (message: string, fields: Fields = {}) => add(format(at, message, fields))
  }
  process.once('exit', flush)
  return {
    enabled,
    debug: writer('debug'),
    info: writer('info'),
    warn: writer('warn'),
    error: writer('error'),
    request: enabled('info') ? (line) => add(requestFormat(line)) : () => {},
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

/** The line that is written more often than all others, without a look at what its fields are. */
function jsonRequest({ id, method, route, status, ms, bytes, address }: RequestLine): string {
  const what = `"id":"${id}","method":"${method}","route":${quoted(route)},"status":${status}`
  const how = `"ms":${ms},"bytes":${bytes},"address":${quoted(address)}`
  return `{"time":"${moment()}","level":"info","message":"request",${what},${how}}\n`
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
