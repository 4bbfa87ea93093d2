import codeScript from 'asset:./assets/code.js'
import conversationScript from 'asset:./assets/conversation.js'
import formScript from 'asset:./assets/form.js'
import keysScript from 'asset:./assets/keys.js'
import liveScript from 'asset:./assets/live.js'
import runScript from 'asset:./assets/run.js'
import style from 'asset:./assets/style.css'
import { staticAsset } from '../http/pipeline/static.ts'
import { found } from '../http/route/problem.ts'
import type { StaticContent } from '../http/route/results.ts'
import { staticContent } from '../http/route/sends.ts'
import { assetNames } from './asset-names.ts'
import { publicPage, route } from './route.ts'

const forever = { 'Cache-Control': 'public, max-age=31536000, immutable' }

const script = 'text/javascript; charset=utf-8'

const assets: ReadonlyMap<string, StaticContent> = new Map([
  [assetNames.style, staticAsset('text/css; charset=utf-8', style, forever)],
  [assetNames.keys, staticAsset(script, keysScript, forever)],
  [assetNames.live, staticAsset(script, liveScript, forever)],
  [assetNames.form, staticAsset(script, formScript, forever)],
  [assetNames.code, staticAsset(script, codeScript, forever)],
  [assetNames.conversation, staticAsset(script, conversationScript, forever)],
  [assetNames.run, staticAsset(script, runScript, forever)],
])

export const getAsset = route('GET /assets/{name}', {
  summary: 'A file that pages load',
  access: publicPage,
  fails: [404],
  returns: staticContent(),
  handler: ({ params: { name } }) => found(assets.get(name)),
})
