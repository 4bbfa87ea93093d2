import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { triggerConsumer } from '../../../src/actions/trigger/consumer.ts'
import { holdDueEvents } from '../../../src/db/outbox-events.ts'
import { hookConsumer } from '../../../src/forge/webhooks/events.ts'
import { workflowMessages } from '../../../src/forge/webhooks/payload/messages.ts'
import { createMessage, payloadText, pushMessage } from '../../../src/forge/webhooks/payload/payload.ts'
import { stoppedClock } from '../../support/clock.ts'
import { openFormerDatabase } from '../../support/database.ts'
import { makersFor } from '../../support/forge/make.ts'
import { ada, commit, engine, zeros } from './payload/facts.ts'

/** What the program before 0035_event_kinds left in the outbox. */
const database = await openFormerDatabase('0035')
const { pool } = database
after(() => database.close())
const day = '2026-01-01'
const [owner] = await pool<[{ id: number }]>`
  insert into forge.account (kind, name, created_at, updated_at) values ('person', 'Ada', ${day}, ${day}) returning id`
const [repository] = await pool<[{ id: number }]>`
  insert into forge.repository (owner_id, name, folder_owner, folder_name, state, is_private, default_branch,
    object_format, created_at, updated_at)
  values (${owner.id}, 'r', 'ada', 'r', 'ready', false, 'main', 'sha1', ${day}, ${day})
  returning id`
await pool`
  insert into forge.hook (scope, type, url, content_type, events, active, branch_filter, created_at, updated_at)
  values ('system', 'gitea', 'https://one.example', 'json', '{push,create,workflow_job}', true, 'main', ${day}, ${day}),
    ('system', 'slack', 'https://two.example', 'json', '{push,create,workflow_job}', true, '', ${day}, ${day})`

const ref = 'refs/heads/main'
const sha = '1'.repeat(40)
const sender = { ...ada, id: owner.id }
const shared = { ref, repository: engine, sender }
const messages = [
  createMessage({ ...shared, sha }),
  pushMessage({
    ...shared,
    before: zeros,
    after: sha,
    commits: [commit(1)],
    total: 1,
    head: commit(1),
    first: false,
    root: 'https://forge.example/',
  }),
]
const job = { action: 'queued', workflow_job: { id: 1 } }
const place = { repository: repository.id, owner: owner.id }
for (const { event, payload } of messages) await queue(event, { payload, ...place, ref })
await queue('workflow_job', { payload: job, ...place })
await queue('action_jobs', { jobs: [{ id: 1, status: 'queued' }] })
await queue('action_run', { run: 1, attempt: 1, status: 'queued' })
await queue('notice.issue', { issue: 1, actor: 1, audience: true, names: [], accounts: [] })
await queue('notice.transfer', { repository: 1 })
await database.upgrade()

async function queue(kind: string, payload: object): Promise<void> {
  await pool`
    insert into forge.event (kind, payload, created_at, due_at)
    values (${kind}, ${JSON.stringify(payload)}::text::json, ${day}, ${day})`
}

test('events that the previous release has queued are delivered, and start workflows', async () => {
  const { begin } = makersFor({ pool, clock: stoppedClock() })
  const kinds = await begin(async (tx) => {
    const events = await holdDueEvents(tx, 100, tx.now)
    for (const consume of [hookConsumer, triggerConsumer(workflowMessages)]) await consume(tx, events, tx.now)
    return events.map(({ kind }) => kind)
  })
  assert.deepEqual(kinds, [
    ...['create', 'push', 'workflow_job'],
    ...['jobs.changed', 'run.changed', 'issue.activity', 'transfer.offered'],
  ])
  const sent = await pool<{ type: string; event: string; body: string }[]>`
    select hook.type, delivery.event, delivery.body
    from forge.hook_delivery as delivery
    join forge.hook on hook.id = hook_id
    order by delivery.id`
  const bodies = sent.filter(({ type }) => type === 'gitea').map(({ event, body }) => ({ event, body }))
  assert.deepEqual(bodies, [
    ...messages.map(({ event, payload }) => ({ event, body: payloadText(event, payload) })),
    { event: 'workflow_job', body: payloadText('workflow_job', job) },
  ])
  const chats = sent.filter(({ type }) => type === 'slack').map(({ body }) => JSON.parse(body).text)
  assert.equal(chats.length, 2)
  assert.match(chats[1], /1 commit pushed to branch main by ada/)
  const triggers = await pool`select kind, ref, before, after, actor_id from forge.action_trigger order by id`
  assert.deepEqual(
    triggers.map((row) => ({ ...row })),
    [
      { kind: 'create', ref, before: null, after: sha, actor_id: owner.id },
      { kind: 'push', ref, before: zeros, after: sha, actor_id: owner.id },
    ],
  )
})
