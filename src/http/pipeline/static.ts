import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, brotliDecompress, constants, gzip } from 'node:zlib'
import type { Asset } from '../../build/asset.ts'
import { memoize } from '../../common/memoize.ts'
import type { ApiProfile } from '../route/api.ts'
import type { StaticContent } from '../route/results.ts'
import { linesOf } from '../server/header.ts'
import type { Replier } from './exchange.ts'
import { type Reply, withoutHeaders } from './reply.ts'

/** Content of a text that exists at run time only; the first request for the compressed bytes makes them. */
export function staticText(
  type: string,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): StaticContent {
  const bytes = Buffer.from(text)
  const version = createHash('sha1').update(bytes).digest('base64url')
  const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }
  return {
    type,
    version,
    headers,
    plain: async () => bytes,
    brotli: once(() => promisify(brotliCompress)(bytes, options)),
  }
}

/** Content of a file that the build has compressed; the first request for the plain bytes decompresses them. */
export function staticAsset(
  type: string,
  asset: Asset,
  headers: Readonly<Record<string, string>> = {},
): StaticContent {
  const brotli = once(async () => asset.brotli())
  const plain = once(async () => promisify(brotliDecompress)(await brotli()))
  return { type, version: asset.hash, headers, brotli, plain }
}

/** Answers with content in the encoding that the client prefers. The reply in each encoding is made once. */
export function staticReplier(status: number, profile: ApiProfile, content: StaticContent): Replier {
  const made = new Map<Encoding, Reply>()
  const make = async (encoding: Encoding) => {
    const reply = await replyIn(encoding, status, profile, content)
    made.set(encoding, reply)
    return reply
  }
  return ({ req }) => {
    const encoding = preferredEncoding(linesOf(req, 'accept-encoding').join())
    return made.get(encoding) ?? make(encoding)
  }
}

/** The encodings in the order in which the server prefers them: brotli is the smallest, the plain bytes are the largest. */
const encodings = ['br', 'gzip', 'identity'] as const
export type Encoding = (typeof encodings)[number]

const bytesIn: Readonly<Record<Encoding, (content: StaticContent) => Promise<Buffer>>> = {
  br: ({ brotli }) => brotli(),
  gzip: async ({ plain }) => await promisify(gzip)(await plain()),
  identity: ({ plain }) => plain(),
}

async function replyIn(
  encoding: Encoding,
  status: number,
  profile: ApiProfile,
  content: StaticContent,
): Promise<Reply> {
  const { type, version, headers = {} } = content
  const isPacked = encoding !== 'identity'
  // Two encodings are two representations, and a strong tag may not stand for both (RFC 9110, section 8.8.3.3).
  const etag = `"${version}${isPacked ? `-${encoding}` : ''}"`
  const bytes = await bytesIn[encoding](content)
  const length = ['Content-Length', String(bytes.length)]
  const ofBody = ['Content-Type', type, ...length, 'ETag', etag, 'Vary', 'Accept-Encoding']
  if (isPacked) ofBody.push('Content-Encoding', encoding)
  const general = withoutHeaders(profile.headers, new Set(Object.keys(headers)))
  return {
    status,
    headers: [...general, ...Object.entries(headers).flat(), ...ofBody],
    chunks: [bytes],
    length: bytes.length,
    etag,
  }
}

/**
 * The first encoding that a client accepts and to which it does not prefer the plain bytes (RFC 9110, section 12.5.3).
 * `Accept-Encoding` need not name the plain bytes, but then prefers every encoding that it names. Clients send few
 * different values.
 */
export const preferredEncoding = memoize(100, (accepted): Encoding => {
  const weights = new Map(accepted.toLowerCase().split(',').map(weightOf))
  const weight = (coding: string) => weights.get(coding) ?? weights.get('*') ?? 0
  const isWelcome = (coding: string) => weight(coding) > 0 && weight(coding) >= weight('identity')
  return encodings.find(isWelcome) ?? 'identity'
})

/** A coding and its weight (RFC 9110, section 12.4.2), which is 0 if it is malformed. */
function weightOf(element: string): [coding: string, weight: number] {
  const [coding = '', parameter = 'q=1'] = element.split(';').map((part) => part.trim())
  const [, weight = '0'] = /^q=([01](?:\.\d{0,3})?)$/.exec(parameter) ?? []
  return [coding, Number(weight)]
}

/** Makes a value at the first call; a failure is not cached. */
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
