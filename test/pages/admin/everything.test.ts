import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startEverything } from '../../support/forge/everything.ts'
import { hostile } from '../browser.ts'
import { signedIn } from './browser.ts'

const { ada, call, url } = await startEverything()
const { page, statusOf } = await signedIn({ url }, 'ada')

const names = (shown: string) =>
  [...shown.matchAll(/<li class="row"><h3><a href="([^"]+)"/g)].map(([, to]) => to)

test('GET /-/admin/runs shows runs of all repositories under filters', async () => {
  const all = names(await page('/-/admin/runs'))
  assert.ok(all.length > 1, 'there are runs')
  assert.match(all[0] ?? '', /\/ada\/code\/actions\/runs\/\d+$/)
  assert.equal(names(await page('/-/admin/runs?event=workflow_dispatch')).length, 1)
  assert.equal(names(await page('/-/admin/runs?branch=feature/one')).length, 1)
  assert.deepEqual(names(await page('/-/admin/runs?status=failure')), [])
  assert.equal(names(await page('/-/admin/runs?actor=ada')).length, all.length)
  assert.equal(await statusOf('/-/admin/runs?actor=nobody'), 404)
  assert.equal(names(await page('/-/admin/runs?status=x')).length, all.length)
  for (const text of hostile) await page(`/-/admin/runs?event=${encodeURIComponent(text)}`)
})

test('GET /-/admin/jobs shows jobs by state, in both orders', async () => {
  const jobs = names(await page('/-/admin/jobs'))
  assert.ok(jobs.length > 1, 'there are jobs')
  assert.deepEqual(names(await page('/-/admin/jobs?by=id+asc')), jobs.toReversed())
  assert.equal(names(await page('/-/admin/jobs?status=success')).length, jobs.length)
  for (const query of ['status=x', 'by=x'])
    assert.deepEqual(names(await page(`/-/admin/jobs?${query}`)), jobs, 'an unknown word counts as absent')
})

test('GET /-/admin/packages finds versions by name and type', async () => {
  assert.ok(names(await page('/-/admin/packages')).length > 1)
  const found = names(await page('/-/admin/packages?q=tool&type=generic'))
  assert.match(found[0] ?? '', /\/ada\/-\/packages\/generic\/tool\//)
  assert.deepEqual(names(await page('/-/admin/packages?q=nothing')), [])
})

test('GET /-/admin/audit filters by actor, action and time, and leads to older entries', async () => {
  const count = async (query: string) =>
    [...(await page(`/-/admin/audit${query}`)).matchAll(/<li class="row"><h3>/g)].length
  const all = await count('')
  assert.ok(all > 5, 'there are entries')
  assert.equal(await count('?actor=nobody'), 0)
  assert.ok((await count('?action=hook.created')) < all)
  assert.ok((await count('?target=ada%2Fcode')) < all)
  assert.equal(await count('?since=2026-01-31'), all)
  assert.equal(await count('?before=2026-01-31'), 0)
  assert.equal(await statusOf('/-/admin/audit?since=yesterday'), 422)
  for (const text of hostile)
    await page(`/-/admin/audit?actor=${encodeURIComponent(text)}&action=${encodeURIComponent(text)}`)
  for (let number = 0; number < 50; number++)
    await call('POST /api/v1/admin/badges', { as: ada, body: { slug: `b${number}` } })
  const [, older = ''] =
    /href="https:\/\/forgehall\.example(\/-\/admin\/audit\?cursor=\d+)">Older/.exec(
      await page('/-/admin/audit'),
    ) ?? []
  assert.notEqual(older, '')
  assert.doesNotMatch(await page(older), /badge\.created <bdi>b49</)
})
