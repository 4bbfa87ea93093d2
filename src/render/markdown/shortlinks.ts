import { element } from '../html/tree.ts'
import type { Match, Matcher } from './inline.ts'
import { isAbsolute, type Links } from './links.ts'

const image = /\.(?:jpe?g|png|tiff?|webp|gif|bmp|ico|svg)$/i

/** `[[Name]]`, `[[Text|Target]]` and `[[Text|image.png|alt=…|title=…]]`. */
export function shortLinks(links: Links): Matcher {
  return {
    hint: /\[\[/,
    pattern: /\[\[([^[\]\n]{1,1000})\]\]/g,
    build: ([, inside = '']) => build(inside, links),
  }
}

function build(inside: string, links: Links): Match | undefined {
  const [first = '', ...rest] = inside.split('|').map((part) => part.trim())
  const values = new Map(rest.flatMap(readOption))
  const target = rest.find((part) => readOption(part).length === 0) ?? values.get('link') ?? first
  const name = values.get('name') ?? first
  if (target === '' || name === '') return undefined
  const isImage = image.test(target)
  const url = encodeTarget(target, isImage)
  const href = links.link(url)
  if (!isImage) return [element('a', { href }, name)]
  // An empty option counts as absent.
  const alt = values.get('alt') || undefined
  const title = values.get('title') || (alt ?? name.slice(name.lastIndexOf('/') + 1))
  return [element('a', { href }, element('img', { src: links.media(url), title, alt: alt ?? name }))]
}

const options = new Set(['alt', 'title', 'link', 'name', 'class', 'width', 'height', 'align'])

/** `alt="a text"`, in any common quotes or without. */
function readOption(part: string): [string, string][] {
  const [name = '', ...rest] = part.split('=')
  const key = name.trim().toLowerCase()
  const value = rest.join('=').trim()
  return rest.length > 0 && options.has(key) ? [[key, value.replace(/^["'“‘](.*)["'”’]$/, '$1')]] : []
}

/** A page name as an address: spaces become `-` (`+` for images), the rest is percent-encoded. */
function encodeTarget(target: string, isImage: boolean): string {
  if (isAbsolute(target) || target.startsWith('#') || target.includes('/')) return target
  return target
    .toWellFormed()
    .split(' ')
    .map(encodeURIComponent)
    .join(isImage ? '+' : '-')
}
