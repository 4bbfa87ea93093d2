import * as v from 'valibot'
import type { Page } from '../../db/page.ts'
import {
  type ForgeAccess,
  type SignedIn,
  type SignedInOnSubject,
  siteAdmin,
  siteAdminOn,
} from '../../forge/auth/access.ts'
import { refuseBody } from '../../forge/protocol/body.ts'
import type { ForgeTools } from '../../forge/route.ts'
import { problemFromDatabaseError } from '../../http/database-errors.ts'
import { ApiRequest } from '../../http/route/api-request.ts'
import { again } from '../../http/route/confirmation.ts'
import { Outdated, Problem } from '../../http/route/problem.ts'
import type { Query } from '../../http/route/query.ts'
import { Completion } from '../../http/route/results.ts'
import type { Access, RequestContext, Route } from '../../http/route/route.ts'
import type { Schema } from '../../http/route/validate.ts'
import { int } from '../../http/route/values.ts'
import type { PageTools } from '../route.ts'
import { orSignIn } from '../session/session.ts'

/**
 * Pages of administrators call the operations of the API for the caller of the page, so that rights, checks, the change
 * and its entry in the audit trail are those of the API.
 */

/** The request to a page, from which operations are called. */
interface OnRequest {
  readonly request: RequestContext<PageTools>
}

/** An administrator who asks for a page. */
export type Administrator = SignedIn & OnRequest

/** The same, with the account that the path names. */
export type AdministratorOn = SignedInOnSubject & OnRequest

/** The address of a path of the administration. */
export const adminAddress = ({ request }: OnRequest, path: string): string =>
  `${request.from.host}-/admin/${path}`

/** Site administrators; who is not signed in is sent to the sign-in page. */
export const administrator: Access<Administrator, PageTools> = forPages('administrator', siteAdmin())

/** The same, on the account `{username}`. */
export const administratorOn: Access<AdministratorOn, PageTools> = forPages('administratorOn', siteAdminOn())

/** What an operation is called with. */
interface Input {
  params?: Readonly<Record<string, string | number>>
  query?: Query
  body?: unknown
}

/**
 * Calls an operation; gives what its handler returns. Its access rule is checked before, and again in its transaction.
 * @throws Problem as the operation; Outdated also if the account in its path was renamed just now
 */
export async function perform(
  { request }: OnRequest,
  operation: Route<ForgeTools>,
  { params = {}, query = {}, body }: Input = {},
): Promise<unknown> {
  const { tools, route: _, ...head } = again(request)
  const named = Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)]))
  try {
    const called = new ApiRequest(operation, tools, { ...head, params: named, query })
    await called.authorize()
    called.validate(body, refuseBody)
    const result = await called.run(head.now)
    return result instanceof Completion ? await result.orAbandon(result.complete()) : result
  } catch (error) {
    if (error instanceof Problem && error.status === 307) throw new Outdated()
    throw problemFromDatabaseError(error, operation.conflicts) ?? error
  }
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

function forPages<Who extends SignedIn>(
  name: string,
  rule: ForgeAccess<Who>,
): Access<Who & OnRequest, PageTools> {
  return orSignIn({
    ...rule,
    name,
    admit: async (context) => ({ ...(await rule.admit(context)), request: context }),
  })
}
