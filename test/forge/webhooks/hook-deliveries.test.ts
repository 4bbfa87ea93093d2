import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, test } from 'node:test'
import { openPool } from '../../../src/db/open.ts'
import { createLog } from '../../../src/log.ts'
import { serveApp } from '../../support/app.ts'
import { startBackground, type YardOptions } from '../../support/background.ts'
import { onServer, openTestDatabase } from '../../support/database.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { makersFor, type Somebody } from '../../support/forge/make.ts'
import { startReceiver } from '../../support/receiver.ts'
import { held, until } from '../../support/wait.ts'

const database = await openTestDatabase()
const app = await serveApp(database, { DATA_DIR: await temporaryFolder() })
after(async () => {
  await app.close()
  await database.close()
})
const { call, pool, clock } = app
const log = createLog('debug', app.log)
const make = makersFor(app)
const boss = await make.admin({ name: 'boss' })

const inSite = {
  create: 'POST /api/v1/admin/hooks',
  list: 'GET /api/v1/admin/hooks/{id}/deliveries',
  show: 'GET /api/v1/admin/hooks/{id}/deliveries/{delivery}',
  again: 'POST /api/v1/admin/hooks/{id}/deliveries/{delivery}/redeliver',
}
const listSite = 'GET /api/v1/admin/hooks/{id}/deliveries'
const showSite = 'GET /api/v1/admin/hooks/{id}/deliveries/{delivery}'
const againSite = 'POST /api/v1/admin/hooks/{id}/deliveries/{delivery}/redeliver'

/** A system hook for repository events. */
async function subscribe(url: string, more: object = {}): Promise<number> {
  const body = {
    type: 'gitea',
    active: true,
    events: ['repository'],
    authorization_header: 'Bearer sesame',
    ...more,
    config: { url, content_type: 'json', secret: 'hush', is_system_webhook: 'true' },
  }
  const made = await call(inSite.create, { as: boss, body })
  assert.equal(made.status, 201)
  return made.body.id
}

let made = 0
/** Causes an event that hooks receive. */
async function createRepository(as: Somebody = boss): Promise<string> {
  const name = `happening${++made}`
  assert.equal((await call('POST /api/v1/user/repos', { as, body: { name } })).status, 201)
  return name
}

const list = (id: number, query: Record<string, number> = {}) =>
  call(listSite, { as: boss, params: { id }, query })
const show = (id: number, delivery: number) => call(showSite, { as: boss, params: { id, delivery } })
const again = (id: number, delivery: number, as: Somebody = boss) =>
  call(againSite, { as, params: { id, delivery } })

/** The newest delivery once it has made so many attempts. */
const attempted = (id: number, attempts: number) =>
  until(`hook ${id} has made ${attempts} attempts`, async () => {
    const [newest] = (await list(id)).body
    return newest?.attempts === attempts && newest
  })

async function withBackground(work: () => Promise<void>, options: YardOptions = {}): Promise<void> {
  await pool`delete from forge.hook`
  await pool`delete from forge.event`
  const background = startBackground({ pool, clock, log }, options)
  try {
    await work()
  } finally {
    await background.stop()
  }
}

test(`${listSite} and ${showSite} show what was sent and the result of each attempt, without secrets`, async () => {
  let failing = true
  const receiver = await startReceiver((response) => {
    response.writeHead(failing ? 503 : 202, { 'X-Mood': 'grim' }).end(failing ? 'not now' : 'thanks')
  })
  await withBackground(async () => {
    const id = await subscribe(receiver.url.replace('//', '//ada:in-the-url@'))
    assert.deepEqual((await list(id)).body, [])
    const name = await createRepository()
    const waiting = await attempted(id, 1)
    const due = new Date(clock.now().getTime() + 10_000)
    assert.deepEqual(
      [waiting.state, waiting.status, waiting.finished_at, waiting.next_attempt_at],
      ['waiting', 503, null, `${due.toISOString().slice(0, 19)}Z`],
    )
    failing = false
    clock.tick(10_000)
    const done = await attempted(id, 2)
    assert.deepEqual(
      [done.id, done.uuid, done.event, done.event_type, done.redelivery_of],
      [waiting.id, waiting.uuid, 'repository', 'repository', null],
    )
    assert.deepEqual([done.state, done.status, done.next_attempt_at], ['succeeded', 202, null])

    const { body, status } = await show(id, done.id)
    assert.equal(status, 200)
    const { payload, history, ...rest } = body
    assert.deepEqual(rest, done)
    assert.equal(JSON.parse(payload).repository.full_name, `boss/${name}`)
    assert.equal(payload, receiver.received[1]?.body)
    const signature = createHmac('sha256', 'hush').update(String(payload)).digest('hex')
    assert.equal(receiver.received[1]?.headers['x-hub-signature-256'], `sha256=${signature}`)
    assert.equal(receiver.received[1]?.headers.authorization, 'Bearer sesame')
    const [first, second, ...others] = history
    assert.equal(others.length, 0)
    assert.deepEqual([first.number, first.response.status, first.response.body], [1, 503, 'not now'])
    assert.deepEqual([second.number, second.response.status, second.error], [2, 202, null])
    assert.equal(second.response.headers['x-mood'], 'grim')
    assert.deepEqual(
      [second.request.method, second.request.url],
      ['POST', `${receiver.url.replace('//', '//******@')}/`],
    )
    assert.equal(second.request.headers.Authorization, '******')
    assert.equal(second.request.headers['X-Gitea-Delivery'], done.uuid)
    assert.ok(!/sesame|hush|in-the-url/.test(JSON.stringify(body)))
  })
})

test(`${listSite} is paged, newest first, with total and links`, async () => {
  const receiver = await startReceiver()
  await withBackground(async () => {
    const id = await subscribe(receiver.url)
    for (let at = 0; at < 5; at++) await createRepository()
    await until('all is there', () => receiver.received.length === 5)
    await until('all deliveries are finished', async () =>
      (await list(id)).body.every(({ state }: { state: string }) => state === 'succeeded'),
    )
    const all = (await list(id)).body.map(({ id }: { id: number }) => id)
    assert.deepEqual(
      all,
      [...all].sort((a, b) => b - a),
    )
    const second = await list(id, { limit: 2, page: 2 })
    assert.deepEqual(
      second.body.map(({ id }: { id: number }) => id),
      all.slice(2, 4),
    )
    assert.equal(second.headers.get('x-total-count'), '5')
    assert.match(second.headers.get('link') ?? '', /rel="next".*rel="prev"/)
    const beyond = await list(id, { page: 9 })
    assert.deepEqual([beyond.body, beyond.headers.get('x-total-count')], [[], '5'])
  })
})

test(`${againSite} sends the same text under a new uuid, at once, and leaves a trace`, async () => {
  const receiver = await startReceiver((response) => response.writeHead(500).end())
  await withBackground(async () => {
    const id = await subscribe(receiver.url)
    await createRepository()
    const first = await attempted(id, 1)
    const answer = await again(id, first.id)
    assert.equal(answer.status, 202)
    assert.deepEqual(
      [answer.body.state, answer.body.attempts, answer.body.status, answer.body.redelivery_of],
      ['waiting', 0, null, first.id],
    )
    assert.notEqual(answer.body.uuid, first.uuid)
    await until('it is there', () => receiver.received.length === 2)
    assert.equal(receiver.received[1]?.body, receiver.received[0]?.body)
    assert.equal(receiver.received[1]?.headers['x-gitea-delivery'], answer.body.uuid)
    const [deed] = await pool`
      select details from forge.audit where action = 'hook.redelivered' and target_id = ${id}`
    assert.deepEqual(deed?.details, { delivery: first.id })
    const three = await Promise.all([again(id, first.id), again(id, first.id), again(id, first.id)])
    assert.equal(new Set(three.map(({ body }) => body.uuid)).size, 3)
    await until('each was sent', () => receiver.received.length === 5)
  })
})

test(`${againSite}, ${showSite}: a delivery of another hook is 404, and an inactive hook sends nothing`, async () => {
  const receiver = await startReceiver()
  await withBackground(async () => {
    const id = await subscribe(receiver.url)
    await createRepository()
    const { id: delivery } = await attempted(id, 1)
    const other = await subscribe(receiver.url, { active: false })
    assert.equal((await show(other, delivery)).status, 404)
    assert.equal((await again(other, delivery)).status, 404)
    const edit = { as: boss, params: { id }, body: { active: false } }
    assert.equal((await call('PATCH /api/v1/admin/hooks/{id}', edit)).status, 200)
    const refused = await again(id, delivery)
    assert.deepEqual([refused.status, refused.body.message], [422, 'the webhook is not active'])
    assert.equal((await list(id)).headers.get('x-total-count'), '1', 'nothing was queued')
    for (const wrong of ['0', 'x', '-1', '99999999999999999999', String(delivery + 1)]) {
      const at = { as: boss, params: { id, delivery: wrong } }
      assert.equal((await call(showSite, at)).status, 404, wrong)
      assert.equal((await call(againSite, at)).status, 404, wrong)
    }
  })
})

test('deliveries of a repository, an organization and a user are shown to those who manage their hooks', async () => {
  const receiver = await startReceiver()
  const [ada, eve] = await make.people('ada', 'eve')
  const guild = await make.organization(ada, { name: 'guild' })
  await call('POST /api/v1/user/repos', { as: ada, body: { name: 'tool', auto_init: true } })
  const places = [
    ['/repos/{owner}/{repo}/hooks', { owner: 'ada', repo: 'tool' }],
    ['/orgs/{org}/hooks', { org: 'guild' }],
    ['/user/hooks', {}],
  ] as const
  await withBackground(async () => {
    for (const [path, params] of places) {
      const literal = (method: string, rest = '') => `${method} /api/v1${path}${rest}`
      const config = { url: `${receiver.url}/${path.split('/')[1]}`, content_type: 'form' }
      const body = { type: 'gitea', active: true, events: ['repository', 'delete'], config }
      const made = await call(literal('POST'), { as: ada, params, body })
      assert.equal(made.status, 201)
      const at = { as: ada, params: { ...params, id: made.body.id } }
      // A new repository of the organization or the user; of the repository itself an old event, sent again.
      if (path.startsWith('/orgs'))
        await call('POST /api/v1/orgs/{org}/repos', { as: ada, params, body: { name: 'hall' } })
      else if (path.startsWith('/user'))
        await call('POST /api/v1/user/repos', { as: ada, body: { name: 'desk' } })
      else
        await pool`
          insert into forge.hook_delivery (uuid, hook_id, event, event_type, body, due_at, created_at)
          values (${crypto.randomUUID()}, ${made.body.id}, 'push', 'push', '{}', ${clock.now()}, ${clock.now()})`
      const done = await until('it was sent', async () => {
        const [newest] = (await call(literal('GET', '/{id}/deliveries'), at)).body
        return newest?.state === 'succeeded' && newest
      })
      const one = { ...at, params: { ...at.params, delivery: done.id } }
      const shown = await call(literal('GET', '/{id}/deliveries/{delivery}'), one)
      assert.equal(shown.body.history[0].response.body, 'ok')
      const repeat = literal('POST', '/{id}/deliveries/{delivery}/redeliver')
      assert.equal((await call(repeat, one)).status, 202)
      await until('it was sent again', async () => {
        const answer = await call(literal('GET', '/{id}/deliveries'), at)
        return answer.body.length === 2 && answer.body[0].state === 'succeeded'
      })
      const stranger = await call(literal('GET', '/{id}/deliveries'), { ...at, as: eve })
      assert.equal(stranger.status, path === '/user/hooks' ? 404 : 403)
    }
    const kinds = receiver.received.map(({ headers }) => headers['x-gitea-hook-installation-target-type'])
    assert.deepEqual(kinds, ['repository', 'repository', 'organization', 'organization', 'user', 'user'])
    assert.ok(receiver.received.every(({ body }) => body.startsWith('payload=')))
  })
  assert.ok(guild.id)
})

test('POST /api/v1/repos/{owner}/{repo}/hooks/{id}/tests sends the newest commit to one hook, as a push', async () => {
  const literal = 'POST /api/v1/repos/{owner}/{repo}/hooks/{id}/tests'
  const receiver = await startReceiver()
  const zoe = await make.person({ name: 'zoe' })
  for (const name of ['full', 'bare'])
    await call('POST /api/v1/user/repos', { as: zoe, body: { name, auto_init: name === 'full' } })
  await withBackground(async () => {
    const create = async (repo: string, more: object = {}) => {
      const config = { url: `${receiver.url}/${repo}`, content_type: 'json' }
      const body = { type: 'gitea', active: true, events: ['create'], config, ...more }
      const params = { owner: 'zoe', repo }
      return (await call('POST /api/v1/repos/{owner}/{repo}/hooks', { as: zoe, params, body })).body.id
    }
    const [full, bare, off] = [
      await create('full'),
      await create('bare'),
      await create('full', { active: false }),
    ]
    const attempt = (repo: string, id: number, ref?: string, as: Somebody = zoe) =>
      call(literal, { as, params: { owner: 'zoe', repo, id }, ...(ref !== undefined && { query: { ref } }) })
    for (const ref of [undefined, 'main', 'refs/heads/main'])
      assert.equal((await attempt('full', full, ref)).status, 204)
    await until('three have arrived', () => receiver.received.length === 3)
    for (const { target, headers, body } of receiver.received) {
      assert.deepEqual([target, headers['x-gitea-event']], ['/full', 'push'])
      const { ref, before, after, commits, head_commit, pusher } = JSON.parse(body)
      assert.deepEqual([ref, before, commits.length, pusher.login], ['refs/heads/main', after, 1, 'zoe'])
      assert.deepEqual([head_commit.id, head_commit.message.trim()], [after, 'Initial commit'])
    }
    assert.equal((await attempt('bare', bare)).status, 204)
    assert.equal((await attempt('full', off)).status, 422)
    for (const ref of ['nowhere', '--all', 'main\0', '../main'])
      assert.equal((await attempt('full', full, ref)).status, 404, ref)
    assert.equal((await attempt('full', bare)).status, 404)
    assert.equal((await attempt('full', full, undefined, await make.person())).status, 403)
    assert.equal((await call(literal, { params: { owner: 'zoe', repo: 'full', id: full } })).status, 401)
    const [count] = await pool`select count(*)::int as n from forge.hook_delivery`
    assert.equal(count?.n, 3)
  })
})

test('POST /api/v1/admin/hooks/{id}/tests sends the newest commit of any repository to a hook of the site', async () => {
  const mia = await make.person({ name: 'mia' })
  for (const name of ['quiet', 'empty']) {
    const body = { name, private: true, auto_init: name === 'quiet' }
    await call('POST /api/v1/user/repos', { as: mia, body })
  }
  const receiver = await startReceiver()
  const repository = 'mia/quiet'
  await withBackground(async () => {
    const hook = await subscribe(receiver.url)
    const attempt = (query: Record<string, string>, as: Somebody = boss, id = hook) =>
      call('POST /api/v1/admin/hooks/{id}/tests', { as, params: { id }, query })
    assert.equal((await attempt({ repository: 'mia/empty' })).status, 204)
    for (const ref of ['main', '']) assert.equal((await attempt({ repository, ref })).status, 204)
    await until('both have arrived', () => receiver.received.length === 2)
    for (const { body } of receiver.received) {
      const { ref, before, after, repository: sent } = JSON.parse(body)
      assert.deepEqual([sent.full_name, ref, before], [repository, 'refs/heads/main', after])
    }
    assert.equal((await attempt({ repository, ref: 'nowhere' })).status, 404)
    assert.equal((await attempt({ repository }, boss, 999_999)).status, 404)
    assert.equal((await attempt({ repository }, mia)).status, 403)
    for (const wrong of ['', 'mia', 'mia/nothing', 'nobody/quiet', 'mia/quiet/x', 'mia/\0'])
      assert.equal((await attempt({ repository: wrong })).status, 422, wrong)
    await call('PATCH /api/v1/admin/hooks/{id}', { as: boss, params: { id: hook }, body: { active: false } })
    assert.equal((await attempt({ repository })).status, 422)
    assert.equal((await list(hook)).body.length, 2)
  })
})

test('a hook to an internal address can be created and is refused at delivery, as the history shows', async () => {
  const inner = await startReceiver()
  const turning = await startReceiver((response, { target }) => {
    const to = `http://127.0.0.2:${inner.port}/`
    response.writeHead(target === '/get' ? 302 : 307, { Location: to }).end()
  })
  const errorOf = async (id: number) => {
    const { id: delivery } = await attempted(id, 1)
    const { body } = await show(id, delivery)
    assert.equal(body.history[0].response, null)
    return body.history[0].error
  }
  const outer = await (async () => {
    const found: string[] = []
    await withBackground(
      async () => {
        const port = inner.port
        const urls = [
          `http://127.0.0.1:${port}/`,
          `http://localhost:${port}/`,
          `http://[::1]:${port}/`,
          `http://[::ffff:127.0.0.1]:${port}/`,
          `http://2130706433:${port}/`,
          `http://0x7f.1:${port}/`,
          `http://0:${port}/`,
          'http://169.254.169.254/latest/meta-data/',
          'http://10.0.0.1/',
          'http://[fe80::1]/',
        ]
        const ids: number[] = []
        for (const url of urls) ids.push(await subscribe(url))
        await createRepository()
        for (const id of ids) found.push(await errorOf(id))
      },
      { hosts: 'external' },
    )
    return found
  })()
  for (const error of outer) assert.match(error, /is not among the allowed hosts$/)
  await withBackground(
    async () => {
      const ids = [await subscribe(turning.url), await subscribe(`${turning.url}/get`)]
      await createRepository()
      for (const id of ids) assert.match(await errorOf(id), /is not among the allowed hosts$/)
    },
    { hosts: '127.0.0.1' },
  )
  assert.equal(turning.received.length, 2)
  assert.equal(inner.received.length, 0)
})

test('a receiver that hangs times out, a response of gigabytes is truncated, an interrupted one is recorded', async () => {
  const hanging = await startReceiver(() => {})
  let sent = 0
  const flooding = await startReceiver((response) => {
    const chunk = Buffer.alloc(1 << 20, 'x')
    const more = () => {
      while (!response.destroyed && response.write(chunk)) sent += chunk.length
    }
    response.on('drain', more)
    more()
  })
  const breaking = await startReceiver((response) => {
    response.writeHead(200, { 'Content-Length': '100' })
    response.write('half\0', () => response.destroy())
  })
  await withBackground(
    async () => {
      const [hung, flooded, broken] = [
        await subscribe(hanging.url),
        await subscribe(flooding.url),
        await subscribe(breaking.url),
      ]
      await createRepository()
      const of = async (id: number) => (await show(id, (await attempted(id, 1)).id)).body
      const late = await of(hung)
      assert.deepEqual([late.state, late.history[0].error], ['waiting', 'no response within 500 ms'])
      const flood = await of(flooded)
      assert.deepEqual([flood.state, flood.history[0].response.body.length], ['succeeded', 65_536])
      const half = await of(broken)
      assert.deepEqual([half.state, half.history[0].response.body], ['succeeded', 'half\ufffd'])
    },
    { timeout: 500 },
  )
  assert.ok(sent < 64 << 20, `${sent} bytes were taken`)
})

test('a hook that is deleted with pending deliveries deletes them, without an error in the log', async () => {
  const answer = held<void>()
  const receiver = await startReceiver((response) => void answer.promise.then(() => response.end()))
  await withBackground(async () => {
    const id = await subscribe(receiver.url)
    await createRepository()
    await until('the request is there', () => receiver.received.length === 1)
    const gone = await call('DELETE /api/v1/admin/hooks/{id}', { as: boss, params: { id } })
    assert.equal(gone.status, 204)
    answer.resolve()
    assert.equal((await pool`select from forge.hook_delivery where hook_id = ${id}`).length, 0)
    assert.equal((await list(id)).status, 404)
    await createRepository()
    await until('the event is spread', async () => (await pool`select from forge.event`).length === 0)
    assert.equal(receiver.received.length, 1)
  })
})

test('two servers on one database share the queue and send nothing twice', { skip: !onServer }, async () => {
  const receiver = await startReceiver()
  const other = openPool({ url: database.url ?? '', poolSize: 5 })
  const second = startBackground({ pool: other, clock })
  await withBackground(async () => {
    const id = await subscribe(receiver.url)
    for (let round = 0; round < 4; round++)
      await Promise.all(Array.from({ length: 10 }, () => createRepository()))
    await until('all deliveries are finished', async () => {
      const states = await pool<
        { state: string }[]
      >`select state from forge.hook_delivery where hook_id = ${id}`
      return states.length === 40 && states.every(({ state }) => state === 'succeeded')
    })
    const uuids = receiver.received.map(({ headers }) => headers['x-gitea-delivery'])
    assert.deepEqual([uuids.length, new Set(uuids).size], [40, 40])
  })
  await second.stop()
  await other.end({ timeout: 5 })
})
