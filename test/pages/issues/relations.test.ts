import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { makersFor } from '../../support/forge/make.ts'
import { signedIn } from '../admin/browser.ts'
import { browserOf, hostile } from '../browser.ts'
import { led, refused } from '../forms.ts'

const app = await startApp({ DATA_DIR: join(await temporaryFolder(), 'data') })
const { url, call } = app
const make = makersFor(app)
const ada = await make.person({ name: 'ada' })
await make.people('eve')
for (const name of ['code', 'tools']) await make.repository(ada, { name })
const [owner, visitor, anonymous] = [await signedIn(app, 'ada'), await signedIn(app, 'eve'), browserOf(url)]

/** Opens an issue; its page. */
async function opened(repo: string, title: string): Promise<string> {
  const { body } = await call('POST /api/v1/repos/{owner}/{repo}/issues', {
    as: ada,
    params: { owner: 'ada', repo },
    body: { title },
  })
  return `/ada/${repo}/issues/${body.number}`
}
const [first, second] = [await opened('code', 'First'), await opened('code', hostile[0] ?? '')]
const third = await opened('tools', 'Third')

/** The paths of the issues in a relation to that of a page. */
const related = (page: string, name: string) =>
  [
    ...(new RegExp(`<dt>${name}</dt><dd>(.*?)</dd>`, 's').exec(page)?.[1] ?? '').matchAll(
      /href="[^"]*?(\/ada\/[^"]+)"/g,
    ),
  ].map(([, path]) => path)

test('POST /{owner}/{repo}/issues/{index} lets an issue wait for another one, or block it, and ends that', async () => {
  for (const [relation, other] of [
    ['depend', '#2'],
    ['depend', ' ada/tools#1 '],
  ] as const)
    assert.equal(await led(owner, first, { action: 'relate', relation, other }), first)
  const page = await owner.page(first)
  assert.deepEqual(related(page, 'Waits for'), [second, third])
  assert.doesNotMatch(page, /<script>/)
  assert.deepEqual(related(await anonymous.page(second), 'Blocks'), [first])
  assert.doesNotMatch(await visitor.page(second), /value="unblock"/)
  await led(owner, second, { action: 'unblock', other: '#1' })
  await led(owner, first, { action: 'undepend', other: 'ada/tools#1' })
  assert.doesNotMatch(await owner.page(first), /Waits for<\/dt>/)
  await led(owner, third, { action: 'relate', relation: 'block', other: 'ada/code#1' })
  assert.deepEqual(related(await owner.page(first), 'Waits for'), [third])
})

test('POST /{owner}/{repo}/issues/{index} refuses what cannot be related', async () => {
  const relate = (other: string, relation = 'depend') => ({ action: 'relate', relation, other })
  for (const other of ['', 'x', '#0', '#1', '#99', 'ada/none#1', '../..#1', 'ada/tools#1', ...hostile])
    await refused(owner, first, relate(other))
  assert.equal((await owner.post(first, relate('#2', 'other'))).status, 400)
  await refused(visitor, first, relate('#2'), 403)
  await refused(visitor, first, { action: 'undepend', other: 'ada/tools#1' }, 403)
  assert.deepEqual(related(await owner.page(first), 'Waits for'), [third])
})

test('POST /{owner}/{repo}/issues/{index} subscribes its reader, and ends that', async () => {
  assert.doesNotMatch(await anonymous.page(first), /value="(?:un)?subscribe"/)
  assert.match(await owner.page(first), /value="unsubscribe"/)
  for (const [action, next] of [
    ['subscribe', 'unsubscribe'],
    ['unsubscribe', 'subscribe'],
  ] as const) {
    assert.match(await visitor.page(first), new RegExp(`value="${action}"`))
    assert.equal(await led(visitor, first, { action }), first)
    assert.match(await visitor.page(first), new RegExp(`value="${next}"`))
  }
})

test('POST /{owner}/{repo}/issues/{index} moves a pinned issue before the others', async () => {
  for (const path of [first, second]) await led(owner, path, { action: 'pin' })
  assert.doesNotMatch(await owner.page(first), /value="pin-first"/)
  assert.match(await owner.page(second), /value="pin-first"/)
  await refused(visitor, second, { action: 'pin-first' }, 403)
  await led(owner, second, { action: 'pin-first' })
  assert.match(await owner.page(first), /value="pin-first"/)
  assert.doesNotMatch(await owner.page(second), /value="pin-first"/)
})
