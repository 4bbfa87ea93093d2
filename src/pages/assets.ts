import liveScript from 'asset:./assets/live.js'
import style from 'asset:./assets/style.css'
import * as v from 'valibot'
import { type Prepared, prepareAsset, sending } from '../http/pipeline/prepared.ts'
import { found } from '../http/route/problem.ts'
import { publicPage, route } from './route.ts'

/** The names of the files, for links. Each has a hash of its bytes: a file never changes under one name. */
export const assetNames = { style: `style-${style.hash}.css`, live: `live-${liveScript.hash}.js` }

const assets: ReadonlyMap<string, Prepared> = new Map([
  [assetNames.style, prepareAsset('text/css; charset=utf-8', style)],
  [assetNames.live, prepareAsset('text/javascript; charset=utf-8', liveScript)],
])

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
  ({ params: { name } }) =>
    sending(found(assets.get(name)), { 'Cache-Control': 'public, max-age=31536000, immutable' }),
)

export const assetRoutes = [show]
