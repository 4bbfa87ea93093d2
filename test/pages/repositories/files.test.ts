import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { makersFor } from '../../support/forge/make.ts'
import { startRepository } from '../../support/forge/workflows.ts'
import { signedIn } from '../admin/browser.ts'
import { browserOf, hostile, send } from '../browser.ts'
import { led, ledWith, refused, sendFiles } from '../forms.ts'

const app = await startApp({ DATA_DIR: join(await temporaryFolder(), 'data') })
const { url } = app
const make = makersFor(app)
const ada = await make.person({ name: 'ada' })
await make.person({ name: 'eve' })
await app.call('POST /api/v1/user/repos', { as: ada, body: { name: 'code' } })
const owner = await signedIn(app, 'ada')
const visitor = await signedIn(app, 'eve')

const fieldIn = (page: string, name: string) =>
  new RegExp(` name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? assert.fail(`no ${name}`)
const at = '/ada/code/_edit'
const raw = async (path: string) => (await fetch(`${url}/ada/code/raw/branch/${path}`)).text()
const commits = async () => (await fetch(`${url}/api/v1/repos/ada/code/commits`)).json() as Promise<unknown[]>

test('POST /{owner}/{repo}/_edit/{path...} begins an empty repository, and adds a file once', async () => {
  assert.match(await owner.page('/ada/code'), /\/ada\/code\/_edit\/main">Add files/)
  const form = {
    path: 'docs/a b.md',
    content: 'one\r\ntwo\r\n',
    form_id: fieldIn(await owner.page(`${at}/main`), 'form_id'),
  }
  const [one, other] = await Promise.all([led(owner, `${at}/main`, form), led(owner, `${at}/main`, form)])
  assert.deepEqual([one, other], ['/ada/code/src/branch/main/docs/a%20b.md', one])
  assert.equal(await raw('main/docs/a%20b.md'), 'one\ntwo\n')
  assert.equal((await commits()).length, 1)
  assert.match(await owner.page('/ada/code/src/branch/main/docs'), /_edit\/main\/docs">Add files/)
  assert.match(await owner.page(`${at}/main/docs`), / value="docs\/"/)
})

test('POST /{owner}/{repo}/_edit/{path...} changes, moves and deletes a file, on a new branch too', async () => {
  const file = `${at}/main/docs/a%20b.md`
  assert.match(
    await owner.page('/ada/code/src/branch/main/docs/a%20b.md'),
    /_edit\/main\/docs\/a%20b\.md">Edit/,
  )
  const sha = fieldIn(await owner.page(file), 'sha')
  await led(owner, file, { path: 'docs/a b.md', content: 'three\n', sha, message: 'Say three' })
  assert.equal(await raw('main/docs/a%20b.md'), 'three\n')
  const late = await refused(owner, file, { path: 'docs/a b.md', content: 'lost?', sha })
  assert.match(late, /lost\?/)
  assert.equal(await raw('main/docs/a%20b.md'), 'three\n')
  const now = fieldIn(await owner.page(file), 'sha')
  const moved = { path: 'notes.md', content: 'four\n', sha: now, new_branch: 'topic/x' }
  assert.equal(await led(owner, file, moved), '/ada/code/compare/main...topic/x?expand=1')
  assert.equal(await raw('topic/x/notes.md'), 'four\n')
  assert.equal(await raw('main/docs/a%20b.md'), 'three\n')
  const gone = { action: 'delete', sha: fieldIn(await owner.page(`${at}/topic/x/notes.md`), 'sha') }
  assert.equal(await led(owner, `${at}/topic/x/notes.md`, gone), '/ada/code/src/branch/topic/x')
  assert.equal(await owner.statusOf('/ada/code/src/branch/topic/x/notes.md'), 404)
})

test('POST /{owner}/{repo}/_edit/{path...} says what is wrong, and keeps what was written', async () => {
  for (const broken of [
    { path: '' },
    { path: '../x' },
    { path: '.git/config' },
    { path: '/' },
    { path: 'docs/a b.md' },
    { path: 'x'.repeat(501) },
    { path: 'x', new_branch: 'a..b' },
  ])
    assert.match(await refused(owner, `${at}/main`, { ...broken, content: 'kept here' }), /kept here/)
  await refused(owner, `${at}/main/docs/a%20b.md`, { action: 'delete', sha: 'x' })
  for (const text of hostile)
    await refused(owner, `${at}/main`, { path: 'x', new_branch: `..${text}`, content: text })
  for (const path of ['nothing', 'main/nothing', 'main/docs/../..'])
    assert.equal(await owner.statusOf(`${at}/${encodeURI(path)}`), 404, path)
  assert.equal((await owner.post(`${at}/nothing`, { path: 'x' })).status, 404)
  assert.equal((await commits()).length, 2)
})

test('POST /{owner}/{repo}/_edit/{path...} leaves a name as it is that its field cannot show', async () => {
  const folder = await temporaryFolder()
  const repo = await startRepository({ ...app, folder, ada }, 'odd')
  const names = [' blanks ', 'line\nbreak', 'tab\there', 'back\\slash']
  await repo.push(Object.fromEntries(names.map((name) => [`in/${name}`, 'one\n'])))
  for (const name of names) {
    const file = `/ada/odd/_edit/main/in/${encodeURIComponent(name)}`
    const sha = fieldIn(await owner.page(file), 'sha')
    // What a browser makes of the value of a field of one line.
    await led(owner, file, { path: `in/${name.replace('\n', '')}`, content: 'two\n', sha })
    const now = await fetch(`${url}/ada/odd/raw/branch/main/in/${encodeURIComponent(name)}`)
    assert.deepEqual([now.status, await now.text()], [200, 'two\n'], name)
    await led(owner, file, { action: 'delete', sha: fieldIn(await owner.page(file), 'sha') })
    assert.equal(await owner.statusOf(`/ada/odd/src/branch/main/in/${encodeURIComponent(name)}`), 404)
  }
})

test('only who may write to the code changes files', async () => {
  assert.equal(await visitor.statusOf(`${at}/main`), 403)
  assert.equal((await visitor.post(`${at}/main`, { path: 'x' })).status, 403)
  assert.doesNotMatch(await visitor.page('/ada/code'), /_edit/)
  assert.equal((await browserOf(url).get(`${at}/main`)).status, 303)
  const response = await send(url, `${at}/main`, { path: 'x', content: 'I wrote this' })
  assert.equal(response.status, 401)
  assert.match(await response.text(), /name="kept.content" value="I wrote this"/)
})

test('POST /{owner}/{repo}/_edit/{path...} commits files that are sent to a folder, once', async () => {
  const before = (await commits()).length
  const form = { action: 'send', form_id: 'sent-once', message: 'Send two' }
  const two = [
    ['a.txt', 'a'],
    ['b c.bin', '\0\u0001'],
  ] as const
  assert.match(await owner.page(`${at}/main/docs`), /type="file" id="files"/)
  const [one, other] = await Promise.all([1, 2].map(() => ledWith(url, owner, `${at}/main/docs`, form, two)))
  assert.deepEqual([one, other], ['/ada/code/src/branch/main/docs', one])
  assert.equal((await commits()).length, before + 1)
  assert.equal(await raw('main/docs/b%20c.bin'), '\0\u0001')
  // A file that is there is replaced; a new branch is proposed.
  const again = { action: 'send', new_branch: 'sent' }
  const to = await ledWith(url, owner, `${at}/main/docs`, again, [['a.txt', 'b']])
  assert.equal(to, '/ada/code/compare/main...sent?expand=1')
  assert.deepEqual([await raw('main/docs/a.txt'), await raw('sent/docs/a.txt')], ['a', 'b'])

  const sent = (by: { cookie: string }, files: readonly (readonly [string, string])[]) =>
    sendFiles(url, by, `${at}/main/docs`, { action: 'send' }, files)
  const none = await sent(owner, [])
  assert.equal(none.status, 422)
  // After a sign-in the files are chosen again.
  const kept = await sendFiles(url, owner, `${at}/main/docs`, { action: 'send', upload: 'sent' }, [])
  assert.equal(kept.status, 200)
  assert.match(await none.text(), /Choose at least one file/)
  assert.equal((await sent(owner, [['.git', 'x']])).status, 422)
  assert.equal((await sent(owner, [['large', 'x'.repeat(4_000_001)]])).status, 413)
  assert.equal((await sent(visitor, two)).status, 403)
  assert.equal((await sent({ cookie: '' }, two)).status, 401)
  assert.equal((await commits()).length, before + 1)
})
