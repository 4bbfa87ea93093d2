import * as v from 'valibot'
import type { Page } from '../../db/page.ts'
import type { Begin, Sql } from '../../db/sql.ts'
import { nameUnknown } from '../../forge/accounts/names.ts'
import type { ForgeAccess } from '../../forge/auth/access.ts'
import { refuseBody, refuseQuery } from '../../forge/protocol/body.ts'
import type { ForgeTools } from '../../forge/route.ts'
import { problemFromDatabaseError } from '../../http/database-errors.ts'
import { ApiRequest } from '../../http/route/api-request.ts'
import { again } from '../../http/route/confirmation.ts'
import { notFound, Outdated, Problem } from '../../http/route/problem.ts'
import type { Query } from '../../http/route/query.ts'
import { ReplyWith } from '../../http/route/results.ts'
import type { Access, RequestContext, Route } from '../../http/route/route.ts'
import type { Schema } from '../../http/route/validate.ts'
import { int } from '../../http/route/values.ts'
import type { PageTools } from '../route.ts'

/**
 * Pages call the operations of the API for the caller of the page, so that rights, checks, the change and its entry in the
 * audit trail are those of the API.
 */

/** The request to a page, from which operations are called. */
export interface OnRequest {
  readonly request: RequestContext<PageTools>
}

/** An access rule of the API for pages that call its operations. */
export const forPages = <Who extends object>(rule: ForgeAccess<Who>): Access<Who & OnRequest, PageTools> => ({
  ...rule,
  admit: async (context) => ({ ...(await rule.admit(context)), request: context }),
})

/** What an operation is called with. */
export interface Input {
  params?: Readonly<Record<string, string | number>>
  query?: Query
  body?: unknown
}

/** An operation that was authorized, and whose input is valid. */
export interface Prepared {
  /** Runs it, in the transaction `within` if there is one. @throws Problem as the operation */
  run: (within?: { sql: Sql; begin: Begin }) => Promise<unknown>
}

/**
 * Authorizes a call of an operation and checks its input.
 * @throws Problem as the operation; Outdated also if what its path names was renamed just now
 */
export async function prepare(
  { request }: OnRequest,
  operation: Route<ForgeTools>,
  { params = {}, query = {}, body }: Input = {},
): Promise<Prepared> {
  const { tools, route: _, ...head } = again(request)
  const named = Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)]))
  const called = new ApiRequest(operation, tools, { ...head, params: named, query })
  const former = Object.values(named).find((name) => !isInAddress(name, request.url))
  await explaining(operation, former, async () => {
    await called.authorize()
    called.validate(body, refuseBody, refuseQuery)
  })
  const run = async (within?: { sql: Sql; begin: Begin }) => {
    const result = await called.run(head.now, within)
    return result instanceof ReplyWith ? result.value : result
  }
  return { run: (within) => explaining(operation, former, () => run(within)) }
}

/** Whether the address of a page has a name, of whose case nothing depends. */
const isInAddress = (name: string, url: string): boolean =>
  url.toLowerCase().split(/[/?]/).includes(encodeURIComponent(name.toLowerCase()))

/**
 * The failures of an operation as the API answers them. A repetition finds what was renamed while the address of the page
 * was read; `written`, a name that this address does not have, stays a former one. @throws Problem
 */
async function explaining<Result>(
  operation: Route<ForgeTools>,
  written: string | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Problem && error.status === 307)
      throw written === undefined ? new Outdated() : notFound(nameUnknown(written))
    throw problemFromDatabaseError(error, operation.conflicts) ?? error
  }
}

/**
 * Calls an operation; gives what its handler returns. Its access rule is checked before, and again in its transaction.
 * @throws Problem as `prepare`
 */
export async function perform(
  on: OnRequest,
  operation: Route<ForgeTools>,
  input: Input = {},
): Promise<unknown> {
  return (await prepare(on, operation, input)).run()
}

/** Calls an operation whose answer has this shape. @throws Problem as the operation */
export const read = async <Shape extends Schema>(
  on: OnRequest,
  operation: Route<ForgeTools>,
  shape: Shape,
  input?: Input,
): Promise<v.InferOutput<Shape>> => v.parse(shape, await perform(on, operation, input))

/** Calls an operation that lists rows of this shape, page by page. @throws Problem as the operation */
export const readPage = async <Row extends Schema>(
  on: OnRequest,
  operation: Route<ForgeTools>,
  row: Row,
  input?: Input,
): Promise<Page<v.InferOutput<Row>>> =>
  read(
    on,
    operation,
    v.object({
      rows: v.array(row),
      total: int,
      hasMore: v.optional(v.boolean(), false),
      page: int,
      limit: int,
    }),
    input,
  )
