import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { Problem } from '../../../http/route/problem.ts'

/**
 * How much a message may hold, looked at before it is read: what two bytes say becomes an object of a hundred, so that
 * bytes alone do not bound what a message costs.
 */

/** Entries of a message at most: lines, steps, outputs, labels. */
const mostEntries = 50_000

/** The bytes of a message that was sent compressed; undefined when they are none, or too many. */
export async function expanded(bytes: Buffer, most: number): Promise<Buffer | undefined> {
  return await promisify(gunzip)(bytes, { maxOutputLength: most }).catch(() => undefined)
}

/**
 * A message as it may be read. Of lines of a log as many are left as may come at once: how many were taken is answered,
 * and a runner sends the rest again. @throws Problem 400 no message, 413 too many entries
 */
export function bounded(call: string, isBinary: boolean, bytes: Buffer): Buffer {
  if (!isBinary) {
    if (hasSigns(bytes, 4 * mostEntries)) throw tooMany()
    return bytes
  }
  let left = mostEntries
  for (const field of fieldsOf(bytes, 0, bytes.length)) {
    if (--left < 0) {
      if (call.endsWith('/UpdateLog')) return bytes.subarray(0, field.from)
      throw tooMany()
    }
    // The state of a task is a message that holds others.
    if (field.number !== 1 || !call.endsWith('/UpdateTask')) continue
    for (const _ of fieldsOf(bytes, field.start, field.end)) if (--left < 0) throw tooMany()
  }
  return bytes
}

const tooMany = () => new Problem(413, `a message has more than ${mostEntries} entries`)
const unreadable = () => new Problem(400, 'the message cannot be read')

/** Whether JSON has more than so many signs that separate entries; those inside of texts count too. */
function hasSigns(bytes: Buffer, more: number): boolean {
  let left = more
  for (const sign of [',', '{'])
    for (let at = bytes.indexOf(sign); at >= 0; at = bytes.indexOf(sign, at + 1)) if (--left < 0) return true
  return false
}

interface Field {
  number: number
  /** Where it begins, where its content begins, and where it ends. */
  from: number
  start: number
  end: number
}

/** The fields of a message (protobuf.dev, encoding); groups, which nobody sends, are refused. @throws Problem 400 */
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
