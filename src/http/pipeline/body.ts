import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { badRequest, busy, Problem } from '../route/problem.ts'
import { headerOf } from '../server/header.ts'
import { Blocks } from './blocks.ts'
import { bodyMemory } from './body-memory.ts'

/** Limits of a request body. */
export interface BodyLimits {
  /** Largest accepted body, in bytes. */
  bytes: number
  /** Longest time from the first to the last byte, in milliseconds. */
  milliseconds: number
  /** Whether a compressed body is accepted; `bytes` applies to the compressed size. */
  packed?: boolean
}

/** Options of `readBody`. */
interface ReadOptions {
  limits: BodyLimits
  /** The client. */
  from: { readonly address: string }
  /** Called when the client may send the body (100 Continue). */
  invite?: () => void
}

/**
 * Reads a body into memory; returns a promise only if it has not arrived completely. A body whose `Content-Length` is too
 * large is refused before its first byte is read.
 * @throws Problem 400 ended early, 408 too slow, 413 too large, 415 compressed, 503 too much memory is held
 */
export function readBody(
  req: IncomingMessage,
  { limits, from, invite }: ReadOptions,
): Buffer | Promise<Buffer> {
  if (!limits.packed) requireUncompressed(req)
  const announced = Number(headerOf(req, 'content-length') ?? 0)
  if (announced > limits.bytes) throw tooLarge(limits)
  invite?.()
  const hasArrived = req.complete || (announced > 0 && req.readableLength === announced)
  return hasArrived && !req.destroyed ? takeWhole(req, limits) : collect(req, limits, from.address, announced)
}

/** @throws Problem 415 */
export function requireUncompressed(req: IncomingMessage): void {
  const encoding = headerOf(req, 'content-encoding')
  if (encoding && encoding !== 'identity')
    throw new Problem(415, `content-encoding ${encoding} is not supported`)
}

/** A short body mostly arrives with the head: it needs no listeners, no timer and no account of its memory. */
function takeWhole(req: IncomingMessage, limits: BodyLimits): Buffer {
  if (req.readableLength > limits.bytes) throw tooLarge(limits)
  const chunks: Buffer[] = []
  // Node 26 gives one chunk at a time, node 20 all of them in one.
  for (let chunk: Buffer | null = req.read(); chunk !== null; chunk = req.read()) chunks.push(chunk)
  // Node frees the request at its end, which is only read while data flows.
  req.resume()
  const [only = none] = chunks
  return chunks.length > 1 ? Buffer.concat(chunks) : only
}

const none = Buffer.alloc(0)

function collect(
  req: IncomingMessage,
  limits: BodyLimits,
  address: string,
  announced: number,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const blocks = new Blocks(announced)
    const timer = setTimeout(() => finish(late()), limits.milliseconds)
    const onData = (chunk: Buffer) => {
      if (blocks.size + chunk.length > limits.bytes) finish(tooLarge(limits))
      else reservation.add(blocks.add(chunk))
    }
    const onEnd = () => finish()
    const onClose = () => finish(endedEarly())
    const finish = (problem?: Problem) => {
      clearTimeout(timer)
      req.off('data', onData).off('end', onEnd).off('error', onClose).off('close', onClose)
      reservation.release()
      const whole = problem ? undefined : blocks.join()
      blocks.clear()
      if (whole) return resolve(whole)
      req.pause()
      reject(problem)
    }
    const reservation = bodyMemory.open(address, limits.bytes, () => finish(evicted()))
    req.on('data', onData).on('end', onEnd).on('error', onClose).on('close', onClose)
    // A connection that closed during authorization emits no further events.
    if (req.destroyed) onClose()
  })
}

const evicted = () => busy('the server is busy', 'unfinished bodies hold too much memory')

export const endedEarly = () => badRequest('the body ended too early')

export const late = () => new Problem(408, 'the body did not arrive in time')

export const tooLarge = (limits: { bytes: number }) =>
  new Problem(413, `the body is larger than ${limits.bytes} bytes`)

/**
 * Decodes a UTF-8 body.
 * @throws Problem 400 if it is not UTF-8
 */
export function decode(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw badRequest('the body is not UTF-8')
  return bytes.toString('utf8')
}

/**
 * Parses a JSON body; `undefined` if it is empty. A byte order mark, which some programs write, is ignored (RFC 8259,
 * section 8.1). PostgreSQL cannot store NUL characters, and lone surrogates are not valid Unicode, so a body that contains
 * either is refused.
 * @throws Problem 400
 */
export function readJson(bytes: Buffer): unknown {
  return parse(bytes, refuseText)
}

/**
 * Parses a JSON body that is not stored: it may contain NUL characters.
 * @throws Problem 400
 */
export function readUnstoredJson(bytes: Buffer): unknown {
  return parse(bytes, refuseSurrogates)
}

function parse(bytes: Buffer, refuse: (text: string) => void): unknown {
  if (bytes.length === 0) return undefined
  const text = decode(bytes).replace(/^\ufeff/, '')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw badRequest('the body is not valid JSON')
  }
  // Both can only be written as \u escapes: a raw NUL is not valid JSON, a raw surrogate not valid UTF-8.
  if (text.includes('\\u')) refuseIn(value, refuse)
  return value
}

/**
 * Parses a body by its media type: JSON, or another type that the route accepts as JSON.
 * @throws Problem 400, 415
 */
export function jsonBody(
  bytes: Buffer,
  contentType: string | undefined,
  accepts: readonly string[],
): unknown {
  if (bytes.length === 0) return undefined
  const media = contentType?.split(';', 1)[0]?.trim().toLowerCase()
  if (media !== 'application/json' && !accepts.includes(media ?? '')) {
    throw new Problem(415, 'the body must be sent as content-type application/json')
  }
  const charset = foreignCharset(contentType)
  if (charset !== undefined) throw new Problem(415, `the body must be sent in UTF-8, not in ${charset}`)
  return readJson(bytes)
}

/** The encoding that the type of a body names, unless it is read as UTF-8 (RFC 8259 §8.1). */
export function foreignCharset(contentType: string | undefined): string | undefined {
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType ?? '')?.[1]
  return charset === undefined || /^(?:utf-?8|us-ascii)$/i.test(charset) ? undefined : charset
}

/** Uses an explicit stack, because a body may nest deeper than the call stack allows. */
function refuseIn(root: unknown, refuse: (text: string) => void): void {
  const pending: unknown[] = [root]
  while (pending.length > 0) {
    const value = pending.pop()
    if (typeof value === 'string') refuse(value)
    else if (Array.isArray(value)) for (const item of value) pending.push(item)
    else if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value)) pending.push(key, item)
    }
  }
}

function refuseText(text: string): void {
  if (text.includes('\0')) throw badRequest('the body must not contain NUL characters')
  refuseSurrogates(text)
}

function refuseSurrogates(text: string): void {
  if (!text.isWellFormed()) throw badRequest('the body must not contain lone surrogates')
}
