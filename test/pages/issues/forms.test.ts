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
const { url, call, pool } = app
const make = makersFor(app)
const ada = await make.person({ name: 'ada' })
await make.people('eve', 'bob')
await make.repository(ada, { name: 'code' })
const params = { owner: 'ada', repo: 'code' }
const owner = await signedIn(app, 'ada')
const visitor = await signedIn(app, 'eve')
const anonymous = browserOf(url)

const of = (literal: string, body?: object) =>
  call(literal.replace(' ', ' /api/v1/repos/{owner}/{repo}'), { as: ada, params, ...(body && { body }) })
const { body: bug } = await of('POST /labels', { name: 'bug', color: '#ff0000' })
const { body: later } = await of('POST /labels', { name: 'later', color: '#00ff00' })
const { body: soon } = await of('POST /milestones', { title: 'soon' })

type Browser = Awaited<ReturnType<typeof signedIn>>

const fieldIn = (page: string, name: string) =>
  new RegExp(` name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? assert.fail(`no ${name}`)
const issueOf = async (number: number) =>
  (
    await call('GET /api/v1/repos/{owner}/{repo}/issues/{index}', {
      as: ada,
      params: { ...params, index: number },
    })
  ).body
const commentsOf = async (number: number) =>
  (
    await call('GET /api/v1/repos/{owner}/{repo}/issues/{index}/comments', {
      as: ada,
      params: { ...params, index: number },
    })
  ).body as { id: number; body: string; user: { login: string } }[]

/** Opens an issue by its form; the path of its page. */
const opened = (by: Browser, fields: Readonly<Record<string, string>>) =>
  led(by, '/ada/code/issues/new', { title: 'It leaks', body: 'here', ...fields })

test('POST /{owner}/{repo}/issues/new opens an issue once, also if its form is sent twice', async () => {
  const form = { form_id: fieldIn(await owner.page('/ada/code/issues/new'), 'form_id') }
  const plan = {
    [`label-${bug.id}`]: 'on',
    'assignee-ada': 'on',
    milestone: String(soon.id),
    due: '2030-01-02',
  }
  const [one, other] = await Promise.all([
    opened(owner, { ...form, ...plan }),
    opened(owner, { ...form, ...plan }),
  ])
  assert.equal(one, other)
  const issue = await issueOf(Number(one.split('/').at(-1)))
  assert.deepEqual(
    [issue.labels[0].name, issue.assignees[0].login, issue.milestone.title, issue.due_date],
    ['bug', 'ada', 'soon', '2030-01-02T23:59:59Z'],
  )
  const [{ count }] = await pool<[{ count: number }]>`select count(*) from forge.issue`
  assert.equal(count, 1)
})

test('GET /{owner}/{repo}/issues/new asks those who only read for a text alone', async () => {
  const page = await visitor.page('/ada/code/issues/new?title=Hello&body=World')
  assert.match(page, /name="title"[^>]*|value="Hello"/)
  assert.match(page, />\nWorld<\/textarea>/)
  assert.doesNotMatch(page, /name="label-|name="milestone"/)
  const path = await opened(visitor, { [`label-${bug.id}`]: 'on' })
  assert.deepEqual((await issueOf(Number(path.split('/').at(-1)))).labels, [])
  assert.match(await owner.page('/ada/code/issues'), /href="[^"]+\/issues\/new"[^>]*>New issue/)
})

test('POST /{owner}/{repo}/issues/new shows what was refused, and a preview', async () => {
  assert.match(await refused(owner, '/ada/code/issues/new', { title: '', body: 'kept' }), /kept/)
  await refused(owner, '/ada/code/issues/new', { title: 'x'.repeat(256) })
  await refused(owner, '/ada/code/issues/new', { title: 'x', 'label-x': 'on' })
  await refused(owner, '/ada/code/issues/new', { title: 'x', milestone: '999' })
  await refused(owner, '/ada/code/issues/new', { title: 'x', due: 'tomorrow' })
  await refused(owner, '/ada/code/issues/new', { title: 'x', 'assignee-eve': 'on' })
  for (const text of hostile) {
    const preview = await owner.post('/ada/code/issues/new', {
      title: text,
      body: `**${text}**`,
      preview: '1',
    })
    assert.equal(preview.status, 200)
    holdClean(await preview.text())
    await owner.page(
      `/ada/code/issues/new?title=${encodeURIComponent(text)}&template=${encodeURIComponent(text)}`,
    )
  }
})

test('POST /{owner}/{repo}/issues/{index} comments once, closes, and opens again', async () => {
  const path = await opened(visitor, {})
  const number = Number(path.split('/').at(-1))
  const form = { action: 'comment', form_id: fieldIn(await visitor.page(path), 'form_id') }
  const send = () => led(visitor, path, { ...form, body: 'and here' })
  const [one, other] = await Promise.all([send(), send()])
  assert.equal(one, other)
  const [comment] = await commentsOf(number)
  assert.equal(one, `${path}#issuecomment-${comment?.id}`)
  assert.equal((await commentsOf(number)).length, 1)
  await led(visitor, path, { ...form, body: 'changed text' })
  assert.equal((await commentsOf(number)).length, 2)
  await led(visitor, path, { action: 'comment', body: 'done', state: 'closed' })
  assert.equal((await issueOf(number)).state, 'closed')
  assert.equal((await commentsOf(number)).length, 3)
  await led(owner, path, { action: 'comment', body: ' ', state: 'open' })
  assert.equal((await issueOf(number)).state, 'open')
  assert.equal((await commentsOf(number)).length, 3)
  const again = await refused(visitor, path, { action: 'comment', body: ' ' })
  assert.match(again, /id="body-fault"/)
  const long = 'x'.repeat(65_537)
  assert.match(await refused(visitor, path, { action: 'comment', body: long }), /This is too long/)
  const preview = await visitor.post(path, { action: 'comment', body: '**strong** <script>', preview: '1' })
  assert.equal(preview.status, 200)
  const shown = await preview.text()
  holdClean(shown)
  assert.match(
    shown,
    /aria-label="Preview"[\s\S]*<strong>strong<\/strong>[\s\S]*\*\*strong\*\* &lt;script&gt;/,
  )
  assert.equal((await commentsOf(number)).length, 3)
})

test('POST /{owner}/{repo}/issues/{index} leads to the page that has the comment', async () => {
  const path = await opened(owner, {})
  const number = Number(path.split('/').at(-1))
  for (let at = 0; at < 99; at++)
    await call('POST /api/v1/repos/{owner}/{repo}/issues/{index}/comments', {
      as: ada,
      params: { ...params, index: number },
      body: { body: `${at}` },
    })
  assert.match(
    await led(owner, path, { action: 'comment', body: 'x', state: 'closed' }),
    /issues\/\d+#issuecomment/,
  )
  const second = await led(owner, path, { action: 'comment', body: 'x' })
  assert.match(second, /\?page=2#issuecomment-\d+$/)
  const [page, fragment] = second.split('#')
  assert.ok((await owner.page(page ?? '')).includes(`id="${fragment}"`))
})

test('POST /{owner}/{repo}/issues/{index} plans an issue for those who may, without undoing others', async () => {
  const path = await opened(owner, {})
  const number = Number(path.split('/').at(-1))
  const page = await owner.page(path)
  assert.equal(fieldIn(page, 'shown'), '')
  await led(owner, path, { action: 'labels', shown: '', [`label-${bug.id}`]: 'on' })
  // Made before that: it changes nothing but what was ticked in it.
  await led(owner, path, { action: 'labels', shown: '', [`label-${later.id}`]: 'on' })
  const names = async () => (await issueOf(number)).labels.map(({ name }: { name: string }) => name)
  assert.deepEqual(await names(), ['bug', 'later'])
  await led(owner, path, { action: 'labels', shown: `${bug.id},${later.id}`, [`label-${later.id}`]: 'on' })
  await led(owner, path, { action: 'labels', shown: `${bug.id}` })
  assert.deepEqual(await names(), ['later'])
  await led(owner, path, { action: 'assignees', shown: '', 'assignee-ada': 'on' })
  await led(owner, path, { action: 'milestone', milestone: String(soon.id) })
  await led(owner, path, { action: 'due', due: '2030-01-02' })
  let issue = await issueOf(number)
  assert.deepEqual(
    [issue.assignees.length, issue.milestone.title, issue.due_date.slice(0, 10)],
    [1, 'soon', '2030-01-02'],
  )
  await led(owner, path, { action: 'assignees', shown: 'ada' })
  await led(owner, path, { action: 'milestone', milestone: '0' })
  await led(owner, path, { action: 'due', due: '' })
  issue = await issueOf(number)
  assert.deepEqual([issue.assignees.length, issue.milestone, issue.due_date], [0, null, null])
  for (const broken of [
    { action: 'labels', 'label-x': 'on' },
    { action: 'labels', 'label-999999': 'on' },
    { action: 'assignees', 'assignee-nobody': 'on' },
    { action: 'milestone', milestone: 'x' },
    { action: 'due', due: 'x' },
  ])
    await refused(owner, path, broken)
  for (const action of ['', 'x', 'toString', '__proto__'])
    assert.equal((await owner.post(path, { action })).status, 400, action)
})

test('POST /{owner}/{repo}/issues/{index} locks, pins, reacts and deletes', async () => {
  const path = await opened(owner, {})
  const number = Number(path.split('/').at(-1))
  await led(visitor, path, { action: 'comment', body: 'mine' })
  const [comment] = await commentsOf(number)
  const reacting = { action: 'react', comment: String(comment?.id) }
  assert.equal(
    await led(visitor, path, { ...reacting, content: 'heart' }),
    `${path}#issuecomment-${comment?.id}`,
  )
  await led(visitor, path, { action: 'react', content: 'rocket' })
  assert.match(await visitor.page(path), /name="remove" value="heart" aria-pressed="true"/)
  assert.match(await owner.page(path), /name="content" value="heart" aria-pressed="false"/)
  await led(visitor, path, { ...reacting, remove: 'heart' })
  await led(visitor, path, { action: 'react', remove: 'rocket' })
  assert.doesNotMatch(await visitor.page(path), /aria-pressed="true"/)
  await refused(visitor, path, { action: 'react', content: 'x' }, 403)
  await led(owner, path, { action: 'pin' })
  assert.equal((await issueOf(number)).pin_order, 1)
  await led(owner, path, { action: 'unpin' })
  await led(owner, path, { action: 'lock', reason: 'heat' })
  const locked = await visitor.page(path)
  assert.match(locked, /This is locked/)
  assert.doesNotMatch(locked, /name="body"|name="content"/)
  assert.match(await refused(visitor, path, { action: 'comment', body: 'late' }, 403), /the issue is locked/)
  await led(owner, path, { action: 'unlock' })
  for (const action of ['lock', 'unlock', 'pin', 'unpin', 'delete', 'due', 'labels'])
    await refused(visitor, path, { action, [`label-${bug.id}`]: 'on' }, 403)
  await refused(
    await signedIn(app, 'bob'),
    path,
    { action: 'delete-comment', comment: String(comment?.id) },
    403,
  )
  await led(visitor, path, { action: 'delete-comment', comment: String(comment?.id) })
  assert.deepEqual(await commentsOf(number), [])
  await refused(owner, path, { action: 'delete-comment', comment: String(comment?.id) })
  assert.equal(await led(owner, path, { action: 'delete' }), '/ada/code/issues')
  assert.equal(await owner.statusOf(path), 404)
  assert.equal((await owner.post(path, { action: 'delete' })).status, 404)
})

test('POST /{owner}/{repo}/issues/{index}/edit changes a text, unless somebody has changed it since', async () => {
  const path = await opened(visitor, {})
  const number = Number(path.split('/').at(-1))
  const form = await visitor.page(`${path}/edit`)
  const version = fieldIn(form, 'version')
  await led(visitor, `${path}/edit`, { title: 'It drips', body: 'there', version })
  const issue = await issueOf(number)
  assert.deepEqual([issue.title, issue.body], ['It drips', 'there'])
  const outdated = await refused(visitor, `${path}/edit`, { title: 'Lost?', body: 'never', version })
  assert.match(outdated, /somebody has changed it since[\s\S]*never/)
  assert.equal((await issueOf(number)).title, 'It drips')
  const preview = await visitor.post(`${path}/edit`, { title: 't', body: '*x*', version, preview: '1' })
  assert.match(await preview.text(), /<em>x<\/em>/)
  await led(owner, path, { action: 'comment', body: 'first' })
  const [comment] = await commentsOf(number)
  const at = `${path}/comments/${comment?.id}/edit`
  const stored = { version: fieldIn(await owner.page(at), 'version') }
  await refused(owner, at, { ...stored, body: '' })
  assert.equal(await led(owner, at, { ...stored, body: 'second' }), `${path}#issuecomment-${comment?.id}`)
  assert.equal((await commentsOf(number))[0]?.body, 'second')
  assert.equal((await owner.post(at, { body: 'x', preview: '1' })).status, 200)
  assert.equal(await visitor.statusOf(at), 403)
  await refused(visitor, at, { ...stored, body: 'not mine' }, 403).catch(() => undefined)
  assert.equal((await visitor.post(at, { ...stored, body: 'not mine' })).status, 403)
  const elsewhere = `/ada/code/issues/1/comments/${comment?.id}/edit`
  assert.deepEqual(
    [await owner.statusOf(elsewhere), await owner.statusOf(`${path}/comments/999/edit`)],
    [404, 404],
  )
  assert.equal((await owner.post(elsewhere, { ...stored, body: 'x' })).status, 404)
})

test('who is not signed in is told how to answer, and a form that they send waits in the sign-in page', async () => {
  const path = await opened(owner, {})
  assert.match(await anonymous.page(path), /href="[^"]+\/login\?next=[^"]+">Sign in<\/a> to answer/)
  assert.equal((await anonymous.get(`${path}/edit`)).status, 303)
  assert.equal((await anonymous.get(`${path}/comments/1/edit`)).status, 303)
  assert.match((await anonymous.get('/ada/code/issues/new')).headers.get('location') ?? '', /login\?next=/)
  const forms = [path, `${path}/edit`, '/ada/code/issues/new', `${path}/comments/1/edit`]
  for (const each of forms) {
    const response = await send(url, each, { action: 'comment', title: 't', body: 'I wrote this' })
    const page = await response.text()
    assert.equal(response.status, 401, each)
    assert.match(page, /name="kept.body" value="I wrote this"/)
  }
})

test('an archived repository takes no answers', async () => {
  const path = await opened(owner, {})
  await of('PATCH ', { archived: true })
  assert.match(await owner.page(path), /archived: nobody answers here/)
  assert.doesNotMatch(await owner.page('/ada/code/issues'), /New issue/)
  for (const each of ['/ada/code/issues/new', `${path}/edit`, `${path}/comments/1/edit`]) {
    assert.equal(await owner.statusOf(each), 423, each)
    assert.equal((await owner.post(each, { title: 'x', body: 'x' })).status, 423, each)
  }
  await refused(owner, path, { action: 'comment', body: 'x' })
  await of('PATCH ', { archived: false })
})
