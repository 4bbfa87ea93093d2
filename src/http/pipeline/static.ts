import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, brotliDecompress, constants } from 'node:zlib'
import type { Asset } from '../../build/asset.ts'
import type { ApiProfile } from '../route/api.ts'
import type { StaticContent } from '../route/results.ts'
import { headerOf } from '../server/header.ts'
import { type Reply, withoutHeaders } from './reply.ts'

/** Content of a text that exists at run time only; it is compressed when somebody first asks for that. */
export function staticText(type: string, text: string): StaticContent {
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

/** Content of a file that the build has compressed; it is decompressed when somebody first asks for that. */
export function staticAsset(
  type: string,
  asset: Asset,
  headers: Readonly<Record<string, string>> = {},
): StaticContent {
  const brotli = once(async () => asset.brotli())
  const plain = once(async () => promisify(brotliDecompress)(await brotli()))
  return { type, version: asset.hash, headers, brotli, plain }
}

/** The reply with content in the encoding that the client takes. */
export async function staticReply(
  req: IncomingMessage,
  status: number,
  profile: ApiProfile,
  { type, version, headers = {}, plain, brotli }: StaticContent,
): Promise<Reply> {
  const isPacked = takesBrotli(headerOf(req, 'accept-encoding'))
  // Two encodings are two representations, and a strong tag may not stand for both (RFC 9110, section 8.8.3.3).
  const etag = `"${version}${isPacked ? '-br' : ''}"`
  const bytes = await (isPacked ? brotli() : plain())
  const own = [
    'Content-Type',
    type,
    'Content-Length',
    String(bytes.length),
    'ETag',
    etag,
    'Vary',
    'Accept-Encoding',
  ]
  if (isPacked) own.push('Content-Encoding', 'br')
  const general = withoutHeaders(profile.headers, new Set(Object.keys(headers)))
  return {
    status,
    headers: [...general, ...Object.entries(headers).flat(), ...own],
    chunks: [bytes],
    length: bytes.length,
    etag,
  }
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
