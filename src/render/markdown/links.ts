import { cleanPath, type TextLocation } from '../context.ts'
import type { RenderMode } from '../request.ts'

/** Turns the relative addresses of one text into absolute ones. */
export interface Links {
  readonly host: string
  readonly location: TextLocation
  /** `{HOST}{owner}/{repo}`; undefined when the text belongs to no repository. */
  readonly repo: string | undefined
  /** The address of an `<a href>`. */
  link(url: string): string
  /** The address of an image or a video. */
  media(url: string): string
}

/** Link bases by mode: file modes use the source and media views of the ref, wikis their pages and raw files. */
export function createLinks(mode: RenderMode, location: TextLocation, host: string): Links {
  const repo =
    location.owner === '' ? undefined : `${host}${encodePath(`${location.owner}/${location.repo}`)}`
  const root = repo ?? host.replace(/\/$/, '')
  const bases = {
    link: [root, ...views[mode].link, ...(views[mode].ref ? [encodePath(location.ref)] : [])],
    media: [root, ...views[mode].media, ...(views[mode].ref ? [encodePath(location.ref)] : [])],
  }
  const dir = views[mode].ref ? location.dir : ''
  const join = (parts: string[]) => parts.filter((part) => part !== '').join('/')
  return {
    host,
    location,
    repo,
    link: (url) => resolve(url, join(bases.link), dir),
    media: (url) => resolve(url, join(bases.media), dir),
  }
}

const inRepo = { link: [], media: [], ref: false }
const inTree = { link: ['src'], media: ['media'], ref: true }
const views: Record<RenderMode, { link: string[]; media: string[]; ref: boolean }> = {
  '': inRepo,
  markdown: inRepo,
  comment: inRepo,
  gfm: inTree,
  file: inTree,
  wiki: { link: ['wiki'], media: ['wiki', 'raw'], ref: false },
}

/** Absolute as a browser sees it: white space and control characters before or inside a scheme do not hide it. */
export function isAbsolute(url: string): boolean {
  const bare = url.replace(/[\0-\x20]/g, '')
  return /^(?:[a-z][a-z\d+.-]*:|[/\\]{2})/i.test(bare)
}

/** Prefixes of anchors that the renderer writes; other fragments get the prefix of heading ids. */
const generatedAnchor = /^#(?:user-content-|fn:user-content-|fnref:user-content-)/

function resolve(url: string, base: string, dir: string): string {
  if (isAbsolute(url) || /%(?![\da-f]{2})/i.test(url)) return url
  if (url.startsWith('#'))
    return url === '#' || generatedAnchor.test(url) ? url : `#user-content-${url.slice(1)}`
  const tail = url.search(/[?#]/)
  const path = tail < 0 ? url : url.slice(0, tail)
  const whole = path.startsWith('/') ? path : `${encodePath(dir)}/${path}`
  const clean = encodePath(cleanPath(whole))
  return base + (clean === '' ? '' : `/${clean}`) + (tail < 0 ? '' : encodeSpecial(url.slice(tail)))
}

/** Percent-encodes characters that are not allowed in a path; existing escapes stay. */
function encodePath(path: string): string {
  return encodeSpecial(path).replace(/[?#]/g, encodeURIComponent)
}

function encodeSpecial(text: string): string {
  return text.toWellFormed().replace(/[^\w\-.~!$&'()*+,;=:@/%?#]/gu, encodeURIComponent)
}
