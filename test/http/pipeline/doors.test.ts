import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import type { Pool } from '../../../src/db/sql.ts'
import type { Mounted } from '../../../src/http/route/api.ts'
import { serveApp, startApp, type TestApp } from '../../support/app.ts'
import { openTestDatabase } from '../../support/database.ts'
import { samePassword } from '../../support/forge/make.ts'
import { held } from '../../support/wait.ts'

/** A path of a route: 1 for each parameter. */
const pathOf = ({ path }: Mounted) => path.replace(/\{[\w.]+\}/g, '1')

/** Jobs show what the server has signed; until then nothing is asked. */
const isSigned = ({ route: { access } }: Mounted) => /^a (?:running job|signed address)/.test(access.name)

/** Sends a request for a route without a body, and returns the status. */
async function statusOf({ url }: TestApp, mounted: Mounted, headers: Record<string, string>) {
  const { method } = mounted
  const type = {
    'content-type': mounted.path.includes('/actions.') ? 'application/proto' : 'application/json',
  }
  const response = await fetch(url + pathOf(mounted), {
    method,
    headers: method === 'POST' ? { ...type, ...headers } : headers,
    redirect: 'manual',
  })
  await response.arrayBuffer()
  return response.status
}

/** Whether a route asks who is there. Some that let everybody in need the address of the request. */
const asks = ({ route: { access } }: Mounted) => !access.open && access.name !== 'anyone'

/** What the routes answer that do not answer this status. */
async function others(
  app: TestApp,
  status: number,
  headers: Record<string, string>,
  among: readonly Mounted[],
) {
  assert.ok(among.length > 10, 'the routes were found')
  const found: string[] = []
  const left = [...among]
  const ask = async () => {
    for (let mounted = left.pop(); mounted; mounted = left.pop()) {
      const answered = await statusOf(app, mounted, headers)
      if (answered !== status) found.push(`${mounted.method} ${mounted.path} ${answered}`)
    }
  }
  await Promise.all(Array.from({ length: 10 }, ask))
  return found
}

/** The cookie of a new session. */
async function sessionOf({ url }: TestApp, user: string) {
  const body = new URLSearchParams({ user, password: samePassword })
  const origin = 'https://forgehall.example'
  const headers = { origin }
  const response = await fetch(`${url}/login`, { method: 'POST', headers, body, redirect: 'manual' })
  assert.equal(response.status, 303)
  return { origin, cookie: response.headers.get('set-cookie')?.split(';')[0] ?? '' }
}

const isPage = ({ profile }: Mounted) => profile.errorPage !== undefined

/** What the tests leave open, the first to be closed last. */
const ends: (() => Promise<void>)[] = []
after(async () => {
  for (const end of ends.reverse()) await end()
})

/** A database whose statements are counted. */
async function countedDatabase() {
  const database = await openTestDatabase()
  ends.unshift(() => database.close())
  let statements = 0
  const pool: Pool = new Proxy(database.pool, {
    apply: (target, self, words) => {
      statements += 1
      return Reflect.apply(target, self, words)
    },
    get: (target, name) => {
      if (name === 'begin' || name === 'unsafe') statements += 1
      return Reflect.get(target, name)
    },
  })
  return { database: { ...database, pool }, statements: () => statements }
}

test('no route asks the database who is there outside QUEUE_LIMIT', async () => {
  const { database, statements } = await countedDatabase()
  const app = await serveApp(database, { QUEUE_LIMIT: '1', DATABASE_TIMEOUT: '10m', PUBLIC_URL: '' })
  const isFree = held<void>()
  const inSlot = app.app.limiter.run(() => isFree.promise)
  ends.push(async () => {
    isFree.resolve()
    await inSlot
    await app.close()
  })
  const asking = app.app.routes.filter((each) => asks(each) && !isSigned(each))
  const token = 'f'.repeat(40)
  const tokens = { authorization: `token ${token}`, 'x-runner-uuid': randomUUID(), 'x-runner-token': token }
  assert.deepEqual(
    await others(
      app,
      503,
      tokens,
      asking.filter((each) => !isPage(each)),
    ),
    [],
  )
  const cookie = { cookie: `forgehall=${'x'.repeat(43)}` }
  const pages = asking.filter((each) => isPage(each) && each.method === 'GET')
  assert.deepEqual(await others(app, 503, cookie, pages), [])
  assert.equal(statements(), 0)
  assert.deepEqual(
    app.log.lines().filter(({ level }) => level === 'error'),
    [],
    'a limit that is reached is no error',
  )
  const warnings = app.log.lines().filter(({ message }) => message === 'the server is busy')
  assert.ok(warnings.length > 0 && warnings.length < 100, `${warnings.length} lines`)
})

/** The forms that begin and end a session, and that of a link in a mail, ask for no session. */
const isSignIn = ({ path }: Mounted) => /^\/(?:login|settings\/emails\/confirm)(?:\/|$)/.test(path)

/** Runners have no account, and their calls no limit but that of their address. */
const isOfRunners = ({ path }: Mounted) => path.startsWith('/api/actions/')

test('RATE_LIMIT_ACCOUNT counts every route that asks who is there, whatever a caller shows', async () => {
  const app = await startApp({ RATE_LIMIT_ACCOUNT: '2/1h' })
  const { authorization } = await app.make.admin({ name: 'boss' })
  const session = await sessionOf(app, 'boss')
  assert.equal((await fetch(`${app.url}/overview/manage`, { headers: session })).status, 200)
  const asking = app.app.routes.filter((each) => asks(each) && !isOfRunners(each) && !isSigned(each))
  const ofSessions = asking.filter((each) => isPage(each) && !(each.method === 'POST' && isSignIn(each)))
  assert.deepEqual(await others(app, 429, session, ofSessions), [])
  const apis = asking.filter((each) => !isPage(each))
  assert.deepEqual(await others(app, 429, { authorization }, apis), [])
  const form = { ...session, 'content-type': 'application/x-www-form-urlencoded' }
  const statusOfForm = async (path: string) =>
    (await fetch(app.url + path, { method: 'POST', headers: form, body: 'x=y', redirect: 'manual' })).status
  assert.equal(await statusOfForm('/overview/manage'), 429)
  assert.equal(await statusOfForm('/login/out'), 303, 'whoever has asked too often may still sign out')
})

test('one client gets half of QUEUE_LIMIT, at every door', async () => {
  const { database } = await countedDatabase()
  const app = await serveApp(database, { QUEUE_LIMIT: '2', DATABASE_TIMEOUT: '10m', PUBLIC_URL: '' })
  const isFree = held<void>()
  const inSlot = app.app.limiter.run(() => isFree.promise, '192.0.2.1')
  ends.push(async () => {
    isFree.resolve()
    await inSlot
    await app.close()
  })
  const first = { 'x-forwarded-for': '192.0.2.1', authorization: `token ${'f'.repeat(40)}` }
  const asking = app.app.routes.filter(
    (each) => asks(each) && !isOfRunners(each) && !isSigned(each) && !isPage(each),
  )
  assert.deepEqual(await others(app, 503, first, asking), [])
  const open = ['/api/news', '/api/news?page=2', '/api/health', '/overview', '/']
  const statuses = async (address: string) =>
    Promise.all(
      open.map(
        async (path) => (await fetch(app.url + path, { headers: { 'x-forwarded-for': address } })).status,
      ),
    )
  assert.deepEqual(new Set(await statuses('192.0.2.1')), new Set([503]))
  for (const path of open) {
    const { status } = await fetch(app.url + path, { headers: { 'x-forwarded-for': '192.0.2.2' } })
    assert.equal(status, 200, path)
  }
})
