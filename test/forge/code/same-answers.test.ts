import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { clientOk } from '../../support/git.ts'

/** Operations that do one thing at several addresses answer alike. */

const folder = await temporaryFolder()
const { call, make, url } = await startApp({ DATA_DIR: join(folder, 'data') })
const [ada] = await make.people('ada')
const inRepo = { owner: 'ada', repo: 'code' }
await call('POST /api/v1/user/repos', { as: ada, body: { name: 'code', auto_init: true } })
const directory = join(folder, 'data', 'repositories', 'ada', 'code.git')
await clientOk(directory, 'branch', 'topic', 'main')
const { body: release } = await call('POST /api/v1/repos/{owner}/{repo}/releases', {
  as: ada,
  params: inRepo,
  body: { tag_name: 'v1' },
})
const uploaded = await fetch(`${url}/api/v1/repos/ada/code/releases/${release.id}/assets?name=notes.txt`, {
  method: 'POST',
  headers: { authorization: ada.authorization, 'content-type': 'application/octet-stream' },
  body: '# code\n\n',
})
const { uuid } = (await uploaded.json()) as { uuid: string }

/** Where a file is sent as it is, with what leads to one. */
const files: Readonly<Record<string, Record<string, string>>> = {
  'GET /api/v1/repos/{owner}/{repo}/raw/{filepath...}': { ...inRepo, filepath: 'README.md' },
  'GET /api/v1/repos/{owner}/{repo}/media/{filepath...}': { ...inRepo, filepath: 'README.md' },
  'GET /{owner}/{repo}/raw/{kind}/{path...}': { ...inRepo, kind: 'branch', path: 'main/README.md' },
  'GET /{owner}/{repo}/media/{kind}/{path...}': { ...inRepo, kind: 'branch', path: 'main/README.md' },
  'GET /attachments/{uuid}': { uuid },
  'GET /{owner}/{repo}/releases/download/{tag}/{name}': { ...inRepo, tag: 'v1', name: 'notes.txt' },
}

for (const [literal, params] of Object.entries(files))
  test(`${literal} sends a file, a range of it, or 304`, async () => {
    const whole = await call(literal, { params })
    assert.equal(whole.status, 200)
    const etag = whole.headers.get('etag') ?? ''
    assert.notEqual(etag, '')
    const with_ = (headers: Record<string, string>) => call(literal, { params, headers })
    const part = await with_({ range: 'bytes=0-3' })
    assert.deepEqual([part.status, part.body], [206, String(whole.body).slice(0, 4)])
    assert.equal((await with_({ range: 'bytes=100000-' })).status, 416)
    assert.equal((await with_({ 'if-none-match': etag })).status, 304)
  })

for (const kind of ['raw', 'media'])
  test(`GET /api/v1/repos/{owner}/{repo}/${kind}/{filepath...} refuses paths that no file can have`, async () => {
    const literal = `GET /api/v1/repos/{owner}/{repo}/${kind}/{filepath...}`
    const { status } = await call(literal, { params: { ...inRepo, filepath: '.git/config' } })
    assert.equal(status, 400)
  })

test('GET /{owner}/{repo}/archive/{archive...} refuses other formats as the API does', async () => {
  const literal = 'GET /{owner}/{repo}/archive/{archive...}'
  assert.equal((await call(literal, { params: { ...inRepo, archive: 'main.rar' } })).status, 400)
})

test('DELETE /api/v1/repos/{owner}/{repo}/branches/{branch...} answers 409 while another process moves the branch', async () => {
  const lock = join(directory, 'refs', 'heads', 'topic.lock')
  await writeFile(lock, '')
  const literal = 'DELETE /api/v1/repos/{owner}/{repo}/branches/{branch...}'
  const ask = async () => (await call(literal, { as: ada, params: { ...inRepo, branch: 'topic' } })).status
  assert.equal(await ask(), 409)
  await rm(lock)
  assert.equal(await ask(), 204)
})

test('rules of branches refuse unknown names on their lists', async () => {
  const rules = '/api/v1/repos/{owner}/{repo}/branch_protections'
  const ask = (literal: string, body: object, params = {}) =>
    call(literal, { as: ada, params: { ...inRepo, ...params }, body })
  await ask(`POST ${rules}`, { rule_name: 'main' })
  const edited = { enable_push: true, enable_push_whitelist: true, push_whitelist_usernames: ['nobody'] }
  assert.equal((await ask(`PATCH ${rules}/{name...}`, edited, { name: 'main' })).status, 422)
  assert.equal((await ask(`POST ${rules}/priority`, { ids: ['x'] })).status, 422)
})
