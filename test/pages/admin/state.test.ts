import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startEverything } from '../../support/forge/everything.ts'
import { signedIn } from './browser.ts'

const forge = await startEverything()
const { pool, clock } = forge
const { page } = await signedIn(forge, 'ada')

/** What the start of the administration says of each part, with its badge. */
const findings = async () =>
  [
    ...(await page('/-/admin')).matchAll(
      /<li><span class="badge (\w+)">\w+<\/span> <a href="[^"]+\/-\/admin\/(\w+)[^"]*">([^<]+)</g,
    ),
  ].map(([, tone, section, sentence]) => `${section} ${tone}: ${sentence}`)

test('GET /-/admin says what is well, and what an administrator has to look at', async () => {
  await pool`update forge.hook_delivery set state = 'succeeded', finished_at = ${clock.now()}`
  await pool`update forge.action_runner set last_online = ${clock.now()}`
  await pool`delete from forgehall.mail`
  assert.deepEqual(await findings(), [
    'runners good: All runners are online',
    'tasks good: No scheduled task has failed',
    'webhooks good: No delivery of a webhook was given up in the last day',
    'mails good: No mail was given up',
  ])
  const [{ runners }] = await pool<[{ runners: number }]>`
    select count(*) as runners from forge.action_runner where deleted_at is null`
  const [{ id }] = await pool<[{ id: number }]>`
    update forge.hook_delivery set state = 'failed'
    where id = (select max(id) from forge.hook_delivery)
    returning id`
  await pool`
    insert into forge.cron_task (name, schedule, outcome, finished_at, duration_ms)
    values ('git_gc_repos', '0 0 * * *', 'failed', ${clock.now()}, 1)
    on conflict (name) do update set outcome = 'failed', finished_at = ${clock.now()}, duration_ms = 1`
  clock.tick(61_000)
  assert.deepEqual((await findings()).slice(0, 3), [
    `runners bad: ${runners} of ${runners} runners offline`,
    'tasks bad: Failed: git_gc_repos',
    'webhooks bad: 1 delivery of webhooks given up in the last day',
  ])
  await pool`
    update forge.hook_delivery set finished_at = ${new Date(clock.now().getTime() - 25 * 3_600_000)} where id = ${id}`
  assert.match((await findings())[2] ?? '', /webhooks good/)
})
