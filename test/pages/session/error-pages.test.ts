import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Mounted } from '../../../src/http/route/api.ts'
import { Problem } from '../../../src/http/route/problem.ts'
import { pageRoutes } from '../../../src/pages/routes.ts'
import { startApp } from '../../support/app.ts'
import { makersFor, samePassword } from '../../support/forge/make.ts'
import { browserOf, cookieOf, holdClean, sameOrigin } from '../browser.ts'

/** With a status, every handler of a page fails with it. */
let failing = 0
for (const { steps } of Object.values(pageRoutes)) {
  const { handler } = steps
  steps.handler = (context) => {
    if (failing !== 0) throw new Problem(failing, 'a reason')
    return handler(context)
  }
}

const { app, url, pool, clock } = await startApp()
const make = makersFor({ pool, clock })
const ada = await make.admin({ name: 'ada' })
const guild = await make.organization(ada, { name: 'guild' })
await make.team(guild, [ada], { name: 'team' })
await make.repository(ada, { name: 'code' })
const cookie = await cookieOf(url, { user: 'ada', password: samePassword })
const { get } = browserOf(url)

const inRepository = /^\/\{owner\}\/\{repo\}/
const pathOf = (path: string) =>
  path
    .replace('{owner}', 'ada')
    .replace('{repo}', 'code')
    .replace('{org}', 'guild')
    .replace('{team}', 'team')
    .replace('{username}', 'ada')
    .replace(/\{\w+(?:\.\.\.)?\}/g, '1')

/** Not files, and not what is for everyone, for who signs in or comes from a mail: nothing of that depends on who asks. */
const isForReaders = ({ path, profile, route: { access, returns } }: Mounted) =>
  profile.base === '' &&
  !/^\/login|\/emails\/(?:confirm|unsubscribe)$/.test(path) &&
  !access.open &&
  returns.media?.startsWith('text/html')
const pages = app.routes.filter(isForReaders)
const forms = pages.filter(({ route }) => route.body !== undefined)

/** Fails unless a page of an error says who is signed in, what has happened and what to do, and is about its repository. */
async function holdExplained(response: Response, { method, path }: Mounted, status: number): Promise<void> {
  const page = await response.text()
  const about = `${method} ${path} ${status}`
  assert.equal(response.status, status, about)
  assert.match(page, /class="menu-person">ada/, about)
  assert.equal(/aria-label="Repository"/.test(page), inRepository.test(path), about)
  assert.match(page, /id="failure">[A-Z][^<]+\.<\/h[12]>\s*<p>[A-Z][^<]+\.<\/p>/, about)
  assert.equal(page.includes('go back: what you wrote is still there'), ![403, 404].includes(status), about)
  holdClean(page)
}

function post(path: string, body: string, type = 'application/x-www-form-urlencoded'): Promise<Response> {
  const headers = { ...sameOrigin, cookie, 'content-type': type }
  return fetch(url + path, { method: 'POST', redirect: 'manual', headers, body })
}

const failures = [400, 403, 404, 405, 409, 413, 422, 423, 429, 500]

test('each page says an error of each status to who is signed in, with the heading of its repository', async () => {
  assert.ok(pages.length > 200, `${pages.length}`)
  // Every status with many routes, not all with all.
  for (const [at, route] of pages.entries())
    for (const status of failures.filter((_, index) => (index + at) % 3 === 0)) {
      failing = status
      const path = pathOf(route.path)
      await holdExplained(
        await (route.method === 'GET' ? get(path, { cookie }) : post(path, '')),
        route,
        status,
      )
    }
  failing = 0
})

test('each form says so too if it is too large, in another encoding, or cannot be read', async () => {
  for (const route of forms) {
    const path = pathOf(route.path)
    if (route.route.largestBody === undefined)
      await holdExplained(await post(path, 'a'.repeat(1_100_000)), route, 413)
    await holdExplained(await post(path, 'a', 'text/plain'), route, 415)
    await holdExplained(await post(path, 'a=%00'), route, 400)
  }
})

test('an account that sends too many requests is told to wait', async () => {
  const limited = await startApp({ RATE_LIMIT_ACCOUNT: '5/1m' })
  await makersFor(limited).person({ name: 'ada' })
  const session = await cookieOf(limited.url, { user: 'ada', password: samePassword })
  let response: Response
  do response = await browserOf(limited.url).get('/settings', { cookie: session })
  while (response.status === 200)
  assert.equal(response.status, 429)
  assert.notEqual(response.headers.get('retry-after'), null)
  const page = await response.text()
  assert.match(page, /<p>Wait a minute, and try again\.<\/p>/)
  holdClean(page)
})
