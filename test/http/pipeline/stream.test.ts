import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { beginOn } from '../../../src/db/begin.ts'
import { createHttpServer, listen, stop } from '../../../src/http/listener/server.ts'
import { createHandler } from '../../../src/http/pipeline/handle.ts'
import { DatabaseLimiter } from '../../../src/http/reads/database-limiter.ts'
import { CoalescedReads } from '../../../src/http/reads/reads.ts'
import { ValidatedCache } from '../../../src/http/reads/validated-cache.ts'
import { mount } from '../../../src/http/route/api.ts'
import { Problem } from '../../../src/http/route/problem.ts'
import { routeOf } from '../../../src/http/route/route.ts'
import { noBody, streamed } from '../../../src/http/route/sends.ts'
import { createLog } from '../../../src/log.ts'
import { siteProfile } from '../../../src/site/api.ts'
import { openTestDatabase } from '../../support/database.ts'
import { testSecrets } from '../../support/forge/make.ts'
import { exchange } from '../../support/raw.ts'
import { keepLines } from '../../support/sink.ts'
import { held, until } from '../../support/wait.ts'

const database = await openTestDatabase()
const { pool } = database
const sink = keepLines()
const log = createLog('debug', sink)
const route = routeOf<null>()
const anyone = { name: 'anyone', refusals: [], admit: () => null }
const known = { name: 'known', refusals: [401], admit: refuseStrangers }
/** Let go by the test; each stream that waits for it has begun. */
const limiter = held<void>()
let begun = 0

function refuseStrangers({ headers }: { headers: { authorization?: string | undefined } }): null {
  if (headers.authorization === undefined) throw new Problem(401, 'who are you')
  return null
}

const echo = route('POST /echo', {
  summary: 'Echo',
  access: known,
  returns: streamed(200),
  handler: () => async (req, res) => {
    res.writeHead(202, { 'Content-Type': 'text/echo' })
    for await (const chunk of req) res.write(chunk)
    res.end()
  },
})
const wait = route('GET /wait', {
  summary: 'Wait',
  access: anyone,
  returns: streamed(200),
  handler: () => async (_, res) => {
    begun++
    await limiter.promise
    res.end('waited')
  },
})
const early = route('GET /early', {
  summary: 'Fail early',
  access: anyone,
  returns: streamed(200),
  handler: () => () => Promise.reject(new Problem(409, 'not now')),
})
const late = route('GET /late', {
  summary: 'Fail late',
  access: anyone,
  returns: streamed(200),
  handler: () => async (_, res) => {
    res.write('half')
    await new Promise((resolve) => setImmediate(resolve))
    throw new Error('the other half is lost')
  },
})
const value = route('GET /value', {
  summary: 'Value',
  access: anyone,
  returns: noBody(204),
  handler: () => undefined,
})

const profile = siteProfile
const routes = mount({ profile, prefix: '', tools: null, routes: { echo, wait, early, late, value } })
const oneAtATime = new DatabaseLimiter(1, 200)
const handle = createHandler({
  routes,
  profiles: [profile],
  sql: pool,
  secrets: testSecrets,
  reads: new CoalescedReads(oneAtATime, new ValidatedCache(database.states, () => 0)),
  begin: beginOn(pool, () => new Date()),
  clock: () => new Date(),
  log,
  limiter: oneAtATime,
  limits: { bytes: 10, milliseconds: 1000 },
  root: 'http://localhost/',
  isRootSet: true,
  proxies: { trusts: () => false },
})
const server = createHttpServer(handle, profile)
const url = `http://127.0.0.1:${await listen(server, 0, '127.0.0.1')}`
after(async () => {
  await stop(server, 1000)
  await database.close()
})

const lineOf = (path: string) =>
  until(`${path} is logged`, () =>
    sink.lines().find(({ message, route }) => message === 'request' && route === path),
  )

test('a stream reads a body of any length and answers as it likes, below the headers of its API', async () => {
  const body = 'x'.repeat(1000)
  const response = await fetch(`${url}/echo`, { method: 'POST', body, headers: { authorization: 'x' } })
  assert.equal(response.status, 202)
  assert.equal(await response.text(), body)
  assert.equal(response.headers.get('content-type'), 'text/echo')
  assert.equal(response.headers.get('x-content-type-options'), 'nosniff')
  const line = await lineOf('/echo')
  assert.equal(line.status, 202)
  assert.equal(line.id, response.headers.get('x-request-id'))
  assert.ok(Number(line.bytes) > 1000)
})

test('a stream starts only after authorization', async () => {
  const response = await fetch(`${url}/echo`, { method: 'POST', body: 'x' })
  assert.equal(response.status, 401)
  assert.deepEqual(await response.json(), { error: 'who are you' })
})

test('streams outlast the silence of the server and hold no place before the database', async (context) => {
  server.setTimeout(400)
  context.after(() => server.setTimeout(0))
  // On connections of their own: fetch may take one that has just been silent for too long.
  const ask = (path: string) => exchange(url, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
  const waiting = [ask('/wait'), ask('/wait')]
  await until('both have begun', () => begun === 2)
  // Longer than a silent connection or a run within the limiter may last here.
  await sleep(1000)
  assert.equal((await ask('/value'))[0]?.status, 204)
  limiter.resolve()
  for (const [reply] of await Promise.all(waiting)) assert.equal(reply?.body, 'waited')
})

test('a stream that fails before it has written is refused as usual', async () => {
  const response = await fetch(`${url}/early`)
  assert.equal(response.status, 409)
  assert.deepEqual(await response.json(), { error: 'not now' })
  assert.equal((await lineOf('/early')).status, 409)
})

test('a stream that fails in the middle of its answer is cut off, and logged', async () => {
  await assert.rejects(fetch(`${url}/late`).then((response) => response.text()))
  assert.equal((await lineOf('/late')).status, 499)
  assert.match(JSON.stringify(sink.lines()), /the other half is lost/)
})
