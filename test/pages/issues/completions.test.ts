import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { makersFor } from '../../support/forge/make.ts'
import { signedIn } from '../admin/browser.ts'
import { browserHeaders, browserOf, cookieOf, hostile } from '../browser.ts'

const app = await startApp({ DATA_DIR: await temporaryFolder() })
const { url, call } = app
const make = makersFor(app)
const ada = await make.person({ name: 'ada', full_name: 'Ada Lovelace' })
const adrian = await make.person({ name: 'adrian', full_name: 'Ärger Smith' })
await make.people('eve', 'hidden')
await app.pool`update forge.account set visibility = 'private' where name = 'hidden'`
await make.repository(ada, { name: 'code' })
const params = { owner: 'ada', repo: 'code' }
const open = (title: string) =>
  call('POST /api/v1/repos/{owner}/{repo}/issues', { as: ada, params, body: { title } })
for (const title of ['It leaks', 'A valve', 'The valve sticks', '100 %']) await open(title)
for (let count = 5; count <= 12; count++) await open(`Number ${count}`)
const reader = await signedIn(app, 'eve')

async function completed(q: string, cookie = reader.cookie, repo = 'ada/code') {
  const response = await fetch(`${url}/${repo}/completions?q=${encodeURIComponent(q)}`, {
    headers: { accept: 'application/json', cookie },
  })
  assert.equal(response.status, 200)
  assert.match(response.headers.get('content-type') ?? '', /^application\/json/)
  const rows = (await response.json()) as { value: string; text: string }[]
  assert.ok(rows.length <= 8)
  return rows.map(({ value }) => value)
}

test('GET /{owner}/{repo}/completions finds people whom the caller may see, those who write first', async () => {
  assert.deepEqual(await completed('@'), ['@ada'])
  assert.deepEqual(await completed('@AD'), ['@ada', '@adrian'])
  assert.deepEqual(await completed('@love'), ['@ada'])
  assert.deepEqual(await completed('@ärger'), ['@adrian'])
  assert.deepEqual(await completed('@hidden'), [])
  const own = await signedIn(app, 'hidden')
  assert.deepEqual(await completed('@hidden', own.cookie), ['@hidden'])
  for (const text of hostile) assert.deepEqual(await completed(`@${text}`), [])
  assert.deepEqual(
    [await completed('@'.padEnd(5000, 'x')), await completed('%'), await completed('')],
    [[], [], []],
  )
})

test('GET /{owner}/{repo}/completions finds issues by the beginning of a number and by parts of titles', async () => {
  assert.deepEqual(await completed('#1'), ['#1', '#12', '#11', '#10', '#4'])
  assert.deepEqual(await completed('#VALVE'), ['#3', '#2'])
  assert.deepEqual((await completed('#')).slice(0, 2), ['#12', '#11'])
  assert.deepEqual([await completed('#99999'), await completed(`#${'9'.repeat(30)}`)], [[], []])
  // An old issue is found by its number.
  await app.pool`update forge.issue set number = 5000 + number where number > 1`
  assert.deepEqual((await completed('#1')).slice(0, 1), ['#1'])
})

test('GET /{owner}/{repo}/completions is for who may read the issues, as far as a token reads', async () => {
  const anonymous = browserOf(url)
  assert.equal(await anonymous.statusOf('/ada/code/completions?q=@a'), 401)
  await make.repository(ada, { name: 'vault', is_private: true })
  assert.equal(await reader.statusOf('/ada/vault/completions?q=@a'), 404)
  assert.equal(await reader.statusOf('/ada/none/completions?q=@a'), 404)
  const cookieFor = async (...scopes: string[]) =>
    cookieOf(url, { password: await make.token(adrian, ...scopes) })
  assert.deepEqual(await completed('@a', await cookieFor('write:issue')), ['@ada'])
  assert.deepEqual(await completed('@a', await cookieFor('write:issue', 'read:user')), ['@ada', '@adrian'])
  const { status } = await fetch(`${url}/ada/code/completions?q=@a`, {
    headers: { ...browserHeaders, cookie: await cookieFor('read:user') },
  })
  assert.equal(status, 403)
  await call('PATCH /api/v1/repos/{owner}/{repo}', {
    as: ada,
    params,
    body: { has_issues: false, has_pull_requests: false },
  })
  assert.equal(await reader.statusOf('/ada/code/completions?q=@a'), 404)
})
