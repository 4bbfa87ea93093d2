import type { IncomingMessage, ServerResponse } from 'node:http'
import { again, confirming } from './confirmation.ts'
import type { HandlerBase } from './handler-context.ts'
import { notFound, type Problem } from './problem.ts'
import type { ReceivedForm } from './results.ts'
import type { RequestContext, RequestHead, Route } from './route.ts'
import { type Issues, noValues } from './validate.ts'

/** What a run may use in place of what the request has. */
type Replacements = Partial<Pick<HandlerBase<unknown>, 'sql' | 'begin' | 'from'>>

/** One request to an operation. It goes through `authorize`, `validate` and `run`: each uses what the previous one has set. */
export class ApiRequest<Tools = unknown> {
  readonly context: RequestContext<Tools>
  /** Who sends it; set by `authorize`. */
  caller: unknown
  /** The checked values; set by `validate`. */
  params: unknown
  query: unknown
  body: unknown

  constructor(
    readonly route: Route<Tools>,
    tools: Tools,
    head: RequestHead,
  ) {
    // Written out: with spread objects, a POST of news took a quarter more time.
    this.context = {
      route,
      tools,
      headers: head.headers,
      url: head.url,
      params: head.params,
      query: head.query,
      clock: head.clock,
      now: head.now,
      sql: head.sql,
      begin: head.begin,
      from: head.from,
      authorizedAt: head.authorizedAt,
    }
  }

  /** Returns a promise only where the access check queries the database. @throws Problem 401, 403 or 404 */
  authorize(): void | Promise<void> {
    const caller = this.route.steps.access.admit(this.context)
    if (!(caller instanceof Promise)) this.caller = caller
    else
      return caller.then((admitted: unknown) => {
        this.caller = admitted
      })
  }

  /** The same request, authorized as things are now, as this connection reads them. @throws Problem as `authorize` */
  async again(sql = this.context.sql): Promise<ApiRequest<Tools>> {
    const request = new ApiRequest(this.route, this.context.tools, { ...again(this.context), sql })
    await request.authorize()
    return request
  }

  /** Reads a form with files; undefined if the route reads none. @throws Problem */
  async receiveForm(exchange: {
    req: IncomingMessage
    res: ServerResponse
  }): Promise<ReceivedForm | undefined> {
    const { caller } = this
    return this.route.steps.receiveForm?.({ caller, tools: this.context.tools }, exchange)
  }

  /** Checks parameters, query and body against their schemas. @throws Problem 400, 404 or 422 */
  validate(body: unknown, refuse: (issues: Issues) => Problem, refuseQuery = refuse): void {
    const { checks } = this.route.steps
    this.params = checks.params(this.context.params, () => notFound())
    this.query = checks.query(this.context.query, refuseQuery)
    this.body = checks.body(body, refuse)
  }

  /** Calls the handler with the time of the run: a shared run may start later than the request arrived. */
  run(now: Date, replacements: Replacements = {}): unknown {
    const { caller, params, query, body } = this
    const { tools } = this.context
    const { sql = this.context.sql, from = this.context.from } = replacements
    const begin = this.#confirming(replacements.begin ?? this.context.begin)
    // Inside a transaction it reads there: who has a connection must not wait for another one.
    const authorizeAgain = async () => {
      this.caller = (await this.again(sql)).caller
      return this.caller
    }
    // Written out, as in the constructor.
    return this.route.steps.handler({
      now,
      sql,
      begin,
      from,
      tools,
      caller,
      authorizeAgain,
      params,
      query,
      body,
    })
  }

  /** The error as the caller of this authorized request gets it. */
  async explained(error: unknown): Promise<unknown> {
    const { steps } = this.route
    return steps.explain ? steps.explain(error, this.caller, this.context) : error
  }

  #confirming(begin: HandlerBase<unknown>['begin']) {
    const { access } = this.route.steps
    if (this.route.method === 'GET' || !access.confirm) return begin
    return confirming(async (tx) => access.confirm?.(this.caller, tx), begin)
  }

  /** Equal requests have equal keys. */
  get key(): string {
    const { literal, steps } = this.route
    const caller = steps.access.key?.(this.caller) ?? ''
    return `${literal} ${caller} ${serialized(this.params)} ${serialized(this.query)}`
  }

  /** Equal callers with equal credentials have equal keys. */
  get callerKey(): string {
    const { key, credential } = this.route.steps.access
    return `${key?.(this.caller) ?? ''} ${credential?.(this.caller) ?? ''}`
  }

  /** The database version at which the caller was looked up. */
  get observedVersion() {
    return this.route.steps.access.observedVersion?.(this.caller)
  }
}

/** Makes the requests to an operation, when their heads have arrived. */
export const receiverOf =
  <Tools>(route: Route<Tools>, tools: Tools) =>
  (head: RequestHead): ApiRequest =>
    new ApiRequest(route, tools, head)

const serialized = (values: unknown) => (values === noValues ? '' : JSON.stringify(values))
