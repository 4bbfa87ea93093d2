import * as v from 'valibot'
import type { Page } from '../../db/page.ts'
import { paged } from './sends.ts'
import type { Schema } from './validate.ts'
import { naturalIn } from './values.ts'

/** The declaration of a list: pages of rows of this shape, which depend on the request and the database alone. */
export const pagesOf = <Row extends Schema>(row: Row) =>
  ({ query: pageQuery(), returns: paged(row), shared: 'until written' }) as const

/** `page` and `limit` query parameters; a value that is not a positive integer selects the default. */
export function pageQuery(fallback = 30, maximum = 50) {
  return {
    page: count(1, Number.MAX_SAFE_INTEGER, 'The page, counted from 1'),
    limit: count(fallback, maximum, `Rows in a page; above ${maximum} means ${maximum}`),
  }
}

function count(fallback: number, maximum: number, description: string) {
  const read = (value: unknown) => {
    const number = naturalIn(String(Array.isArray(value) ? value[0] : value).replace(/^\+/, ''))
    return number > 0 ? Math.min(number, maximum) : fallback
  }
  return v.optional(
    v.pipe(v.unknown(), v.transform(read), v.number(), v.metadata({ type: 'integer', description })),
    fallback,
  )
}

/**
 * `Link` of a page (RFC 8288): `next`, `last`, `first`, `prev`, as far as they apply; undefined when all rows are on one
 * page. The addresses have all received parameters, sorted by name; a page beyond the end counts as the last. A list that
 * is not counted to its end has no `last`.
 */
export function linkOf(
  root: string,
  url: string,
  { page, limit, total, hasMore }: Page<unknown>,
): string | undefined {
  const last = Math.max(1, Math.ceil(total / limit))
  const current = Math.min(page, last)
  const [path = '', ...queries] = url.split('?')
  const address = root + path.replace(/^\/+/, '').replace(/[<>"\\]/g, encodeURIComponent)
  const to = (target: number, rel: string) => {
    const params = new URLSearchParams(queries.join('?'))
    params.set('page', String(target))
    params.sort()
    return `<${address}?${params}>; rel="${rel}"`
  }
  const after = current < last ? [to(current + 1, 'next'), ...(hasMore ? [] : [to(last, 'last')])] : []
  const before = current > 1 ? [to(1, 'first'), to(current - 1, 'prev')] : []
  const links = [...after, ...before]
  return links.length > 0 ? links.join(',') : undefined
}
