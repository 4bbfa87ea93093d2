import liveScript from 'asset:./assets/live.js'
import style from 'asset:./assets/style.css'
import * as v from 'valibot'
import { isNotModified } from '../http/pipeline/etag.ts'
import { found } from '../http/route/problem.ts'
import type { Stream } from '../http/route/results.ts'
import { headerOf } from '../http/server/header.ts'
import { publicPage, route } from './route.ts'

/** A file that pages load. Its name has a hash of its bytes: it never changes under one name. */
interface Asset {
  type: string
  plain: Buffer
  brotli: Buffer
}

const named = (name: string, extension: string, { hash }: { hash: string }) => `${name}-${hash}.${extension}`

/** The names of the files, for links. */
export const assetNames = { style: named('style', 'css', style), live: named('live', 'js', liveScript) }

const assets: ReadonlyMap<string, Asset> = new Map([
  [assetNames.style, assetOf('text/css; charset=utf-8', style)],
  [assetNames.live, assetOf('text/javascript; charset=utf-8', liveScript)],
])

function assetOf(type: string, { text, brotli }: { text: string; brotli: () => Buffer }): Asset {
  return { type, plain: Buffer.from(text), brotli: brotli() }
}

const show = route(
  'GET /assets/{name}',
  {
    operationId: 'getAsset',
    summary: 'A file that pages load',
    access: publicPage,
    params: { name: v.string() },
    fails: [404],
    returns: [200],
    sends: 'stream',
  },
  ({ params: { name } }) => sending(name, found(assets.get(name))),
)

export const assetRoutes = [show]

const sending =
  (name: string, { type, plain, brotli }: Asset): Stream =>
  async (req, res) => {
    const packs = /\bbr\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(headerOf(req, 'accept-encoding') ?? '')
    const etag = `"${name}${packs ? '-br' : ''}"`
    const bytes = packs ? brotli : plain
    res.setHeader('ETag', etag)
    res.setHeader('Vary', 'Accept-Encoding')
    res.setHeader('Cache-Control', 'public, max-age=31536000, immutable')
    if (isNotModified(req, etag)) {
      res.writeHead(304).end()
      return
    }
    if (packs) res.setHeader('Content-Encoding', 'br')
    res.writeHead(200, { 'Content-Type': type, 'Content-Length': bytes.length })
    res.end(req.method === 'HEAD' ? undefined : bytes)
  }
