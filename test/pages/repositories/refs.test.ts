import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { makersFor } from '../../support/forge/make.ts'
import { signedIn } from '../admin/browser.ts'
import { browserOf, holdClean, hostile, send } from '../browser.ts'
import { led, refused } from '../forms.ts'

const app = await startApp({ DATA_DIR: join(await temporaryFolder(), 'data') })
const { url, call } = app
const make = makersFor(app)
const ada = await make.person({ name: 'ada' })
await make.person({ name: 'eve' })
await call('POST /api/v1/user/repos', { as: ada, body: { name: 'engine', auto_init: true } })
await call('POST /api/v1/user/repos', { as: ada, body: { name: 'empty' } })
const owner = await signedIn(app, 'ada')
const visitor = await signedIn(app, 'eve')
const params = { owner: 'ada', repo: 'engine' }
const at = '/ada/engine'

const branches = async () => {
  const { body } = await call('GET /api/v1/repos/{owner}/{repo}/branches', { params })
  return body.map(({ name }: { name: string }) => name).sort()
}
const tags = async () => {
  const { body } = await call('GET /api/v1/repos/{owner}/{repo}/tags', { params })
  return body.map(({ name }: { name: string }) => name).sort()
}

test('POST /{owner}/{repo}/branches creates, renames and deletes branches', async () => {
  const page = `${at}/branches`
  assert.match(await owner.page(page), /name="new_branch_name"/)
  const create = { action: 'create', new_branch_name: 'next/one', old_ref_name: '' }
  assert.equal(await led(owner, page, create), `${page}?done=created`)
  const listed = await owner.page(`${page}?done=created`)
  assert.match(listed, /role="status"[^>]*>The branch was created/)
  assert.match(listed, /compare\/main\.\.\.next\/one/)
  assert.match(listed, /archive\/next\/one\.zip/)
  assert.equal(await owner.statusOf(`${at}/compare/main...next/one`), 200)
  assert.match(await refused(owner, page, create), /id="new_branch_name-fault"/)
  await refused(owner, page, { ...create, new_branch_name: 'x', old_ref_name: 'nothing' })
  for (const text of ['', 'a..b', 'a b', 'x'.repeat(101)])
    await refused(owner, page, { ...create, new_branch_name: text })
  // Git takes some of them as names.
  for (const text of hostile) {
    const made = await owner.post(page, { ...create, new_branch_name: text })
    holdClean(made.status === 303 ? await owner.page(page) : await made.text())
    if (made.status === 303) await led(owner, page, { action: 'delete', ref: text })
  }
  assert.match(
    await refused(owner, page, { action: 'rename', ref: 'next/one', name: 'main' }),
    /<details class="ask" open>[\s\S]*value="main"/,
  )
  assert.equal(
    await led(owner, page, { action: 'rename', ref: 'next/one', name: 'next/two' }),
    `${page}?done=renamed`,
  )
  assert.deepEqual(await branches(), ['main', 'next/two'])
  await refused(owner, page, { action: 'delete', ref: 'main' }, 403)
  await refused(owner, page, { action: 'delete', ref: 'gone' })
  assert.equal(await led(owner, page, { action: 'delete', ref: 'next/two' }), `${page}?done=deleted`)
  assert.deepEqual(await branches(), ['main'])
})

test('POST /{owner}/{repo}/tags creates and deletes tags', async () => {
  const page = `${at}/tags`
  const create = { action: 'create', tag_name: 'v1', target: '', message: 'one\r\ntwo' }
  assert.equal(await led(owner, page, create), `${page}?done=created`)
  assert.match(await owner.page(page), /archive\/v1\.tar\.gz/)
  assert.match(await refused(owner, page, create), /id="tag_name-fault"/)
  await refused(owner, page, { ...create, tag_name: 'v2', target: 'nothing' })
  assert.deepEqual(await tags(), ['v1'])
  await call('POST /api/v1/repos/{owner}/{repo}/releases', { as: ada, params, body: { tag_name: 'v1' } })
  assert.match(await refused(owner, page, { action: 'delete', ref: 'v1' }), /attached to a release/)
  await led(owner, page, { ...create, tag_name: 'v3', message: '' })
  assert.equal(await led(owner, page, { action: 'delete', ref: 'v3' }), `${page}?done=deleted`)
  assert.deepEqual(await tags(), ['v1'])
})

test('branches and tags are changed by who may write, with an action that is there', async () => {
  for (const page of [`${at}/branches`, `${at}/tags`]) {
    assert.doesNotMatch(await visitor.page(page), /name="action"/)
    assert.equal((await visitor.post(page, { action: 'create' })).status, 403)
    for (const action of ['', 'toString', 'renames'])
      assert.equal((await owner.post(page, { action })).status, 400)
    assert.equal((await send(url, page, { action: 'create' })).status, 401)
    assert.doesNotMatch(await browserOf(url).page(page), /name="action"/)
  }
  assert.equal((await owner.post(`${at}/tags`, { action: 'rename', ref: 'v1' })).status, 400)
  for (const page of ['branches', 'tags'])
    assert.equal((await owner.post(`/ada/gone/${page}`, { action: 'create' })).status, 404)
  assert.doesNotMatch(await owner.page('/ada/empty/branches'), /name="action"/)
  assert.match(
    await refused(owner, '/ada/empty/branches', { action: 'create', new_branch_name: 'x' }),
    /Git Repository is empty/,
  )
})
