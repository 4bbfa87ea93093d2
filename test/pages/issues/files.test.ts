import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { makersFor } from '../../support/forge/make.ts'
import { signedIn } from '../admin/browser.ts'
import { holdClean, root, sameOrigin } from '../browser.ts'
import { type Files, led, ledWith, type Sender, sendFiles } from '../forms.ts'

const data = join(await temporaryFolder(), 'data')
const app = await startApp({ DATA_DIR: data, ISSUE_FILE_LIMIT: '64k' })
const { url, call, pool } = app
const make = makersFor(app)
const ada = await make.person({ name: 'ada' })
await make.people('eve', 'bob')
await make.repository(ada, { name: 'code' })
const params = { owner: 'ada', repo: 'code' }
const owner = await signedIn(app, 'ada')
const visitor = await signedIn(app, 'eve')

async function refusedWith(
  by: Sender,
  path: string,
  { fields, files, status }: { fields: Readonly<Record<string, string>>; files: Files; status: number },
): Promise<string> {
  const response = await sendFiles(url, by, path, fields, files)
  const page = await response.text()
  assert.equal(response.status, status, page)
  holdClean(page)
  return page
}

const issueOf = async (path: string) =>
  (
    await call('GET /api/v1/repos/{owner}/{repo}/issues/{index}', {
      as: ada,
      params: { ...params, index: path.split('/').at(-1) ?? '' },
    })
  ).body
const commentOf = async (path: string) =>
  (
    await call('GET /api/v1/repos/{owner}/{repo}/issues/comments/{id}', {
      as: ada,
      params: { ...params, id: path.split('-').at(-1) ?? '' },
    })
  ).body
const fieldIn = (page: string, name: string) =>
  new RegExp(` name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? assert.fail(`no ${name}`)
const rowsOf = async () => {
  const [{ count }] = await pool<[{ count: number }]>`select count(*) from forge.attachment`
  return count
}
/** Uploads that no row and no content has taken. */
const leftOver = async () => (await readdir(join(data, 'packages', '.temporary'))).length

const picture: Files[number] = ['a crack (1).png', 'not really']

test('POST /{owner}/{repo}/issues/new opens an issue with files, and its text shows those that it names', async () => {
  const form = await visitor.page('/ada/code/issues/new')
  assert.match(
    form,
    /<form[^>]* enctype="multipart\/form-data"[\s\S]*<input type="file" id="files"[^>]* multiple/,
  )
  const fields = {
    form_id: fieldIn(form, 'form_id'),
    title: 'It leaks',
    body: 'See ![crack](a%20crack%20%281%29.png) and [log](x.log), not [that](y.log).',
  }
  const files = [picture, ['x.log', 'a log'], ['more.png', 'another']] as const
  const [one, other] = await Promise.all([
    ledWith(url, visitor, '/ada/code/issues/new', fields, files),
    ledWith(url, visitor, '/ada/code/issues/new', fields, files),
  ])
  assert.equal(one, other, 'a form that is sent twice opens one issue')
  const { body, assets } = await issueOf(one)
  assert.deepEqual(
    assets.map(({ name, size }: { name: string; size: number }) => [name, size]),
    [
      ['a crack (1).png', 10],
      ['x.log', 5],
      ['more.png', 7],
    ],
  )
  const [crack, log, more] = assets
  assert.equal(
    body,
    `See ![crack](/attachments/${crack.uuid}) and [log](/attachments/${log.uuid}), not [that](y.log).`,
  )
  const page = await visitor.page(one)
  assert.match(page, new RegExp(`<img src="[^"]*/attachments/${crack.uuid}" alt="crack"`))
  assert.match(page, new RegExp(`<p class="pictures"><a href="[^"]*${more.uuid}"><img[^>]* alt="more.png"`))
  assert.match(page, /x\.log<\/a>\s*<span class="meta">5 B/)
  const [, address = ''] = /<img src="([^"]*)" alt="crack"/.exec(page) ?? []
  const shown = await fetch(`${url}/${address.slice(root.length)}`, { redirect: 'manual' })
  assert.equal(shown.headers.get('location'), `${root}attachments/${crack.uuid}`)
  const content = await fetch(`${url}/attachments/${crack.uuid}`)
  assert.equal(await content.text(), 'not really')
  const third = await ledWith(url, visitor, '/ada/code/issues/new', fields, [['x.log', 'another log']])
  assert.notEqual(third, one, 'other files make another form')
})

test('POST /{owner}/{repo}/issues/{index} comments with files, which are the text if there is none', async () => {
  const path = await led(owner, '/ada/code/issues/new', { title: 'Files', body: '' })
  const at = await ledWith(url, visitor, path, { action: 'comment', body: ' ' }, [picture, ['[x].log', '']])
  const { body, assets } = await commentOf(at)
  assert.equal(
    body,
    `![a crack (1).png](/attachments/${assets[0].uuid})\n[\\[x\\].log](/attachments/${assets[1].uuid})`,
  )
  assert.equal(assets[1].size, 0)
  // Without a choice, browsers send a file without a name.
  await ledWith(url, visitor, path, { action: 'comment', body: 'none' }, [['', '']])
  const closing = { action: 'comment', body: '', state: 'closed' }
  await ledWith(url, owner, path, closing, [['why.txt', 'because']])
  assert.equal((await issueOf(path)).state, 'closed')
  const preview = await sendFiles(url, visitor, path, { action: 'comment', body: '**x**', preview: '1' }, [
    picture,
  ])
  assert.equal(preview.status, 200)
  assert.match(await preview.text(), /<strong>x<\/strong>/)
})

test('POST /{owner}/{repo}/issues/{index} refuses files, keeps the text and stores nothing', async () => {
  const path = await led(owner, '/ada/code/issues/new', { title: 'Refused', body: '' })
  const before = await rowsOf()
  const fields = { action: 'comment', body: 'kept words', state: 'closed' }
  for (const [files, status, reason] of [
    [[['x.exe', 'x']], 422, /x\.exe was refused: [^<]*forbidden/],
    [[['<b>.exe', 'x']], 422, /&lt;b&gt;\.exe was refused/],
    [[[`${'x'.repeat(300)}.png`, 'x']], 422, /was refused/],
    [Array.from({ length: 6 }, (_, at) => [`${at}.png`, 'x'] as const), 422, /At most 5 files/],
    [[picture, ['big.png', 'x'.repeat(65_537)]], 413, /big\.png is larger than 65\.5/],
  ] as const) {
    const page = await refusedWith(visitor, path, { fields, files, status })
    assert.match(page, /id="files-fault"/)
    assert.match(page, reason)
    assert.match(page, /kept words<\/textarea>/)
  }
  // What an operation refuses leaves no file either.
  await refusedWith(visitor, path, {
    fields: { action: 'comment', body: 'x'.repeat(65_537) },
    files: [picture],
    status: 422,
  })
  await refusedWith(visitor, '/ada/code/issues/new', {
    fields: { title: '', body: 'kept' },
    files: [picture],
    status: 422,
  })
  const [much, nul] = [
    await sendFiles(url, visitor, path, { action: 'comment', body: 'x'.repeat(600_000) }, []),
    await sendFiles(url, visitor, path, { action: 'comment', body: 'a\0b' }, [picture]),
  ]
  assert.deepEqual([much.status, nul.status], [413, 400])
  await Promise.all([much.text(), nul.text()])
  const cut = await fetch(url + path, {
    method: 'POST',
    headers: { ...sameOrigin, cookie: visitor.cookie, 'content-type': 'multipart/form-data; boundary=x' },
    body: '--x\r\ncontent-disposition: form-data; name="files"; filename="a.png"\r\n\r\nabc',
  })
  assert.equal(cut.status, 400)
  await cut.text()
  assert.equal(await rowsOf(), before)
  assert.equal((await issueOf(path)).comments, 0)
  assert.equal(await leftOver(), 0)
})

test('POST /{owner}/{repo}/issues/{index} takes no files of others', async () => {
  const path = await led(owner, '/ada/code/issues/new', { title: 'Others', body: '' })
  const before = await rowsOf()
  const fields = { action: 'comment', body: 'waiting words' }
  const crossed = await sendFiles(url, visitor, path, fields, [picture], { 'sec-fetch-site': 'cross-site' })
  assert.equal(crossed.status, 403)
  await crossed.text()
  const signedOut = await sendFiles(url, { cookie: '' }, path, fields, [picture])
  assert.equal(signedOut.status, 401)
  const waits = await signedOut.text()
  assert.match(waits, /name="kept\.body" value="waiting words"/)
  const page = await visitor.post(path, { ...fields, upload: 'sent' })
  assert.equal(page.status, 200, 'the files are chosen again')
  assert.match(await page.text(), /waiting words<\/textarea>/)
  await call('PUT /api/v1/repos/{owner}/{repo}/issues/{index}/lock', {
    as: ada,
    params: { ...params, index: path.split('/').at(-1) ?? '' },
    body: {},
  })
  await refusedWith(visitor, path, { fields, files: [picture], status: 403 })
  assert.equal(await rowsOf(), before)
  assert.equal(await leftOver(), 0)
})

test('POST /{owner}/{repo}/issues/{index}/edit adds and deletes files', async () => {
  const path = await ledWith(url, visitor, '/ada/code/issues/new', { title: 'Edited', body: 'x' }, [picture])
  const edit = `${path}/edit`
  const page = await visitor.page(edit)
  const version = fieldIn(page, 'version')
  assert.match(page, /id="its-files"[\s\S]*a crack \(1\)\.png/)
  const fields = { title: 'Edited', body: 'See ![](new.png)', version }
  await ledWith(url, visitor, edit, fields, [['new.png', 'new']])
  const { body, assets } = await issueOf(path)
  assert.equal(body, `See ![](/attachments/${assets[1].uuid})`)
  const stale = await refusedWith(visitor, edit, { fields, files: [['late.png', 'late']], status: 422 })
  assert.match(stale, /somebody has changed it since/)
  const other = await sendFiles(url, await signedIn(app, 'bob'), edit, fields, [['late.png', 'late']])
  assert.equal(other.status, 403)
  await other.text()
  const file = { action: 'delete-file', file: String(assets[0].id) }
  const done = await visitor.done(edit, file)
  assert.match(done, /The file was deleted/)
  await visitor.refused(edit, file)
  await visitor.refused(edit, { ...file, file: 'x' })
  assert.equal((await issueOf(path)).assets.length, 1)
})

test('POST /{owner}/{repo}/issues/{index}/comments/{id}/edit adds and deletes files', async () => {
  const path = await led(owner, '/ada/code/issues/new', { title: 'Comments', body: '' })
  const at = await ledWith(url, visitor, path, { action: 'comment', body: 'x' }, [picture])
  const edit = `${path}/comments/${at.split('-').at(-1)}/edit`
  const version = fieldIn(await visitor.page(edit), 'version')
  await ledWith(url, visitor, edit, { body: 'y', version }, [['new.png', 'new']])
  const { body, assets } = await commentOf(at)
  assert.deepEqual([body, assets.length], ['y', 2])
  await visitor.done(edit, { action: 'delete-file', file: String(assets[1].id) })
  assert.equal((await commentOf(at)).assets.length, 1)
  assert.equal((await visitor.post(`${path}/comments/999/edit`, { body: 'y', version })).status, 404)
})
