import type * as v from 'valibot'
import type { Begin, Sql } from '../../db/sql.ts'
import type { Origin } from '../server/origin.ts'
import type { Method } from './router.ts'
import type { Entries, Outputs, Schema } from './validate.ts'

export type Literal = `${Method} /${string}`

/** The parameter names in a path: `'/orgs/{org}/runs/{id}/{path...}'` gives `'org' | 'id' | 'path'`. */
type Names<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? (Name extends `${infer Before}...` ? Before : Name) | Names<Rest>
  : never

/** What every handler gets, whatever its route declares. */
export interface HandlerBase<Tools> {
  /** Time at which this run started. */
  now: Date
  sql: Sql
  begin: Begin
  /** Where the request comes from. A shared run has the origin of one of the requests that share it. */
  from: Origin
  /** What the modules of this API share, apart from the database. */
  tools: Tools
}

/** The schemas of what a request brings, as an operation declares them. */
export interface Input {
  /** Of parameters in the path that are not any text; a value that fails its schema is answered with 404. */
  params?: Entries | undefined
  query?: Entries | undefined
  body?: Schema | undefined
}

/** The values of the parameters in a path: the outputs of the declared schemas, otherwise the received text. */
type PathValues<Path extends string, Params> = {
  [Name in Names<Path>]: Params extends Record<Name, Schema> ? v.InferOutput<Params[Name]> : string
}

type None = Record<never, never>

/** What a handler gets: that, and the checked values that its route declares. */
export type HandlerContext<Tools, Caller, L extends Literal, In extends Input> = HandlerBase<Tools> & {
  caller: Caller
  /** Authorizes the request again, as things are now. @throws Problem as the access check */
  authorizeAgain: () => Promise<Caller>
  params: PathValues<L, In['params']>
  query: In['query'] extends Entries ? Outputs<In['query']> : None
  body: In['body'] extends Schema ? v.InferOutput<In['body']> : undefined
}
