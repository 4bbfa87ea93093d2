import html from 'asset:./reference/page.html'
import style from 'asset:./reference/reference.css'
import script from 'asset:./reference/start.js'
import readerStyle from 'asset:swagger-ui-dist/swagger-ui.css'
import readerScript from 'asset:swagger-ui-dist/swagger-ui-bundle.js'
import { staticAsset } from '../http/pipeline/static.ts'
import type { StaticContent } from '../http/route/results.ts'

/** The page may load what this server sends, and nothing else (Content Security Policy 3). */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // The reader's style has its pictures in itself.
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The reference page of both APIs. */
export const page = staticAsset('text/html; charset=utf-8', html, { 'Content-Security-Policy': policy })

const css = 'text/css; charset=utf-8'
const javascript = 'text/javascript; charset=utf-8'

/** What the page loads, by name: the reader, and what starts it. */
export const files: ReadonlyMap<string, StaticContent> = new Map([
  ['start.js', staticAsset(javascript, script)],
  ['reference.css', staticAsset(css, style)],
  ['swagger-ui-bundle.js', staticAsset(javascript, readerScript)],
  ['swagger-ui.css', staticAsset(css, readerStyle)],
])
