import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { makersFor } from '../../support/forge/make.ts'
import { holdClean, hostile } from '../browser.ts'
import { signedIn } from './browser.ts'

const app = await startApp()
const { call, clock } = app
const make = makersFor(app)
const boss = await make.admin({ name: 'boss' })
const { page, done, refused } = await signedIn(app, 'boss')

const start = async (username: string): Promise<number> =>
  (await call('POST /api/stats/session/start', { body: { username } })).body.sessionId
const online = async () =>
  (await call('GET /api/stats/overview')).body.currentUsers.map((user: { username: string }) => user.username)
const newest = async () => (await call('GET /api/v1/admin/audit', { as: boss })).body.entries[0]

const ids: number[] = []
for (let number = 1; number <= 55; number++) {
  ids.push(await start(`ghost-${number}`))
  clock.tick(60_000)
}

test('GET /-/admin/sessions lists all open sessions, the oldest first', async () => {
  const first = await page('/-/admin/sessions')
  const names = [...first.matchAll(/<bdi>(ghost-\d+)/g)].map(([, name]) => name)
  assert.deepEqual([names.length, names[0], names[49]], [50, 'ghost-1', 'ghost-50'])
  assert.match(first, /55 open sessions/)
  assert.match(await page('/-/admin/sessions?page=2'), /<bdi>ghost-55</)
  assert.match(await page('/-/admin'), />Presence sessions<\/a><\/h2>\n<p class="admin-figure">55</)
})

test('POST /-/admin/sessions/{id}/end ends one, also the oldest of many', async () => {
  assert.match(await done(`/-/admin/sessions/${ids[0]}/end`), /One session was ended/)
  assert.ok(!(await online()).includes('ghost-1'))
  const { action, target } = await newest()
  assert.deepEqual([action, target.name], ['session.ended', 'ghost-1'])
  for (const id of [ids[0], 'x', '1e99', 0])
    assert.match(
      await refused(`/-/admin/sessions/${id}/end`),
      /Nothing was changed: There is nothing of this name or number/,
    )
})

test('POST /-/admin/sessions/end ends those that are older than some hours', async () => {
  for (const hours of ['', '0', '-1', 'x', '1e9', 'NaN', 'Infinity', ...hostile]) {
    const shown = await refused('/-/admin/sessions/end', { hours })
    assert.match(shown, /id="hours"[^>]* aria-invalid="true"[^>]* autofocus/)
    holdClean(shown)
  }
  assert.match(await done('/-/admin/sessions/end', { hours: '0.5' }), /24 sessions were ended/)
  assert.match(await page('/-/admin/sessions'), /30 open sessions/)
  const { action, details } = await newest()
  assert.deepEqual([action, details.ended], ['sessions.ended', 24])
})
