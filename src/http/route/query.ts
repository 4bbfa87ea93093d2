import { parse } from 'node:querystring'

/** A parsed query string: the value of a name given once is a string, of a repeated name an array in request order. */
export type Query = Readonly<Record<string, string | string[] | undefined>>

const none: Query = Object.freeze({})

/** Parses the query of a request target (`/path?a=1&a=2`). Broken percent-escapes stay as they are; never throws. */
export function readQuery(url: string): Query {
  const mark = url.indexOf('?')
  return mark === -1 ? none : parse(url.slice(mark + 1))
}

/** The first value given for a name, or undefined. */
export function first(query: Query, name: string): string | undefined {
  const value = query[name]
  return Array.isArray(value) ? value[0] : value
}
