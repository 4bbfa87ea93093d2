import { Outdated, Problem } from '../http/route/problem.ts'
import type { Route } from '../http/route/route.ts'
import { html } from './html.ts'
import { errorPageFor, messageOf, sentenceOf } from './profile.ts'
import { isOnRepository, repositoryPage } from './repositories/repository-page.ts'
import type { PageTools } from './route.ts'
import { hasSession } from './session/session.ts'
import { type Visitor, visitor } from './session/viewer.ts'

/** The page of a route whose errors keep the head of who is signed in, and the heading of the repository if it has one. */
export function explainingErrors(route: Route<PageTools>): Route<PageTools> {
  // Nothing of a page for everyone depends on who asks.
  if (route.access.open) return route
  const { access, handler } = route.steps
  const admit: typeof access.admit = async (context) => {
    try {
      return await access.admit(context)
    } catch (error) {
      if (!isExplained(error) || !hasSession(context.headers.cookie)) throw error
      const viewer = await Promise.resolve(visitor.admit(context)).catch(() => undefined)
      throw viewer ? withPage(error, errorPageFor(error, context.from.host, viewer)) : error
    }
  }
  const explained: typeof handler = async (context) => {
    try {
      return await handler(context)
    } catch (error) {
      const { caller, from, sql } = context
      if (!isExplained(error)) throw error
      if (!isOnRepository(caller))
        throw isVisitor(caller) ? withPage(error, errorPageFor(error, from.host, caller)) : error
      const main = html`<h2>${sentenceOf(error)}</h2>
<p>The server answered ${error.status}: ${messageOf(error)}.</p>`
      const shown = repositoryPage({ host: from.host, sql, caller, title: String(error.status), main })
      throw withPage(error, await shown)
    }
  }
  return { ...route, steps: { ...route.steps, access: { ...access, admit }, handler: explained } }
}

const isVisitor = (caller: unknown): caller is Visitor =>
  typeof caller === 'object' && caller !== null && ['me', 'token', 'unread'].every((name) => name in caller)

/** Whether it is an error that readers may see often. One of a busy server is answered without asking the database. */
const isExplained = (error: unknown): error is Problem =>
  error instanceof Problem &&
  !(error instanceof Outdated) &&
  [400, 403, 404].includes(error.status) &&
  error.extra.form === undefined &&
  error.extra.page === undefined

const withPage = ({ status, message, extra }: Problem, page: string) =>
  new Problem(status, message, { ...extra, page })
