import html from 'asset:./reference/page.html'
import style from 'asset:./reference/reference.css'
import script from 'asset:./reference/start.js'
import readerStyle from 'asset:swagger-ui-dist/swagger-ui.css'
import readerScript from 'asset:swagger-ui-dist/swagger-ui-bundle.js'
import { type Prepared, prepareAsset } from '../http/pipeline/prepared.ts'

/** The reference page of both APIs. */
export const page = prepareAsset('text/html; charset=utf-8', html)

/** The page may load what this server sends, and nothing else (Content Security Policy 3). */
export const policy = [
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

const css = 'text/css; charset=utf-8'
const javascript = 'text/javascript; charset=utf-8'

/** What the page loads, by name: the reader, and what starts it. */
export const files: ReadonlyMap<string, Prepared> = new Map([
  ['start.js', prepareAsset(javascript, script)],
  ['reference.css', prepareAsset(css, style)],
  ['swagger-ui-bundle.js', prepareAsset(javascript, readerScript)],
  ['swagger-ui.css', prepareAsset(css, readerStyle)],
])
