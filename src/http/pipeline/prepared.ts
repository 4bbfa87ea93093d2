import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, brotliDecompress, constants } from 'node:zlib'
import type { Asset } from '../../build/asset.ts'
import type { Stream } from '../route/results.ts'
import { headerOf } from '../server/header.ts'
import { isNotModified } from './etag.ts'

/** A reply that is the same for everybody, as bytes in two encodings. */
export interface Prepared {
  /** Its `Content-Type`. */
  type: string
  /** Identifies the bytes: the opaque part of the entity tag. */
  version: string
  plain: () => Promise<Buffer>
  brotli: () => Promise<Buffer>
}

/** Prepares a text that exists at run time only; it is compressed when somebody first asks for that. */
export function prepare(type: string, text: string): Prepared {
  const bytes = Buffer.from(text)
  const version = createHash('sha1').update(bytes).digest('base64url')
  const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }
  return {
    type,
    version,
    plain: async () => bytes,
    brotli: once(() => promisify(brotliCompress)(bytes, options)),
  }
}

/** Prepares a file that the build has compressed; it is decompressed when somebody first asks for that. */
export function prepareAsset(type: string, asset: Asset): Prepared {
  const brotli = once(async () => asset.brotli())
  const plain = once(async () => promisify(brotliDecompress)(await brotli()))
  return { type, version: asset.hash, brotli, plain }
}

/** Sends it with these headers beside its own: compressed to those who take that, 304 to those who have it. */
export const sending =
  (prepared: Prepared, headers: Readonly<Record<string, string>> = {}): Stream =>
  async (req, res) => {
    const isPacked = takesBrotli(headerOf(req, 'accept-encoding'))
    // Two encodings are two representations, and a strong tag may not stand for both (RFC 9110, section 8.8.3.3).
    const etag = `"${prepared.version}${isPacked ? '-br' : ''}"`
    const isKnown = isNotModified(req, etag)
    const bytes = await (isPacked ? prepared.brotli() : prepared.plain())
    for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
    res.setHeader('ETag', etag)
    res.setHeader('Vary', 'Accept-Encoding')
    if (isKnown) return void res.writeHead(304).end()
    if (isPacked) res.setHeader('Content-Encoding', 'br')
    res.writeHead(200, { 'Content-Type': prepared.type, 'Content-Length': bytes.length })
    res.end(req.method === 'HEAD' ? undefined : bytes)
  }

/** Whether `Accept-Encoding` names brotli and does not refuse it (RFC 9110, section 12.5.3). */
function takesBrotli(accepted: string | undefined): boolean {
  return (accepted ?? '').split(',').some((each) => {
    const [coding = '', weight = 'q=1'] = each.toLowerCase().split(';')
    return coding.trim() === 'br' && !/^q=0(?:\.0*)?$/.test(weight.trim())
  })
}

/** Makes a value at the first call; a failure is not kept. */
function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined
      throw error
    })
    return made
  }
}
