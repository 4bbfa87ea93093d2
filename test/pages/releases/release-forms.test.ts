import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { makersFor } from '../../support/forge/make.ts'
import { signedIn } from '../admin/browser.ts'
import { browserOf, holdClean, hostile, root, sameOrigin, send } from '../browser.ts'
import { led, refused } from '../forms.ts'

const app = await startApp({
  DATA_DIR: join(await temporaryFolder(), 'data'),
  RELEASE_FILE_LIMIT: '64k',
})
const { url, call } = app
const make = makersFor(app)
const ada = await make.person({ name: 'ada' })
await make.person({ name: 'eve' })
await call('POST /api/v1/user/repos', { as: ada, body: { name: 'engine', auto_init: true } })
const owner = await signedIn(app, 'ada')
const visitor = await signedIn(app, 'eve')
const params = { owner: 'ada', repo: 'engine' }
const at = '/ada/engine/releases'
const releaseOf = async (tag: string) =>
  (
    await call('GET /api/v1/repos/{owner}/{repo}/releases/tags/{tag}', {
      as: ada,
      params: { ...params, tag },
    })
  ).body

test('POST /{owner}/{repo}/releases/new makes a release', async () => {
  assert.match(await owner.page(at), /releases\/new">New release/)
  assert.match(await owner.page(`${at}/new?tag=v9`), /name="tag_name"[^>]*>|value="v9"/)
  const fields = { tag_name: 'v1', name: 'One', body: 'a\r\nb', prerelease: 'on', target_commitish: '' }
  assert.equal(await led(owner, `${at}/new`, fields), `${at}/edit/v1?done=created`)
  const made = await releaseOf('v1')
  assert.deepEqual([made.name, made.body, made.prerelease, made.draft], ['One', 'a\nb', true, false])
  const shown = await browserOf(url).page(`${at}/tag/v1`)
  for (const link of ['src/tag/v1', 'archive/v1.zip', 'archive/v1.tar.gz'])
    assert.ok(shown.includes(`href="${root}ada/engine/${link}"`), link)
  const again = await refused(owner, `${at}/new`, fields)
  assert.match(again, /id="tag_name-fault"/)
  assert.match(again, /value="One"/)
  await refused(owner, `${at}/new`, { ...fields, tag_name: 'v2', target_commitish: 'nothing' })
  for (const text of ['', 'a..b', 'x'.repeat(256)])
    await refused(owner, `${at}/new`, { ...fields, tag_name: text, name: text, body: text })
  // Git takes some of them as names.
  for (const text of hostile) {
    const sent = await owner.post(`${at}/new`, { ...fields, tag_name: text, name: text, body: text })
    if (sent.status !== 303) holdClean(await sent.text())
    else await owner.page(`${at}/edit/${encodeURIComponent(text)}`)
  }
  await owner.page(at)
})

test('POST /{owner}/{repo}/releases/edit/{tag...} changes, publishes and deletes it', async () => {
  await led(owner, `${at}/new`, { tag_name: 'next/1', name: 'Draft', draft: 'on' })
  const page = `${at}/edit/next/1`
  assert.doesNotMatch(await owner.page(`${at}/tag/next/1`), /archive\//)
  assert.match(await owner.page(page), /name="draft" checked/)
  const edit = { action: 'edit', tag_name: 'next/1', name: 'Out', body: 'notes', target_commitish: 'main' }
  assert.equal(await led(owner, page, edit), `${page}?done=edited`)
  assert.match(await owner.page(`${page}?done=edited`), /role="status"/)
  const { draft, name, body } = await releaseOf('next/1')
  assert.deepEqual([draft, name, body], [false, 'Out', 'notes'])
  for (const empty of ['', ' \r\n']) {
    await led(owner, page, { ...edit, body: 'again' })
    await led(owner, page, { ...edit, body: empty })
    assert.equal((await releaseOf('next/1')).body, '', 'the page empties the notes')
  }
  assert.match(await refused(owner, page, { ...edit, tag_name: 'v1' }), /id="tag_name-fault"/)
  assert.equal((await owner.post(page, { action: 'toString' })).status, 400)
  assert.equal((await owner.post(`${at}/edit/gone`, edit)).status, 404)
  assert.equal(await led(owner, page, { action: 'delete' }), `${at}?done=deleted`)
  assert.match(await owner.page(`${at}?done=deleted`), /role="status"/)
  assert.equal(await owner.statusOf(page), 404)
})

const upload = (id: number, name: string, content: string, headers: Readonly<Record<string, string>>) => {
  const form = new FormData()
  form.append('attachment', new Blob([content]), name)
  return fetch(`${url}${at}/files/${id}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { ...sameOrigin, ...headers },
    body: form,
  })
}

test('POST /{owner}/{repo}/releases/files/{id} adds a file that comes with the form', async () => {
  const { id } = await releaseOf('v1')
  const { cookie } = owner
  const sent = await upload(id, 'a&b.txt', 'content', { cookie })
  assert.deepEqual(
    [sent.status, sent.headers.get('location')],
    [303, `${root}${at.slice(1)}/edit/v1?done=added`],
  )
  const page = await owner.page(`${at}/edit/v1?done=added`)
  assert.match(page, /enctype="multipart\/form-data"/)
  assert.match(page, /a&amp;b\.txt/)
  for (const [name, content, status] of [
    ['', '', 400],
    ['x'.repeat(256), 'x', 422],
    ['big', 'x'.repeat(200_000), 413],
  ] as const) {
    const response = await upload(id, name, content, { cookie })
    const text = await response.text()
    assert.equal(response.status, status, text)
    assert.match(text, /id="attachment-fault"/)
    holdClean(text)
  }
  assert.equal((await upload(id, 'a', 'b', {})).status, 303, 'to the sign-in page')
  assert.equal((await upload(id, 'a', 'b', { cookie: visitor.cookie })).status, 403)
  assert.equal((await upload(id + 99, 'a', 'b', { cookie })).status, 404)
  assert.equal((await upload(id, 'a', 'b', { cookie, 'sec-fetch-site': 'cross-site' })).status, 403)
  const [file] = (await releaseOf('v1')).assets
  assert.ok(file)
  const renamed = { action: 'rename-file', file: String(file.id), name: 'other.txt' }
  assert.equal(await led(owner, `${at}/edit/v1`, renamed), `${at}/edit/v1?done=file-renamed`)
  assert.deepEqual(
    (await releaseOf('v1')).assets.map(({ name }: { name: string }) => name),
    ['other.txt'],
  )
  await refused(owner, `${at}/edit/v1`, { ...renamed, name: 'x'.repeat(256) })
  const gone = { action: 'delete-file', file: String(file.id) }
  assert.equal(await led(owner, `${at}/edit/v1`, gone), `${at}/edit/v1?done=file-deleted`)
  await refused(owner, `${at}/edit/v1`, gone)
  await refused(owner, `${at}/edit/v1`, { ...gone, file: 'x' })
  assert.deepEqual((await releaseOf('v1')).assets, [])
})

test('releases are changed by who may write', async () => {
  assert.doesNotMatch(await visitor.page(at), /releases\/new/)
  for (const path of [`${at}/new`, `${at}/edit/v1`]) {
    assert.equal(await visitor.statusOf(path), 403)
    assert.equal((await visitor.post(path, { action: 'delete' })).status, 403)
    assert.equal(await browserOf(url).statusOf(path), 303)
    assert.equal((await send(url, path, { action: 'delete' })).status, 401)
  }
  assert.ok(await releaseOf('v1'))
})

test('a repository that is archived takes no file, and one that is gone no release', async () => {
  const { id } = await releaseOf('v1')
  for (const path of ['new', 'edit/v1'])
    assert.equal((await owner.post(`${at.replace('engine', 'gone')}/${path}`, {})).status, 404)
  assert.equal((await owner.post(`${at}/new`, { action: 'x' })).status, 422)
  await call('PATCH /api/v1/repos/{owner}/{repo}', { as: ada, params, body: { archived: true } })
  assert.equal((await upload(id, 'a', 'b', { cookie: owner.cookie })).status, 423)
  assert.doesNotMatch(await owner.page(at), /releases\/new/)
})
