import * as v from 'valibot'
import type { Page } from '../../db/page.ts'
import type { ReplyWith, StaticContent, Stream } from './results.ts'
import type { Schema } from './validate.ts'

/** How a success is sent: `test/contract/routes.txt` names it. */
type Kind =
  | 'value'
  | 'page'
  | 'numbered'
  | 'searched'
  | 'counted'
  | 'batches'
  | 'static'
  | 'stream'
  | 'value or stream'

/** How a page of a list is sent; the total is always in `X-Total-Count`, other pages in `Link` (RFC 8288). */
export interface PageForm {
  bodyOf: (page: Page<unknown>) => unknown
  /** With the numbers of the page and of all pages in headers. */
  isNumbered: boolean
}

/** The members of `Sends` that the pipeline, the documents and the tests read. */
export interface Sending {
  readonly kind: Kind
  /** Status of the success. */
  readonly status: number
  /** Shape of the body; undefined: there is none. */
  readonly shape: Schema | undefined
  /** Media type, if the body is not JSON. */
  readonly media: string | undefined
  /** Undefined if the handler does not return a page. */
  readonly page: PageForm | undefined
}

/** The success of an operation, made by one of the functions below. `Result` is what its handler returns. */
export interface Sends<in Result> extends Sending {
  /** Always absent: it only lets the compiler infer `Result`. */
  readonly takes?: (result: Result) => void
}

/** A value, or the value with other headers or another status. */
type Answer<Value> = Value | ReplyWith<Value>

const plain = { kind: 'value', shape: undefined, media: undefined, page: undefined } as const
const rowsAlone: PageForm = { bodyOf: ({ rows }) => rows, isNumbered: false }

/** A value as JSON. */
export const json = <Shape extends Schema>(
  status: number,
  shape: Shape,
): Sends<Answer<v.InferInput<Shape>>> => ({ ...plain, status, shape })

/** No body; what the handler returns is ignored. */
export const noBody = (status: number): Sends<unknown> => ({ ...plain, status })

/** A text of this media type. */
export const textAs = (status: number, media: string): Sends<Answer<string>> => ({
  ...plain,
  status,
  shape: v.string(),
  media,
})

/** A page of rows of this shape, with `Link` and `X-Total-Count`. */
export const paged = <Row extends Schema>(row: Row): Sends<Answer<Page<v.InferInput<Row>>>> => ({
  ...plain,
  kind: 'page',
  status: 200,
  shape: v.array(row),
  page: rowsAlone,
})

/** The same, also with the numbers of the page and of all pages in headers. */
export const numbered = <Row extends Schema>(row: Row): Sends<Answer<Page<v.InferInput<Row>>>> => ({
  ...paged(row),
  kind: 'numbered',
  page: { ...rowsAlone, isNumbered: true },
})

/** An object whose first member is the list. */
type ListShape<Row> = v.GenericSchema<Readonly<Record<string, readonly Row[] | number>>> & {
  entries: v.ObjectEntries
}

const nameIn = ({ entries }: { entries: v.ObjectEntries }) => Object.keys(entries)[0] ?? ''

/** A page in an object, as `{"topics":[…]}`. */
export function pagedIn<Row>(list: ListShape<Row>): Sends<Answer<Page<Row>>> {
  const name = nameIn(list)
  const bodyOf = ({ rows }: Page<unknown>) => ({ [name]: rows })
  return { ...plain, kind: 'page', status: 200, shape: list, page: { ...rowsAlone, bodyOf } }
}

/** A page with its total, as `{"jobs":[…],"total_count":…}`. */
export function counted<Row>(list: ListShape<Row>): Sends<Answer<Page<Row>>> {
  const name = nameIn(list)
  const bodyOf = ({ rows, total }: Page<unknown>) => ({ [name]: rows, total_count: total })
  return { ...plain, kind: 'counted', status: 200, shape: list, page: { ...rowsAlone, bodyOf } }
}

/** A page of search results, as `{"ok":true,"data":[…]}`. */
export const searched = <Row>(
  results: v.GenericSchema<{ ok: boolean; data: Row[] }>,
): Sends<Answer<Page<Row>>> => ({
  ...plain,
  kind: 'searched',
  status: 200,
  shape: results,
  page: { ...rowsAlone, bodyOf: ({ rows }) => ({ ok: true, data: rows }) },
})

/** A long list as a JSON array, which the handler yields in batches: its rows are never all in memory at once. */
export const batched = <Row extends Schema>(
  status: number,
  row: Row,
): Sends<Answer<AsyncIterable<readonly v.InferInput<Row>[]>>> => ({
  ...plain,
  kind: 'batches',
  status,
  shape: v.array(row),
})

/**
 * The handler runs inside the limiter and returns the function that uses the request and response streams, which runs
 * outside of it.
 */
export const streamed = (status: number, shape?: Schema, media?: string): Sends<Stream> => ({
  ...plain,
  kind: 'stream',
  status,
  shape,
  media,
})

/** A value as JSON, or a stream in its place. */
export const jsonOrStream = <Shape extends Schema>(
  status: number,
  shape: Shape,
): Sends<Answer<v.InferInput<Shape>> | Stream> => ({ ...plain, kind: 'value or stream', status, shape })

/** Bytes that are the same for all clients; the handler uses no database and runs outside the limiter. */
export const staticContent = (shape?: Schema, media?: string): Sends<StaticContent> => ({
  ...plain,
  kind: 'static',
  status: 200,
  shape,
  media,
})
