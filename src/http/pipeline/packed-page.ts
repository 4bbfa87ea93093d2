import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { linesOf } from '../server/header.ts'
import { isNotModified } from './etag.ts'
import type { Exchange } from './exchange.ts'
import { type Reply, withoutHeaders } from './reply.ts'
import { type Encoding, preferredEncoding } from './static.ts'

/** Shorter pages, in bytes, fit into one packet as they are. */
const shortestPacked = 1_000

const pack: Readonly<Record<Exclude<Encoding, 'identity'>, (bytes: Buffer) => Promise<Buffer>>> = {
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: promisify<Buffer, Buffer>(gzip),
}

/**
 * The reply, compressed if it is a page and the client accepts that. Behind a proxy, pages are left to the proxy, which
 * runs beside this process. The tag becomes a weak one: two encodings are two representations (RFC 9110, section 8.8.3.3).
 */
export function packedPage({ req, from }: Exchange, reply: Reply): Reply | Promise<Reply> {
  const { isPage, length, chunks } = reply
  if (!isPage || length < shortestPacked || from.isProxied) return reply
  const encoding = preferredEncoding(linesOf(req, 'accept-encoding').join())
  if (encoding === 'identity') return reply
  const headers = [...withoutHeaders(reply.headers, ofPlainBody), 'Content-Encoding', encoding]
  if (reply.etag !== undefined) headers.push('ETag', `W/${reply.etag}`)
  const packed = { ...reply, headers }
  // A 304 has no body.
  if (reply.etag !== undefined && isNotModified(req, reply.etag)) return packed
  return pack[encoding](Buffer.concat(chunks)).then((bytes) => ({
    ...packed,
    headers: [...headers, 'Content-Length', String(bytes.length)],
    chunks: [bytes],
    length: bytes.length,
  }))
}

const ofPlainBody = new Set(['Content-Length', 'ETag'])
