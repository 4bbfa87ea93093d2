import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, test } from 'node:test'
import { lease } from '../../../../src/background/claim.ts'
import { type DomainEvent, emitEvents } from '../../../../src/background/domain-events.ts'
import type { Consumer } from '../../../../src/background/outbox.ts'
import { beginFor, beginOn } from '../../../../src/db/begin.ts'
import { createSecrets } from '../../../../src/db/encryption/secrets.ts'
import { openPool } from '../../../../src/db/open.ts'
import type { Pool } from '../../../../src/db/sql.ts'
import { claimLimits } from '../../../../src/forge/webhooks/delivery/claim-limits.ts'
import {
  attemptsOfDelivery,
  deliveryOfHook,
  pageOfDeliveries,
  redeliver,
  removeAllButNewestDeliveries,
  removeDeliveriesBefore,
} from '../../../../src/forge/webhooks/delivery/delivery-history-store.ts'
import {
  claimDeliveries,
  finishAttempt,
  insertDeliveries,
} from '../../../../src/forge/webhooks/delivery/delivery-store.ts'
import { dispatchDefaults } from '../../../../src/forge/webhooks/delivery/dispatch.ts'
import { hookConsumer } from '../../../../src/forge/webhooks/events.ts'
import { copyHooks, type HookDraft, insertHook } from '../../../../src/forge/webhooks/hook-store.ts'
import { createLog } from '../../../../src/log.ts'
import { startBackground as startYardOn, type YardOptions } from '../../../support/background.ts'
import { stoppedClock } from '../../../support/clock.ts'
import { onServer, openTestDatabase } from '../../../support/database.ts'
import { hookDraft } from '../../../support/forge/hooks.ts'
import { makersFor } from '../../../support/forge/make.ts'
import { openProxy } from '../../../support/proxy.ts'
import { startReceiver } from '../../../support/receiver.ts'
import { keepLines } from '../../../support/sink.ts'
import { tablesHolding } from '../../../support/traces.ts'
import { held, until } from '../../../support/wait.ts'
import { ada, engine } from '../payload/facts.ts'

const database = await openTestDatabase()
const { pool } = database
const clock = stoppedClock()
const secrets = createSecrets(['k'.repeat(32)])
const sink = keepLines()
const log = createLog('debug', sink)
const password = 'swordfish-1234567'
const sesame = 'Bearer sesame-7654321'

const startBackground = (on: Pool = pool, options: YardOptions = {}) =>
  startYardOn({ pool: on, clock, secrets, log }, options)

const begin = beginOn(pool, clock.now)
const make = makersFor({ pool, clock })
const [somebody, somebodyElse] = [await make.person(), await make.person()]
await pool`
  insert into forge.repository
    (id, owner_id, name, folder_owner, folder_name, is_private, default_branch, object_format, created_at, updated_at)
  overriding system value
  select id, ${somebody.id}, 'r' || id, 'o', 'r' || id, false, 'main', 'sha1', ${clock.now()}, ${clock.now()}
  from unnest(${[7, 8, 9, 77]}::bigint[]) as id`

function hook(url: string, more: Partial<HookDraft> = {}) {
  const draft = hookDraft(url, {
    scope: { kind: 'repository', repository: 7 },
    all_events: false,
    events: ['create', 'push', 'repository'],
    secret: password,
    authorization: sesame,
    ...more,
  })
  return begin((tx) => insertHook(tx, secrets, draft))
}

/** A push to a ref of a repository, of one commit by default. */
function push({ repository = 7, ref = 'refs/heads/main', total = 1 } = {}): DomainEvent {
  const person = { name: 'Ada', email: 'ada@forge.example' }
  const after = '1'.repeat(40)
  const commit = {
    id: after,
    message: 'Change 1',
    added: ['new.txt'],
    removed: [],
    modified: [],
    author: person,
    committer: { ...person, at: '2026-01-31T08:00:00Z' },
  }
  return {
    kind: 'ref.updated',
    location: { repository, owner: somebody.id },
    actor: somebody.id,
    ref,
    before: '2'.repeat(40),
    after,
    total,
    was_empty: true,
    root: 'https://forge.example/',
    commits: total > 0 ? [commit] : [],
    repository: engine,
    sender: ada,
  }
}

const emit = (...events: readonly DomainEvent[]) => begin((tx) => emitEvents(tx, events))
const emitPush = (what?: Parameters<typeof push>[0]) => emit(push(what))

const newest = (hookId: number) => pageOfDeliveries(pool, hookId, { limit: 1, page: 1 })
const stateOf = async (hookId: number) => (await newest(hookId)).rows[0]
const countOf = async (hookId: number) => (await newest(hookId)).total

/** Waits until the newest delivery of a hook has made so many attempts and nobody is at it. */
const attempted = (hookId: number, attempts: number) =>
  until(`hook ${hookId} has made ${attempts} attempts`, async () => {
    const delivery = await stateOf(hookId)
    return delivery?.attempts === attempts && delivery
  })

/** No hook and nothing queued: each test begins with nothing. */
async function clear(): Promise<void> {
  await pool`delete from forge.hook`
  await pool`delete from forge.event`
}

/** Nothing is left to spread or due to be sent. */
const settled = () =>
  until('the queues are empty', async () => {
    const [row] = await pool<{ left: number }[]>`
      select (select count(*) from forge.event) +
        (select count(*) from forge.hook_delivery where state = 'waiting' and due_at <= ${clock.now()}) +
        (select count(*) from forge.hook_delivery where claim is not null) as left`
    return row?.left === 0
  })

after(() => database.close())

/** The pool of a process that gets the answer to its claim late. */
function answeredLate(late: () => void): Pool {
  return new Proxy(pool, {
    apply: (target, self, args: Parameters<Pool>) => {
      const rows: Promise<unknown[]> = Reflect.apply(target, self, args)
      if (!String(args[0]).includes('hook_delivery as delivery')) return rows
      return rows.then((claimed) => {
        if (claimed.length > 0) late()
        return claimed
      })
    },
  })
}

async function withBackground(work: () => Promise<void>, options: YardOptions = {}): Promise<void> {
  await clear()
  await withoutClearing(work, options)
}

async function withoutClearing(work: () => Promise<void>, options: YardOptions): Promise<void> {
  const started = startBackground(pool, options)
  try {
    await work()
  } finally {
    await started.stop()
  }
}

test('a push arrives signed, after a failed attempt, under one uuid, and not before it is due', async () => {
  let failing = true
  const receiver = await startReceiver((response) => {
    response.writeHead(failing ? 500 : 200, { 'X-Answer': 'yes' }).end(failing ? 'not now' : 'thanks')
  })
  await withBackground(async () => {
    const { id } = await hook(receiver.url)
    await emitPush()
    const waiting = await attempted(id, 1)
    assert.equal(waiting.state, 'waiting')
    assert.equal(waiting.status, 500)
    assert.equal(waiting.next_attempt_at, new Date(clock.now().getTime() + 10_000).toISOString())

    failing = false
    clock.tick(9_999)
    await settled()
    assert.equal(receiver.received.length, 1)
    clock.tick(1)
    const done = await attempted(id, 2)
    assert.equal(done.state, 'succeeded')
    assert.equal(done.next_attempt_at, null)

    const [first, second] = receiver.received
    assert.equal(second?.headers['x-gitea-delivery'], done.uuid)
    assert.equal(first?.headers['x-gitea-delivery'], done.uuid)
    assert.equal(second?.headers['x-gitea-event'], 'push')
    assert.equal(second?.headers.authorization, sesame)
    const signature = createHmac('sha256', password)
      .update(second?.body ?? '')
      .digest('hex')
    assert.equal(second?.headers['x-gitea-signature'], signature)
    assert.equal(JSON.parse(second?.body ?? '').head_commit.id, '1'.repeat(40))
    assert.match(second?.body ?? '', /^\{\n {2}"ref": "refs\/heads\/main",\n {2}"before"/)

    const attempts = await attemptsOfDelivery(pool, secrets, done.id)
    assert.deepEqual(
      attempts.map(({ number, status, response_body: body, error }) => [number, status, body, error]),
      [
        [1, 500, 'not now', null],
        [2, 200, 'thanks', null],
      ],
    )
    assert.equal(attempts[1]?.request_headers.Authorization, '******')
    assert.equal(attempts[1]?.request_headers['X-Gitea-Delivery'], done.uuid)
    assert.equal(attempts[1]?.response_headers?.['x-answer'], 'yes')
    assert.equal((await deliveryOfHook(pool, id, done.id))?.body, second?.body)
  })
})

test('a delivery fails after six attempts, with 10 s, 1 min, 10 min, 1 h and 6 h between them', async () => {
  const receiver = await startReceiver((response) => response.writeHead(503).end())
  await withBackground(async () => {
    const { id } = await hook(receiver.url)
    await emitPush()
    for (const [at, wait] of dispatchDefaults.backoff.entries()) {
      const waiting = await attempted(id, at + 1)
      assert.equal(waiting.next_attempt_at, new Date(clock.now().getTime() + wait).toISOString())
      clock.tick(wait)
    }
    assert.deepEqual(dispatchDefaults.backoff, [10_000, 60_000, 600_000, 3_600_000, 21_600_000])
    const delivery = await attempted(id, 6)
    assert.equal(delivery.state, 'failed')
    assert.equal(delivery.next_attempt_at, null)
    assert.equal(delivery.finished_at, clock.now().toISOString())
    clock.tick(1e9)
    await settled()
    assert.equal(receiver.received.length, 6)
  })
})

test('receivers: active hooks of the repository, its owner and the site that subscribed and whose filter matches', async () => {
  const receiver = await startReceiver()
  await withBackground(async () => {
    const at = (name: string, more: Partial<HookDraft> = {}) => hook(`${receiver.url}/${name}`, more)
    await at('repository')
    await at('owner', { scope: { kind: 'user', owner: somebody.id } })
    await at('site', { scope: { kind: 'system' } })
    await at('everything', { all_events: true, events: [] })
    await at('filtered', { branch_filter: '{main,release/*}' })
    await at('full-name', { branch_filter: 'refs/heads/{main,dev}' })
    await at('form', { content_type: 'form', type: 'gogs' })
    await at('default', { scope: { kind: 'default' } })
    await at('inactive', { active: false })
    await at('other-repository', { scope: { kind: 'repository', repository: 8 } })
    await at('other-owner', { scope: { kind: 'organization', owner: somebodyElse.id } })
    await at('other-event', { all_events: false, events: ['issues'] })
    await at('other-branch', { branch_filter: 'release/*' })
    await emitPush()
    await settled()
    const targets = receiver.received.map(({ target }) => target).sort()
    assert.deepEqual(targets, [
      '/everything',
      '/filtered',
      '/form',
      '/full-name',
      '/owner',
      '/repository',
      '/site',
    ])
    const scopes = receiver.received
      .map(({ headers }) => headers['x-gitea-hook-installation-target-type'])
      .sort()
    assert.deepEqual(scopes, [
      'repository',
      'repository',
      'repository',
      'repository',
      'repository',
      'system',
      'user',
    ])
    const form = receiver.received.find(({ target }) => target === '/form')
    assert.equal(JSON.parse(new URLSearchParams(form?.body).get('payload') ?? '').ref, 'refs/heads/main')
  })
})

test('a chat gets its own format, and nothing for a push without commits', async () => {
  const receiver = await startReceiver()
  await withBackground(async () => {
    await hook(`${receiver.url}/slack`, { type: 'slack', options: { channel: '#dev' } })
    await hook(`${receiver.url}/matrix`, { type: 'matrix' })
    await hook(`${receiver.url}/gitea`)
    await emitPush({ ref: 'refs/heads/other', total: 0 })
    await settled()
    assert.deepEqual(
      receiver.received.map(({ target }) => target),
      ['/gitea'],
    )
    receiver.received.length = 0
    await emitPush()
    await settled()
    const slack = receiver.received.find(({ target }) => target === '/slack')
    assert.equal(JSON.parse(slack?.body ?? '').channel, '#dev')
    const matrix = receiver.received.find(({ method }) => method === 'PUT')
    assert.equal(matrix?.target, `/matrix/${matrix?.headers['x-gitea-delivery']}`)
    assert.equal(receiver.received.length, 3)
  })
})

test('two drains share one queue and send nothing twice', async () => {
  const receiver = await startReceiver()
  await clear()
  const { id } = await hook(receiver.url)
  const other = database.url === undefined ? pool : openPool({ url: database.url, poolSize: 5 })
  const both = [startBackground(), startBackground(other)]
  for (let round = 0; round < 10; round++) {
    await emit(...Array.from({ length: 20 }, () => push()))
  }
  await settled()
  await Promise.all(both.map((each) => each.stop()))
  if (other !== pool) await other.end({ timeout: 5 })
  const uuids = receiver.received.map(({ headers }) => headers['x-gitea-delivery'])
  assert.equal(uuids.length, 200)
  assert.equal(new Set(uuids).size, 200)
  assert.equal(await countOf(id), 200)
})

/** A receiver whose hook has a delivery queued that nobody sends yet. */
async function queuedPush() {
  const receiver = await startReceiver()
  await clear()
  const { id } = await hook(receiver.url)
  const spreading = startBackground(pool, { maxConcurrent: 0 })
  await emitPush()
  await until('the delivery is queued', () => stateOf(id))
  await spreading.stop()
  return { receiver, id }
}

test('a delivery whose process died between claim and sending is sent when its lease is over', async () => {
  const { receiver, id } = await queuedPush()
  const now = clock.now()
  const [claimed] = await claimDeliveries(pool, {
    ...claimLimits([], 5),
    now,
    until: new Date(now.getTime() + 60_000),
  })
  assert.ok(claimed)
  // The process that claimed it is gone. Nobody else touches it while it may still be at work.
  const surviving = startBackground()
  clock.tick(59_999)
  const witness = await startReceiver()
  await hook(witness.url, { scope: { kind: 'repository', repository: 9 } })
  await emitPush({ repository: 9 })
  await until('the survivor has looked', () => witness.received.length === 1)
  assert.equal(receiver.received.length, 0)
  clock.tick(1)
  const done = await attempted(id, 1)
  assert.equal(done.state, 'succeeded')
  assert.deepEqual(
    receiver.received.map(({ headers }) => headers['x-gitea-delivery']),
    [claimed.uuid],
  )
  // Should the dead have only slept, what it says now is not recorded a second time.
  const attempt = {
    startedAt: now,
    milliseconds: 1,
    method: 'POST',
    url: 'http://x',
    headers: {},
    status: 500,
    responseHeaders: {},
    responseBody: '',
    error: null,
  }
  assert.equal(await finishAttempt(pool, secrets, claimed, attempt, { state: 'failed', at: now }), false)
  assert.equal((await attemptsOfDelivery(pool, secrets, done.id)).length, 1)
  await surviving.stop()
})

test('a sent delivery is not repeated after the database was away', { skip: !onServer }, async () => {
  const answer = held<void>()
  const receiver = await startReceiver((response) => void answer.promise.then(() => response.end()))
  await clear()
  const { id } = await hook(receiver.url)
  const line = await openProxy(database.url ?? '')
  const cutOff = openPool({ url: line.url, poolSize: 2 })
  const sending = startBackground(cutOff)
  await emitPush()
  await until('the request is there', () => receiver.received.length === 1)
  await line.cut()
  answer.resolve()
  await until('the failure is logged', () => sink.lines().some(({ task }) => task === 'deliver webhooks'))
  await line.mend()
  assert.equal((await attempted(id, 1)).state, 'succeeded')
  clock.tick(2 * lease)
  await emitPush()
  await until('delivery continues', () => receiver.received.length === 2)
  await settled()
  await sending.stop()
  await Promise.all([cutOff.end({ timeout: 1 }), line.close()])
  assert.equal(receiver.received.length, 2)
})

test('a process that was suspended until its claim expired sends nothing', async () => {
  const { receiver, id } = await queuedPush()
  let claims = 0
  const sleeper = startBackground(
    answeredLate(() => {
      claims++
      clock.tick(2 * lease)
    }),
  )
  await until('the sleeper has claimed it twice', () => claims >= 2)
  await sleeper.stop()
  assert.equal(receiver.received.length, 0)
  const other = startBackground()
  clock.tick(2 * lease)
  await attempted(id, 1)
  await other.stop()
  assert.equal(receiver.received.length, 1)
})

test('a stop releases deliveries in progress for other processes', async () => {
  let hanging = true
  const receiver = await startReceiver((response) => {
    if (!hanging) response.end()
  })
  await clear()
  const { id } = await hook(receiver.url)
  const stopping = startBackground(pool, { grace: 20 })
  await emitPush()
  await until('the request is there', () => receiver.received.length === 1)
  await stopping.stop()
  const delivery = await stateOf(id)
  assert.deepEqual([delivery?.state, delivery?.attempts], ['waiting', 0])
  hanging = false
  const next = startBackground()
  await attempted(id, 1)
  await next.stop()
  const [first, second] = receiver.received
  assert.equal(first?.headers['x-gitea-delivery'], second?.headers['x-gitea-delivery'])
})

test('a stop waits for requests that end soon', async () => {
  const answer = held<void>()
  const receiver = await startReceiver((response) => void answer.promise.then(() => response.end()))
  await clear()
  const { id } = await hook(receiver.url)
  const stopping = startBackground(pool, { grace: 10_000 })
  await emitPush()
  await until('the request is there', () => receiver.received.length === 1)
  const stopped = stopping.stop()
  answer.resolve()
  await stopped
  assert.equal((await stateOf(id))?.state, 'succeeded')
})

test('the history shows network errors', async () => {
  const hanging = await startReceiver(() => {})
  const inward = await startReceiver((response) => {
    response.writeHead(307, { Location: `http://127.0.0.2:${hanging.port}/` }).end()
  })
  const errorOf = async (id: number) => {
    const { id: delivery } = await attempted(id, 1)
    const [attempt] = await attemptsOfDelivery(pool, secrets, delivery)
    assert.equal(attempt?.status, null)
    return attempt?.error ?? ''
  }
  await withBackground(
    async () => {
      const hung = await hook(hanging.url)
      const redirected = await hook(inward.url)
      const refused = await hook('http://[::1]:9/')
      const nobody = await hook('http://127.0.0.1:1/')
      const unreadable = await hook('no address')
      await emitPush()
      assert.equal(await errorOf(hung.id), 'no response within 200 ms')
      assert.equal(await errorOf(redirected.id), '"127.0.0.2" is not among the allowed hosts')
      assert.equal(await errorOf(refused.id), '"::1" is not among the allowed hosts')
      assert.match(await errorOf(nobody.id), /ECONNREFUSED/)
      assert.match(await errorOf(unreadable.id), /Invalid URL/)
    },
    { hosts: '127.0.0.1', timeout: 200 },
  )
  assert.equal(hanging.received.length, 1)
})

test('a deactivated hook receives nothing', async () => {
  const receiver = await startReceiver((response) => response.writeHead(500).end())
  await withBackground(async () => {
    const { id } = await hook(receiver.url.replace('//', '//ada:in-the-url@'))
    await emitPush()
    await attempted(id, 1)
    await pool`update forge.hook set active = false where id = ${id}`
    clock.tick(10_000)
    const delivery = await attempted(id, 2)
    assert.equal(delivery.state, 'failed')
    const [, second] = await attemptsOfDelivery(pool, secrets, delivery.id)
    assert.equal(second?.error, 'the webhook is not active')
    assert.equal(second?.request_url, `${receiver.url.replace('//', '//******@')}/`)
    assert.equal(receiver.received.length, 1)
  })
})

test('a hook that is deleted while a request is under way leaves nothing', async () => {
  const answer = held<void>()
  const receiver = await startReceiver((response) => void answer.promise.then(() => response.end()))
  await withBackground(async () => {
    const { id } = await hook(receiver.url)
    await emitPush()
    await until('the request is there', () => receiver.received.length === 1)
    await pool`delete from forge.hook where id = ${id}`
    answer.resolve()
    await until('its end is logged', () =>
      sink.lines().some((line) => line.hook === id && line.state === 'lost'),
    )
    assert.equal(await countOf(id), 0)
  })
})

test('at most ten requests of one hook are open at once, so that one that hangs leaves room for others', async () => {
  const hang = await startReceiver(() => {})
  const fast = await startReceiver((response) => setTimeout(() => response.end(), 2))
  await withBackground(
    async () => {
      await hook(hang.url, { scope: { kind: 'repository', repository: 9 } })
      await emit(...Array.from({ length: 100 }, () => push({ repository: 9 })))
      await until('the hanging one has its share', () => hang.received.length >= 10)
      await hook(fast.url)
      await emit(...Array.from({ length: 200 }, () => push()))
      await until('the fast one has all', () => fast.received.length === 200)
      assert.ok(hang.mostOpen() <= 10 && fast.mostOpen() <= 10, `${hang.mostOpen()} and ${fast.mostOpen()}`)
    },
    { timeout: 60_000, grace: 0 },
  )
})

/** A receiver that never answers, with deliveries of this many hooks of an account queued. */
async function hangingReceiver(owner: number, hooks: number) {
  const receiver = await startReceiver(() => {})
  for (let count = 0; count < hooks; count++) {
    const { id } = await hook(receiver.url, { scope: { kind: 'user', owner } })
    const delivery = { hook_id: id, event: 'push', event_type: 'push', body: '{}' }
    await insertDeliveries(pool, Array(20).fill(delivery), clock.now())
  }
  clock.tick(1)
  return receiver
}

test('hooks of one owner whose receivers hang delay no other owner, however many there are', async () => {
  await clear()
  const hang = await hangingReceiver(somebodyElse.id, 10)
  const fast = await startReceiver()
  await withoutClearing(
    async () => {
      await until('the owner has its share', () => hang.received.length === 20)
      await hook(fast.url)
      await emit(...Array.from({ length: 100 }, () => push()))
      await until('the other one has all', () => fast.received.length === 100)
      assert.equal(hang.mostOpen(), 20)
      assert.ok(fast.mostOpen() <= 10)
    },
    { timeout: 60_000, grace: 0 },
  )
})

test('owners whose receivers hang leave a quarter of the slots to owners who have none, in each process', async () => {
  await clear()
  const owners = await Promise.all([1, 2, 3].map(() => make.person()))
  const hanging = await Promise.all(owners.map(({ id }) => hangingReceiver(id, 10)))
  const open = () => hanging.reduce((sum, { received }) => sum + received.length, 0)
  const fast = await startReceiver()
  const other = database.url === undefined ? pool : openPool({ url: database.url, poolSize: 5 })
  const options = { timeout: 60_000, grace: 0 }
  const both = [startBackground(pool, options), startBackground(other, options)]
  await until('they have their shares', () => open() === 60)
  await hook(fast.url)
  for (let count = 0; count < 10; count++) await emitPush()
  await until('the other one has all', () => fast.received.length === 10)
  assert.equal(open(), 60)
  await Promise.all(both.map((each) => each.stop()))
  if (other !== pool) await other.end({ timeout: 5 })
})

test('an event that cannot be dispatched is postponed, and delays no other', async () => {
  const receiver = await startReceiver()
  let broken = true
  const failing: Consumer = async (sql, events) => {
    if (broken && events.some(({ kind }) => kind === 'repository.changed')) await sql`select 1 / 0`
  }
  await withBackground(
    async () => {
      await hook(receiver.url)
      const location = { repository: 7, owner: somebody.id }
      const shared = { location, repository: engine, sender: ada }
      await emit({ kind: 'repository.changed', action: 'created', owner: ada, ...shared }, push())
      await until('the push is there', () => receiver.received.length === 1)
      assert.equal(receiver.received[0]?.headers['x-gitea-event'], 'push')
      const [event] = await pool<{ failures: number; last_error: string }[]>`
        select failures, last_error from forge.event`
      assert.deepEqual({ ...event }, { failures: 1, last_error: 'division by zero' })
      broken = false
      clock.tick(10_000)
      await until('the other one comes after', () => receiver.received.length === 2)
      assert.match(receiver.received[1]?.body ?? '', /^\{\n "action": "created"/)
      await settled()
    },
    { consumers: [failing, hookConsumer] },
  )
})

test('a transaction that is rolled back sends nothing', async () => {
  const receiver = await startReceiver()
  await withBackground(async () => {
    const { id } = await hook(receiver.url)
    const failing = begin(async (tx) => {
      await emitEvents(tx, [push()])
      throw new Error('no')
    })
    await assert.rejects(failing, /no/)
    await emitPush()
    await settled()
    assert.equal(receiver.received.length, 1)
    assert.equal(await countOf(id), 1)
  })
})

test('a commit in another process wakes the drain without a poll', { skip: !onServer }, async () => {
  const receiver = await startReceiver()
  await clear()
  await hook(receiver.url)
  const never = startBackground(pool, { poll: 1e9 })
  // The first looks are those of the start; after them only a notification helps.
  for (let at = 1; at <= 3; at++) {
    await emitPush()
    await until('the push is there', () => receiver.received.length === at)
  }
  await never.stop()
})

test('hooks that are deleted while an event is dispatched do not delay other hooks', {
  skip: !onServer && 'one session: nothing can be made to wait',
}, async () => {
  const receiver = await startReceiver()
  await clear()
  const [first, second] = [await hook(receiver.url), await hook(receiver.url)]
  await hook(receiver.url)
  await emitPush()
  const from = sink.lines().length
  const failed = () =>
    sink
      .lines()
      .slice(from)
      .some(({ message }) => message === 'cannot dispatch an event')
  const deleteWhileAwaited = ({ id }: { id: number }, meanwhile: () => unknown) =>
    pool.begin(async (tx) => {
      await tx`delete from forge.hook where id = ${id}`
      const [{ pid }] = await tx<[{ pid: number }]>`select pg_backend_pid() as pid`
      await meanwhile()
      await until('the dispatcher waits for the deletion', async () => {
        const waiting = await pool`
          select from pg_stat_activity where datname = current_database() and ${pid} = any(pg_blocking_pids(pid))`
        return waiting.length > 0
      })
    })
  let deleting: Promise<void> | undefined
  const never = await new Promise<ReturnType<typeof startBackground>>((resolve) => {
    deleting = deleteWhileAwaited(second, async () => {
      await deleteWhileAwaited(first, () => resolve(startBackground(pool, { poll: 1e9 })))
    })
  })
  await deleting
  await until(
    'the third hook has a delivery, or the event fails',
    () => receiver.received.length > 0 || failed(),
  )
  assert.deepEqual([receiver.received.length, failed()], [1, false])
  await never.stop()
})

test('a lost connection for notifications comes back', { skip: !onServer }, async () => {
  const receiver = await startReceiver()
  await clear()
  await hook(receiver.url)
  const never = startBackground(pool, { poll: 1e9 })
  await emitPush()
  await until('the push is there', () => receiver.received.length === 1)
  await pool`
    select pg_terminate_backend(pid)
    from pg_stat_activity
    where query ilike 'listen%' and datname = current_database()`
  await emitPush()
  await until('the next one is there, too', () => receiver.received.length === 2)
  await never.stop()
})

test('redelivery is a new delivery with a new uuid, the same text and the id of the same request', async () => {
  const receiver = await startReceiver()
  await withBackground(async () => {
    const { id } = await hook(receiver.url)
    const other = await hook(receiver.url, { active: false })
    await beginFor('push-1', begin)((tx) => emitEvents(tx, [push()]))
    const first = await attempted(id, 1)
    assert.equal(
      await begin((tx) => redeliver(tx, other.id, first.id)),
      undefined,
      'it belongs to another hook',
    )
    const again = await beginFor('again-1', begin)((tx) => redeliver(tx, id, first.id))
    await until('it is there', () => receiver.received.length === 2)
    await settled()
    const second = await stateOf(id)
    assert.equal(second?.id, again)
    assert.equal(second?.redelivery_of, first.id)
    assert.notEqual(second?.uuid, first.uuid)
    assert.equal(receiver.received[0]?.body, receiver.received[1]?.body)
    const ids = receiver.received.map(({ headers }) => headers['x-request-id'])
    assert.deepEqual(ids, ['push-1', 'push-1'])
  })
})

test('old deliveries are removed, by age or by number; waiting ones never are', async () => {
  const receiver = await startReceiver()
  await withBackground(async () => {
    const { id } = await hook(receiver.url)
    for (let at = 1; at <= 5; at++) {
      await emitPush()
      await until('it is there', () => receiver.received.length === at)
      await settled()
      clock.tick(1000)
    }
    assert.equal(await removeDeliveriesBefore(pool, new Date(clock.now().getTime() - 3000), 100), 2)
    assert.equal(await countOf(id), 3)
    await pool`update forge.hook_delivery set state = 'waiting', finished_at = null, due_at = '2999-01-01'
      where id = (select min(id) from forge.hook_delivery)`
    assert.equal(await removeAllButNewestDeliveries(pool, 1), 1)
    assert.equal(await countOf(id), 2)
    assert.equal(await removeDeliveriesBefore(pool, new Date('2999-01-01'), 100), 1)
  })
})

test('default hooks are copied into a repository with their secrets', async () => {
  const receiver = await startReceiver()
  await withBackground(async () => {
    await hook(receiver.url, { scope: { kind: 'default' }, branch_filter: 'main' })
    await begin((tx) => copyHooks(tx, secrets, { from: { site: 'default' }, to: 77 }))
    await emitPush({ repository: 77 })
    await until('it is there', () => receiver.received.length === 1)
    await settled()
    const [copy] = receiver.received
    const signature = createHmac('sha256', password)
      .update(copy?.body ?? '')
      .digest('hex')
    assert.equal(copy?.headers['x-gitea-signature'], signature)
    assert.equal(copy?.headers.authorization, sesame)
    assert.equal(copy?.headers['x-gitea-hook-installation-target-type'], 'repository')
  })
})

test('a secret that cannot be decrypted is an error of the attempt whose message reveals nothing', async () => {
  const receiver = await startReceiver()
  await withBackground(async () => {
    const { id } = await hook(receiver.url)
    await pool`update forge.hook set secret = set_byte(secret, 3, 255 - get_byte(secret, 3))`
    await emitPush()
    const { id: delivery } = await attempted(id, 1)
    const [attempt] = await attemptsOfDelivery(pool, secrets, delivery)
    assert.equal(attempt?.error, 'it was encrypted with a key that SECRET_KEY does not hold')
    assert.equal(receiver.received.length, 0)
  })
})

test('an address that cannot be decrypted is an error of the attempt too, and receives deliveries once the key is back', async () => {
  const receiver = await startReceiver()
  const otherKey = () =>
    pool`update forge.hook set address = set_byte(address, 3, 255 - get_byte(address, 3))`
  await withBackground(async () => {
    const { id } = await hook(receiver.url)
    await otherKey()
    await emitPush()
    const { id: delivery } = await attempted(id, 1)
    const [attempt] = await attemptsOfDelivery(pool, secrets, delivery)
    assert.equal(attempt?.error, 'it was encrypted with a key that SECRET_KEY does not hold')
    assert.equal(attempt?.request_url, '')
    await otherKey()
    clock.tick(10_000)
    assert.equal((await attempted(id, 2)).state, 'succeeded')
    assert.equal(receiver.received.length, 1)
  })
})

test('no row and no line of the log holds a secret in clear', async () => {
  const receiver = await startReceiver((response) => response.writeHead(500).end())
  await withBackground(async () => {
    const token = `${receiver.url}/t0ken-in-path?key=t0ken-in-query`
    const { id } = await hook(token.replace('//', '//ada:pass-in-url@'), { authorization: '' })
    const other = await hook(receiver.url)
    await emitPush()
    const { id: delivery } = await attempted(id, 1)
    await attempted(other.id, 1)
    const tables = await pool<{ text: string }[]>`
      select event::text as text from forge.event
      union all select delivery::text from forge.hook_delivery as delivery
      union all select attempt::text from forge.hook_attempt as attempt
      union all select to_jsonb(hook)::text from forge.hook
      union all select encode(secret, 'escape') from forge.hook
      union all select encode(authorization_header, 'escape') from forge.hook where authorization_header is not null`
    const texts = [...tables.map(({ text }) => text), ...sink.lines().map((line) => JSON.stringify(line))]
    assert.ok(texts.length > 10)
    for (const text of texts) {
      assert.ok(!text.includes(password), text)
      assert.ok(!text.includes(sesame), text)
    }
    for (const part of ['pass-in-url', 't0ken-in-path', 't0ken-in-query']) {
      assert.deepEqual(await tablesHolding(pool, part), [])
      for (const line of sink.lines()) assert.ok(!JSON.stringify(line).includes(part))
    }
    const [attempt] = await attemptsOfDelivery(pool, secrets, delivery)
    assert.equal(attempt?.request_url, token.replace('//', '//******@'))
  })
})
