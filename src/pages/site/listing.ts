import { offsetOf } from '../../db/page.ts'
import type { RowRange, Titled } from '../../site/titled.ts'
import type { Html } from '../html.ts'
import { pageLinks } from '../layout.ts'
import { managePath } from '../session/session.ts'

/** The pages of the two lists that a page shows. */
export interface Place {
  posts: number
  media: number
}

/** A page of posts or media. */
export interface Listing<Row extends Titled = Titled> {
  rows: readonly Row[]
  page: number
  hasNext: boolean
}

/** Rows of a list on one page. */
const listed = 20

/** The pages of the two lists that a query or a form names; 1 for anything that is no page. */
export function placeIn({ posts, media }: { posts?: unknown; media?: unknown }): Place {
  const pageIn = (given: unknown) => {
    const number = Number(given)
    return Number.isSafeInteger(number) && number > 0 ? number : 1
  }
  return { posts: pageIn(posts), media: pageIn(media) }
}

/** What an address or a form says of the place; nothing where both lists are at their beginning. */
export const placeFields = ({ posts, media }: Place): Record<string, number> => ({
  ...(posts > 1 && { posts }),
  ...(media > 1 && { media }),
})

/** A page of a list; the one before it where nothing is left of it, and the first one where nothing ever was. */
export async function listingOf<Row extends Titled>(
  read: (range: RowRange) => Promise<Row[]>,
  wanted: number,
): Promise<Listing<Row>> {
  for (const page of [wanted, wanted - 1]) {
    // One row more tells whether there is a next page.
    const rows = page < 1 ? [] : await read({ first: offsetOf({ page, limit: listed }), count: listed + 1 })
    if (rows.length > 0) return { rows: rows.slice(0, listed), page, hasNext: rows.length > listed }
  }
  return wanted > 2 ? listingOf(read, 1) : { rows: [], page: 1, hasNext: false }
}

/** Links to the pages beside this one of a list, while the other list stays where it is. */
export function listLinks(
  host: string,
  path: '' | '/trash',
  parts: { posts: Listing; media: Listing },
  list: keyof Place,
): Html | undefined {
  const here = { posts: parts.posts.page, media: parts.media.page }
  const section = list === 'posts' ? '#posts' : '#items'
  const address = (to: number) => {
    const fields = Object.entries(placeFields({ ...here, [list]: to }))
    const query = new URLSearchParams(fields.map(([name, value]) => [name, String(value)])).toString()
    return `${host}${managePath.slice(1)}${path}${query === '' ? '' : `?${query}`}${section}`
  }
  return pageLinks({ ...parts[list], address }, `Newer ${list}`, `Older ${list}`)
}
