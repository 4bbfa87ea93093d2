import { parse } from 'node:querystring'

/** A parsed query string: the value of a name is a string, or an array in the order of the query if the name is repeated. */
export type Query = Readonly<Record<string, string | string[] | undefined>>

const none: Query = Object.freeze({})

/** Parses the query of a request target (`/path?a=1&a=2`). Broken percent-escapes stay as they are; never throws. */
export function readQuery(url: string): Query {
  const mark = url.indexOf('?')
  return mark === -1 ? none : parse(url.slice(mark + 1))
}

/** The first value of a name, or undefined. */
export function first(query: Query, name: string): string | undefined {
  const value = query[name]
  return Array.isArray(value) ? value[0] : value
}
