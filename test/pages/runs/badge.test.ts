import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { bareRepository, putRun } from '../../support/forge/actions.ts'
import { browserOf, hostile } from '../browser.ts'

const { make, pool, url } = await startApp()
const ada = await make.person({ name: 'ada' })
const { id } = await bareRepository(pool, ada, 'tool')
await pool`update forge.repository set is_private = false where id = ${id}`
const { get } = browserOf(url)

test('GET /{owner}/{repo}/actions/workflows/{badge...} is about the newest run of a branch, or of an event on it', async () => {
  for (const [event, status] of [
    ['push', 'success'],
    ['schedule', 'failure'],
  ] as const) {
    const { run } = await putRun(pool, id, ada.id, [{ status }])
    await pool`update forge.action_run set event = ${event}, status = ${status} where id = ${run}`
    await pool`update forge.action_attempt set status = ${status} where run_id = ${run}`
  }
  const badge = async (query: Record<string, string>) => {
    const path = `/ada/tool/actions/workflows/ci.yml/badge.svg?${new URLSearchParams(query)}`
    const response = await get(path)
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('content-type'), 'image/svg+xml; charset=utf-8')
    return response.text()
  }
  const wordIn = async (query: Record<string, string>) =>
    /aria-label="[^"]*: ([^"]*)"/.exec(await badge(query))?.[1]
  assert.equal(await wordIn({}), 'failure')
  assert.equal(await wordIn({ event: 'push' }), 'success')
  assert.equal(await wordIn({ event: 'schedule', branch: 'main' }), 'failure')
  assert.equal(await wordIn({ event: 'release' }), 'no run')
  assert.equal(await wordIn({ branch: 'other' }), 'no run')
  assert.equal(await wordIn({ event: hostile[0] ?? '' }), 'no run')
  assert.match(await badge({ style: 'flat-square' }), /rx="0"/)
  for (const style of ['', 'flat', 'round', hostile[1] ?? '']) assert.match(await badge({ style }), /rx="3"/)
})
