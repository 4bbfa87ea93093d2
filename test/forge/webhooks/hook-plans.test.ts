import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Pool } from '../../../src/db/sql.ts'
import {
  attemptsOfDelivery,
  deliveryOfHook,
  pageOfDeliveries,
} from '../../../src/forge/webhooks/delivery/delivery-history-store.ts'
import { claimDeliveries } from '../../../src/forge/webhooks/delivery/delivery-store.ts'
import { hookById, pageOfHooks, subscribedHooks } from '../../../src/forge/webhooks/hook-store.ts'
import { startApp } from '../../support/app.ts'
import { onServer } from '../../support/database.ts'
import { makersFor, testSecrets } from '../../support/forge/make.ts'
import { plansOf, vacuumed } from '../../support/plans.ts'

/** So many that the planner prefers indexes, as it does with a million. */
const many = 20_000

test('lists of hooks and deliveries, and the receivers of an event, scan no growing table', {
  skip: !onServer,
}, async () => {
  const { pool, database, clock } = await startApp()
  const now = clock.now()
  const owner = await makersFor({ pool, clock }).person()
  await pool`
    with repository as (
      insert into forge.repository (owner_id, name, folder_owner, folder_name, state, is_private, default_branch,
        object_format, created_at, updated_at)
      select ${owner.id}, 'r' || n, 'o', 'r' || n, 'ready', false, 'main', 'sha1', ${now}, ${now}
      from generate_series(1, ${many}) as n
      returning id
    )
    insert into forge.hook (scope, repository_id, type, address, content_type, events, active, created_at, updated_at)
    select 'repository', id, 'gitea', '\\x01', 'json', '{push}', true, ${now}, ${now}
    from repository`
  await pool`
    insert into forge.hook (scope, owner_id, type, address, content_type, events, active, created_at, updated_at)
    select scope, case scope when 'user' then ${owner.id}::bigint end, 'gitea', '\\x01', 'json', '{push}',
      true, ${now}, ${now}
    from unnest(array['system', 'default', 'user']) as scope`
  await pool`
    with delivery as (
      insert into forge.hook_delivery
        (uuid, hook_id, event, event_type, body, state, due_at, created_at, finished_at)
      select gen_random_uuid(), id, 'push', 'push', '{}', case when id % 100 = 0 then 'waiting' else 'succeeded' end,
        ${now}, ${now}, case when id % 100 = 0 then null else ${now}::timestamptz end
      from forge.hook, generate_series(1, 3)
      returning id
    )
    insert into forge.hook_attempt
      (delivery_id, number, started_at, duration_ms, request_method, address, request_headers)
    select id, 1, ${now}, 1, 'POST', '\\x01', '{}'
    from delivery`
  await vacuumed(pool, 'repository', 'hook', 'hook_delivery', 'hook_attempt')
  const [one] = await pool<[{ id: number; repository_id: number; delivery: number }]>`
    select hook.id, repository_id, hook_delivery.id as delivery
    from forge.hook
    join forge.hook_delivery on hook_id = hook.id
    where scope = 'repository'
    order by hook.id desc
    limit 1`
  const first = { page: 1, limit: 50 }
  const repository = { repository: one.repository_id }
  const questions: Record<string, (pool: Pool) => Promise<unknown>> = {
    'hooks of a repository': (sql) => pageOfHooks(sql, testSecrets, repository, first),
    'hooks of an owner': (sql) => pageOfHooks(sql, testSecrets, { owner: owner.id }, first),
    'system hooks': (sql) => pageOfHooks(sql, testSecrets, { site: 'system' }, first),
    'default hooks': (sql) => pageOfHooks(sql, testSecrets, { site: 'default' }, first),
    'hooks of the site': (sql) => pageOfHooks(sql, testSecrets, { site: 'all' }, first),
    'one hook': (sql) => hookById(sql, testSecrets, repository, one.id),
    'who hears': (sql) => subscribedHooks(sql, 'push', { ...repository, owner: owner.id }),
    deliveries: (sql) => pageOfDeliveries(sql, one.id, first),
    'a delivery': (sql) => deliveryOfHook(sql, one.id, one.delivery),
    attempts: (sql) => attemptsOfDelivery(sql, testSecrets, one.delivery),
    'what is due': (sql) =>
      claimDeliveries(sql, {
        free: 10,
        reserved: 0,
        each: 10,
        busy: [],
        now,
        until: now,
        passOver: [one.id],
      }),
  }
  for (const [name, question] of Object.entries(questions)) {
    const plans = await plansOf(database, question)
    assert.ok(plans.length >= 1, name)
    for (const plan of plans) assert.doesNotMatch(plan, /Seq Scan on (hook|repository)/, name)
  }
})
