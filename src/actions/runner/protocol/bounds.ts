import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { Problem } from '../../../http/route/problem.ts'

/**
 * Bounds the number of entries of a message before it is decoded: two bytes on the wire can become an object of a
 * hundred bytes, so a limit on bytes alone does not bound the memory of a message.
 */

/** Maximum entries of a message: log lines, steps, outputs, labels. */
const maxEntries = 50_000

/** The decompressed bytes of a message; undefined if they are not gzip or exceed `maxBytes`. */
export async function gunzipped(bytes: Buffer, maxBytes: number): Promise<Buffer | undefined> {
  return await promisify(gunzip)(bytes, { maxOutputLength: maxBytes }).catch(() => undefined)
}

/**
 * The message if it is small enough. Log lines beyond the limit are dropped: the reply acknowledges the lines that were
 * accepted, and the runner sends the rest again.
 * @throws Problem 400 no message, 413 too many entries
 */
export function boundedMessage(call: string, isBinary: boolean, bytes: Buffer): Buffer {
  if (!isBinary) {
    if (hasMoreSeparators(bytes, 4 * maxEntries)) throw tooMany()
    return bytes
  }
  let remaining = maxEntries
  for (const field of fieldsOf(bytes, 0, bytes.length)) {
    if (--remaining < 0) {
      if (call.endsWith('/UpdateLog')) return bytes.subarray(0, field.from)
      throw tooMany()
    }
    // The state of a task is a nested message.
    if (field.number !== 1 || !call.endsWith('/UpdateTask')) continue
    for (const _ of fieldsOf(bytes, field.start, field.end)) if (--remaining < 0) throw tooMany()
  }
  return bytes
}

const tooMany = () => new Problem(413, `a message has more than ${maxEntries} entries`)
const unreadable = () => new Problem(400, 'the message cannot be read')

/** Whether JSON has more than `limit` separators of entries; those inside strings count as well. */
function hasMoreSeparators(bytes: Buffer, limit: number): boolean {
  let remaining = limit
  for (const separator of [',', '{'])
    for (let at = bytes.indexOf(separator); at >= 0; at = bytes.indexOf(separator, at + 1))
      if (--remaining < 0) return true
  return false
}

interface Field {
  number: number
  /** Offsets of the field, of its content and of its end. */
  from: number
  start: number
  end: number
}

/** The fields of a message (protobuf.dev, encoding). @throws Problem 400, also for groups, which no client sends */
function* fieldsOf(bytes: Buffer, from: number, to: number): Generator<Field> {
  for (let at = from; at < to; ) {
    const key = varint(bytes, at, to)
    const kind = key.value & 7
    const body = kind === 0 || kind === 2 ? varint(bytes, key.end, to) : { value: 0, end: key.end }
    const length = kind === 1 ? 8 : kind === 5 ? 4 : kind === 2 ? body.value : 0
    if (kind === 3 || kind === 4 || kind > 5 || length > to - body.end) throw unreadable()
    const end = body.end + length
    yield { number: Math.floor(key.value / 8), from: at, start: body.end, end }
    at = end
  }
}

function varint(bytes: Buffer, from: number, to: number): { value: number; end: number } {
  let value = 0
  for (let at = from, scale = 1; at < to && at < from + 10; at++, scale *= 128) {
    const byte = bytes[at] ?? 0
    value += (byte & 127) * scale
    if (byte < 128) return { value, end: at + 1 }
  }
  throw unreadable()
}
