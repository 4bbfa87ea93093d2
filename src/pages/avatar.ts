import * as v from 'valibot'
import { avatarNamed } from '../forge/avatars/avatar-store.ts'
import { sendsFile } from '../forge/code/raw-file.ts'
import { storedFile } from '../forge/packages/download.ts'
import { staticText } from '../http/pipeline/static.ts'
import { found, notFound } from '../http/route/problem.ts'
import { staticContent } from '../http/route/sends.ts'
import { html } from './html.ts'
import { publicPage, route } from './route.ts'

const svg = 'image/svg+xml; charset=utf-8'
const oneWeek = { 'Cache-Control': 'public, max-age=604800' }

export const getAvatar = route('GET /avatars/{hash}', {
  summary: 'The avatar of a hash',
  access: publicPage,
  fails: [404],
  returns: staticContent(v.string(), svg),
  handler: ({ params: { hash } }) => {
    if (!/^[0-9a-f]{32}(?:[0-9a-f]{32})?$/.test(hash)) throw notFound()
    return staticText(svg, identicon(hash), oneWeek)
  },
})

export const getPicture = route('GET /avatars/pictures/{hash}', {
  ...sendsFile,
  summary: 'A picture that a user has sent for an account or a repository',
  access: publicPage,
  fails: [404, 503],
  handler: async (context) => {
    const sha256 = context.params.hash
    const { size, type } = found(await avatarNamed(context.sql, sha256))
    return storedFile(context, { size, type, sha256, etag: `"${sha256}"`, headers: oneWeek })
  },
})

/** Five by five squares, of which the left and the right half mirror each other, in a colour of the hash. */
function identicon(hash: string): string {
  const digit = (at: number) => Number.parseInt(hash.charAt(at), 16)
  const hue = Math.round((Number.parseInt(hash.slice(-3), 16) / 4096) * 360)
  const squares = Array.from({ length: 15 }, (_, at) => {
    if (digit(at) % 2 === 1) return []
    const [column, row] = [Math.floor(at / 5), at % 5]
    const columns = column === 2 ? [2] : [column, 4 - column]
    return columns.map((x) => html`<rect x="${x + 1}" y="${row + 1}" width="1" height="1"/>`)
  })
  return html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 7 7" width="140" height="140" shape-rendering="crispEdges">
<rect width="7" height="7" fill="hsl(${hue} 45% 92%)"/><g fill="hsl(${hue} 55% 42%)">${squares}</g></svg>
`.text
}
