import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { makersFor } from '../../support/forge/make.ts'
import { pullMakers } from '../../support/forge/pulls.ts'
import { signedIn } from '../admin/browser.ts'
import { send } from '../browser.ts'
import { led, refused } from '../forms.ts'

const app = await startApp({ DATA_DIR: await temporaryFolder() })
const { call, url } = app
const make = makersFor(app)
const [ada] = await make.people('ada', 'eve', 'bob')
const makers = pullMakers(app, ada)
const repo = await makers.repository()
const on = makers.on(repo)
const [owner, author, other] = [
  await signedIn(app, 'ada'),
  await signedIn(app, 'eve'),
  await signedIn(app, 'bob'),
]
type Browser = typeof owner

const text = [
  '# Ü 😀',
  '',
  '- [ ] one',
  '  1. [x] two',
  '     - [ ] three',
  '> - [X] four',
  '',
  '```',
  '- [ ] code',
  '```',
  '',
  '    - [ ] indented',
  '',
  '* [ ] one',
].join('\r\n')

/** Opens an issue as eve; its path, and what its text is now. */
async function opened(body = text) {
  const path = await led(author, `/ada/${repo}/issues/new`, { title: 'Tasks', body })
  const params = { owner: 'ada', repo, index: path.split('/').at(-1) ?? '' }
  const stored = async (): Promise<string> =>
    (await call('GET /api/v1/repos/{owner}/{repo}/issues/{index}', { as: ada, params })).body.body
  return { path, stored, index: params.index }
}

/** The values of the boxes of a page, in their order. */
const boxesOn = async (by: Browser, path: string) =>
  [
    ...(await by.page(path)).matchAll(/<button class="task"[^>]* value="([^"]+)"[^>]*aria-checked="(\w+)"/g),
  ].map(([, task = '', isOn = '']) => ({ task, isOn }))

test('POST /{owner}/{repo}/issues/{index} ticks the tasks of a text where they stand, and nothing in code', async () => {
  const { path, stored } = await opened()
  const before = await stored()
  const boxes = await boxesOn(author, path)
  assert.deepEqual(
    boxes.map(({ isOn }) => isOn),
    ['false', 'true', 'false', 'true', 'false'],
  )
  const places = ['[ ] one\r\n  1', '[x] two', '[ ] three', '[X] four', '[ ] one']
  let expected = before
  for (const [at, { task }] of boxes.entries()) {
    const place = places[at] ?? ''
    const from = at === 4 ? expected.lastIndexOf(place) : expected.indexOf(place)
    expected = `${expected.slice(0, from + 1)}${place[1] === ' ' ? 'x' : ' '}${expected.slice(from + 2)}`
    assert.equal(await led(author, path, { action: 'tick', task }), path)
    assert.equal(await stored(), expected, place)
    // A second click finds it done.
    await led(author, path, { action: 'tick', task })
    assert.equal(await stored(), expected, place)
  }
  for (const { task } of await boxesOn(owner, path)) await led(owner, path, { action: 'tick', task })
  assert.equal(await stored(), before.replace('[X]', '[x]'))
})

test('POST /{owner}/{repo}/issues/{index} ticks for who may change the text, and nobody else sees boxes to press', async () => {
  const { path, stored } = await opened()
  const before = await stored()
  const [box] = await boxesOn(author, path)
  const fields = { action: 'tick', task: box?.task ?? '' }
  assert.deepEqual(await boxesOn(other, path), [])
  assert.match(await other.page(path), /<input aria-label="Done" type="checkbox" disabled=""/)
  assert.equal((await other.post(path, fields)).status, 403)
  assert.equal((await send(url, path, fields)).status, 401)
  const wrong = ['', 'x', '1.on', '1.on.AAAAAAAAAAAAAAAA.x', `${'9'.repeat(40)}.on.AAAAAAAAAAAAAAAA`]
  for (const task of wrong)
    assert.equal((await author.post(path, { action: 'tick', task })).status, 400, task)
  for (const comment of ['0', 'x', '999999'])
    assert.ok([400, 404].includes((await author.post(path, { ...fields, comment })).status), comment)
  const inCode = text.indexOf('- [ ] code')
  for (const position of [0, 7, Buffer.byteLength(text.slice(0, inCode)) - 6, 999_999_999])
    await refused(author, path, { action: 'tick', task: `${position}.on.AAAAAAAAAAAAAAAA` })
  assert.equal(await stored(), before)
})

test('POST /{owner}/{repo}/issues/{index} ticks what the reader saw, whoever else changes the text', async () => {
  const { path, stored, index } = await opened('- [ ] one\n- [ ] two\n- [ ] three')
  const [one, two, three] = await boxesOn(author, path)
  const tick = (by: Browser, { task = '' } = {}) => by.post(path, { action: 'tick', task })
  // Two people, each with the page as it was.
  await led(author, path, { action: 'tick', task: one?.task ?? '' })
  await led(owner, path, { action: 'tick', task: two?.task ?? '' })
  assert.equal(await stored(), '- [x] one\n- [x] two\n- [ ] three')
  await on(
    'PATCH /issues/{index}',
    { index: Number(index) },
    { body: { body: '- [ ] one\n- [ ] more\n- [ ] three' } },
  )
  assert.match(
    await refused(author, path, { action: 'tick', task: two?.task ?? '' }),
    /somebody has changed this task since/,
  )
  await refused(author, path, { action: 'tick', task: three?.task ?? '' })
  const boxes = await boxesOn(author, path)
  const answers = await Promise.all(boxes.map((box) => tick(owner, box)))
  const done = answers.filter(({ status }) => status === 303).length
  assert.ok(done >= 1 && answers.every(({ status }) => status === 303 || status === 422))
  assert.equal((await stored()).split('[x]').length - 1, done)
})

test('POST /{owner}/{repo}/pulls/{index} ticks tasks of pull requests, and of comments on them', async () => {
  const { number } = await makers.propose(repo, 'topic', { body: '- [ ] first' })
  const path = `/ada/${repo}/pulls/${number}`
  await led(author, path, { action: 'comment', body: 'See:\r\n\r\n+ [ ] mine' })
  const [, mine] = await boxesOn(owner, path)
  assert.equal((await boxesOn(author, path)).length, 1)
  const comment = /name="comment" value="(\d+)"/.exec(await author.page(path))?.[1] ?? ''
  assert.equal(
    await led(author, path, { action: 'tick', comment, task: mine?.task ?? '' }),
    `${path}#issuecomment-${comment}`,
  )
  assert.deepEqual(
    (await boxesOn(owner, path)).map(({ isOn }) => isOn),
    ['false', 'true'],
  )
  const [first] = await boxesOn(owner, path)
  await led(owner, path, { action: 'tick', task: first?.task ?? '' })
  await on('PATCH ', {}, { body: { archived: true } })
  assert.deepEqual(await boxesOn(owner, path), [])
  await refused(owner, path, { action: 'tick', task: first?.task.replace('.on.', '.off.') ?? '' })
  await on('PATCH ', {}, { body: { archived: false } })
})

test('POST /{owner}/{repo}/pulls/{index}/files ticks tasks of comments on lines, where they are shown', async () => {
  const { number } = await makers.propose(repo, 'lines')
  const conversation = `/ada/${repo}/pulls/${number}`
  const path = `${conversation}/files`
  const { body: changed } = await on('GET /pulls/{index}/files', { index: number })
  const lined = { path: changed[0].filename, new_position: 1, body: '- [ ] one\n- [ ] two' }
  const { body: review } = await on(
    'POST /pulls/{index}/reviews',
    { index: number },
    { as: ada, body: { event: 'COMMENT', body: '', comments: [lined] } },
  )
  const onReview = { index: number, id: review.id }
  const stored = async () =>
    (await on('GET /pulls/{index}/reviews/{id}/comments', onReview)).body[0] as { id: number; body: string }
  const { id } = await stored()
  const [one, two] = await boxesOn(owner, path)
  const tick = (box = one, from = 'files') => ({
    action: 'tick',
    comment: String(id),
    from,
    task: box?.task ?? '',
  })
  assert.equal(await led(owner, path, tick()), `${path}#issuecomment-${id}`)
  assert.equal((await stored()).body, '- [x] one\n- [ ] two')
  assert.equal(await led(owner, path, tick(two, '')), `${conversation}#issuecomment-${id}`)
  assert.equal((await stored()).body, '- [x] one\n- [x] two')
  assert.deepEqual(
    (await boxesOn(owner, conversation)).map(({ isOn }) => isOn),
    ['true', 'true'],
  )
  assert.deepEqual(await boxesOn(other, path), [])
  assert.equal((await other.post(path, tick())).status, 403)
  assert.equal((await send(url, path, tick())).status, 401)
  assert.equal((await owner.post(path, { ...tick(), task: 'x' })).status, 400)
  const gone = await owner.post(path, { ...tick(), comment: '999999' })
  assert.equal(gone.status, 404)
  await on('PATCH /pulls/comments/{id}', { id }, { as: ada, body: { body: 'none' } })
  assert.match(await refused(owner, path, tick(two)), /somebody has changed this task since/)
})

test('GET /{owner}/{repo}/issues/{index} makes no buttons of more boxes than a page has room for', async () => {
  const { path } = await opened('- [ ] x\n'.repeat(301))
  assert.deepEqual(await boxesOn(author, path), [])
  assert.equal((await author.page(path)).split('type="checkbox"').length - 1, 301)
})
