import liveScript from 'asset:./assets/live.js'
import style from 'asset:./assets/style.css'
import { staticAsset } from '../http/pipeline/static.ts'
import { found } from '../http/route/problem.ts'
import type { StaticContent } from '../http/route/results.ts'
import { publicPage, route } from './route.ts'

/** The names of the files, for links. Each has a hash of its bytes: a file never changes under one name. */
export const assetNames = { style: `style-${style.hash}.css`, live: `live-${liveScript.hash}.js` }

const forever = { 'Cache-Control': 'public, max-age=31536000, immutable' }

const assets: ReadonlyMap<string, StaticContent> = new Map([
  [assetNames.style, staticAsset('text/css; charset=utf-8', style, forever)],
  [assetNames.live, staticAsset('text/javascript; charset=utf-8', liveScript, forever)],
])

const show = route('GET /assets/{name}', {
  operationId: 'getAsset',
  summary: 'A file that pages load',
  access: publicPage,
  fails: [404],
  returns: [200],
  sends: 'static',
  handler: ({ params: { name } }) => found(assets.get(name)),
})

export const assetRoutes = [show]
