import { problemOf } from '../http/database-errors.ts'
import { Outdated, Problem } from '../http/route/problem.ts'
import type { HandlerBase, Route } from '../http/route/route.ts'
import type { OnRequest } from './operations/perform.ts'
import { errorPageFor, explanationOf } from './profile.ts'
import { isOnRepository, repositoryPage } from './repositories/repository-page.ts'
import type { PageTools } from './route.ts'
import { hasSession } from './session/session.ts'
import { type Visitor, visitor } from './session/viewer.ts'

type Steps = Route<PageTools>['steps']

/** What the page of an error is made with. */
type Place = Pick<HandlerBase<PageTools>, 'from' | 'sql'>

/** The page of a route whose errors keep the head of who is signed in, and the heading of the repository if it has one. */
export function explainingErrors(route: Route<PageTools>): Route<PageTools> {
  // Nothing of a page for everyone depends on who asks.
  if (route.access.open) return route
  const { access } = route.steps
  const explain: Steps['explain'] = async (error, caller, context) => {
    const problem = problemOf(error, route.conflicts)
    const page = isExplained(problem)
      ? await pageFor(problem, caller, context).catch(() => undefined)
      : undefined
    return page === undefined ? error : withPage(problem, page)
  }
  return {
    ...route,
    steps: { ...route.steps, access: { ...access, admit: admitting(access.admit) }, explain },
  }
}

/** Who is refused is looked up for the head of the page. */
const admitting =
  (admit: Steps['access']['admit']): typeof admit =>
  async (context) => {
    try {
      return await admit(context)
    } catch (error) {
      if (!isExplained(error) || !hasSession(context.headers.cookie)) throw error
      const viewer = await Promise.resolve(visitor.admit(context)).catch(() => undefined)
      throw viewer ? withPage(error, errorPageFor(error, context.from.host, viewer)) : error
    }
  }

/** The page of an error, as far as it is known who reads it. */
async function pageFor(problem: Problem, caller: unknown, place: Place): Promise<string | undefined> {
  const { host } = place.from
  const reader = isSender(caller) ? caller.who : caller
  if (!isOnRepository(reader)) return isVisitor(reader) ? errorPageFor(problem, host, reader) : undefined
  const parts = { title: String(problem.status), main: explanationOf(problem, 'h2') }
  // What has failed may be needed for the heading, too.
  return repositoryPage({ host, sql: place.sql, caller: reader, ...parts }).catch(() => undefined)
}

/** Whether it is the caller of a form, which knows who has sent it, and on which request. */
const isSender = (caller: unknown): caller is { who: OnRequest } =>
  typeof caller === 'object' && caller !== null && 'who' in caller

const isVisitor = (caller: unknown): caller is Visitor =>
  typeof caller === 'object' && caller !== null && ['me', 'token', 'unread'].every((name) => name in caller)

/** Whether it is an error for readers. One of a busy server is answered without asking the database. */
const isExplained = (error: unknown): error is Problem =>
  error instanceof Problem &&
  !(error instanceof Outdated) &&
  error.status >= 400 &&
  error.status !== 503 &&
  !error.extra.isLoad &&
  error.extra.form === undefined &&
  error.extra.page === undefined

const withPage = ({ status, message, extra }: Problem, page: string) =>
  new Problem(status, message, { ...extra, page })
