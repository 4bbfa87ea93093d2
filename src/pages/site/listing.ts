import type { Beside, ListPart, Titled } from '../../site/titled-store.ts'
import { type Html, html, withQuery } from '../html.ts'
import { managePath } from '../session/session.ts'

/** The parts of the two lists that a page shows; undefined: the beginning. */
export interface Place {
  posts: Beside | undefined
  media: Beside | undefined
}

/** A part of a list of posts or media. */
export interface Listing<Row extends Titled = Titled> {
  rows: readonly Row[]
  /** This part; undefined: the beginning. */
  current: Beside | undefined
  /** The parts before and after it; undefined: there is none. */
  newer: Beside | undefined
  older: Beside | undefined
}

/** Rows of a list on one page. */
const listed = 20

/** The moments that a place may name: years of four digits. */
const moments = { first: Date.parse('0001-01-01'), last: Date.parse('9999-12-31T23:59:59.999Z') }

/** The part of a list that a query or a form names: `older.1767225600000.12`; undefined for anything else. */
export function besideIn(value: unknown): Beside | undefined {
  const [, side, moment, row] = /^(older|newer)\.(-?\d{1,15})\.(\d{1,16})$/.exec(String(value)) ?? []
  const [at, id] = [Number(moment), Number(row)]
  if (!(at >= moments.first && at <= moments.last) || !Number.isSafeInteger(id)) return undefined
  return { side: side === 'newer' ? 'newer' : 'older', at: new Date(at), id }
}

/** Such a name of a part. */
const textOf = ({ side, at, id }: Beside) => `${side}.${at.getTime()}.${id}`

/** The address of a part of a list; `path` is that of the list. */
export const addressOf = (path: string, part: Beside) => `${path}?at=${textOf(part)}`

export const placeIn = ({ posts, media }: { posts?: unknown; media?: unknown }): Place => ({
  posts: besideIn(posts),
  media: besideIn(media),
})

/** The two lists of a page. */
interface Lists {
  posts: Listing
  media: Listing
}

export const placeOf = ({ posts, media }: Lists): Place => ({ posts: posts.current, media: media.current })

/** The place in an address or a form; nothing where both lists are at their beginning. */
export const placeFields = ({ posts, media }: Place): Record<string, string> => ({
  ...(posts && { posts: textOf(posts) }),
  ...(media && { media: textOf(media) }),
})

/**
 * A part of a list in the order of the times that `timeOf` gives; the last part if an older one is empty, and the
 * beginning if a newer one would not fill a page.
 */
export async function listingOf<Row extends Titled>(
  read: (part: ListPart) => Promise<Row[]>,
  current: Beside | undefined,
  timeOf: (row: Row) => string = ({ created_at }) => created_at,
): Promise<Listing<Row>> {
  // One row more tells whether the list goes on.
  const rows = await read({ beside: current, count: listed + 1 })
  const hasMore = rows.length > listed
  const beside = (side: Beside['side'], row: Row | undefined) =>
    row && { side, at: new Date(timeOf(row)), id: row.id }
  if (current?.side === 'newer') {
    if (!hasMore) return listingOf(read, undefined, timeOf)
    const shown = rows.slice(1)
    return { rows: shown, current, newer: beside('newer', shown[0]), older: beside('older', shown.at(-1)) }
  }
  if (current && rows.length === 0) {
    const last = await listingOf(read, { side: 'newer', at: current.at, id: current.id - 1 }, timeOf)
    return { ...last, older: undefined }
  }
  const shown = rows.slice(0, listed)
  const older = hasMore ? beside('older', shown.at(-1)) : undefined
  return { rows: shown, current, newer: current && beside('newer', shown[0]), older }
}

/** Links to the parts of a list beside this one, if there are any. */
export function partLinks(
  { newer, older }: Listing,
  what: string,
  address: (part: Beside) => string,
): Html | undefined {
  if (!newer && !older) return undefined
  return html`<p class="actions">${newer && html`<a href="${address(newer)}">Newer ${what}</a>`}
${older && html`<a href="${address(older)}">Older ${what}</a>`}</p>`
}

/** The same, while the other list of the page stays where it is. */
export function listLinks(
  host: string,
  path: '' | '/trash',
  lists: Lists,
  list: keyof Place,
): Html | undefined {
  const section = list === 'posts' ? '#posts' : '#items'
  return partLinks(lists[list], list, (part) => {
    const address = withQuery(`${host}${managePath}${path}`, placeFields({ ...placeOf(lists), [list]: part }))
    return address + section
  })
}
