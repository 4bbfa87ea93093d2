import type { Page } from '../db/page.ts'
import { escapeHtml } from '../render/html/serialize.ts'

/** Markup that is complete in itself. */
export class Html {
  constructor(readonly text: string) {}
}

/** What may be inserted: text is escaped, markup is not, lists are concatenated, undefined is empty. */
export type Piece = Html | string | number | undefined | readonly Piece[]

/** Markup with inserted pieces, as content or as quoted attribute values. */
export function html(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  return new Html(strings.map((text, index) => text + textOf(pieces[index])).join(''))
}

function textOf(piece: Piece): string {
  if (piece === undefined) return ''
  if (piece instanceof Html) return piece.text
  if (typeof piece === 'object') return piece.map(textOf).join('')
  return escapeHtml(String(piece))
}

/**
 * An address that a user wrote, for `href` and `src`: normalized if it is a web address (http or https), otherwise
 * undefined, as for `javascript:` and `data:`.
 */
export function webAddress(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined
  const { protocol, href } = new URL(text)
  return protocol === 'http:' || protocol === 'https:' ? href : undefined
}

/** A link to an address that a user wrote, named without its scheme; undefined unless it is a web address. */
export function linkOf(text: string): Html | undefined {
  const address = webAddress(text)
  return address === undefined
    ? undefined
    : html`<a href="${address}" rel="noopener noreferrer nofollow ugc">${text.replace(/^https?:\/\//i, '')}</a>`
}

/** An address with the parameters of a query that are not empty. */
export function withQuery(address: string, query: Readonly<Record<string, string | number>>): string {
  const text = new URLSearchParams(withoutEmpty(query)).toString()
  return text === '' ? address : `${address}?${text}`
}

/** The parameters of a query that are not empty, as texts. */
export const withoutEmpty = (query: Readonly<Record<string, string | number>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) => (value === '' ? [] : [[name, String(value)]])),
  )

/** A moment as people read it, in UTC; `iso` as the database gives it. */
export function timeOf(iso: string): Html {
  const [day = '', time = ''] = iso.split('T')
  return html`<time datetime="${iso}">${day} ${time.slice(0, 5)} UTC</time>`
}

/** `1 repository`, `2 repositories`. */
export const counted = (count: number, one: string, many = `${one}s`) =>
  `${count} ${count === 1 ? one : many}`

/** How many rows a list has, as far as they are counted: `More than 1000 issues`. */
export const sizeOf = (
  { total, hasMore }: Pick<Page<unknown>, 'total' | 'hasMore'>,
  one: string,
  many?: string,
) => (hasMore ? `More than ${counted(total, one, many)}` : counted(total, one, many))

/** What a list says without rows: it names what is not there, and whether it may be beside what is shown. */
export function noneOf(
  [one, many = `${one}s`]: readonly [one: string, many?: string],
  { isFiltered = false, page = 1 }: { isFiltered?: boolean; page?: number } = {},
): string {
  if (page > 1) return `No ${many} on this page of the list.`
  return isFiltered ? `No ${many} match what you look for.` : `No ${many} yet.`
}

/** A number of bytes as people read it: `12 B`, `3.4 kB`. */
export function bytesOf(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  const value = bytes / 1000 ** step
  return `${step === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[step]}`
}
