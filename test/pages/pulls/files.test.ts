import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { pullMakers } from '../../support/forge/pulls.ts'
import { signedIn } from '../admin/browser.ts'
import { browserOf, hostile, send } from '../browser.ts'
import { led, refused } from '../forms.ts'

const app = await startApp({ DATA_DIR: join(await temporaryFolder(), 'data') })
const { url, make } = app
const [ada] = await make.people('ada', 'bob', 'cyd', 'eve')
const { on, repository, admit, commit, propose } = pullMakers(app, ada)
const owner = await signedIn(app, 'ada')
const reviewer = await signedIn(app, 'bob')
const reader = await signedIn(app, 'eve')
const anonymous = browserOf(url)

type Browser = typeof owner

const lines = (count: number) => Array.from({ length: count }, (_, at) => `line ${at + 1}\n`).join('')

/** A pull request of ada that changes two files. */
async function proposed() {
  const repo = await repository()
  await admit(repo, { name: 'bob' } as typeof ada)
  await commit(repo, 'main', { 'a.txt': lines(30) })
  const files = { 'a.txt': lines(30).replace('line 20', 'Line 20'), 'b.txt': 'new\n' }
  const { number, head } = await propose(repo, 'topic', { files })
  const path = `/ada/${repo}/pulls/${number}`
  const files_ = `${path}/files`
  const say = (by: Browser, fields: Readonly<Record<string, string>> = {}) =>
    led(by, files_, {
      action: 'comment',
      path: 'a.txt',
      at: 'new:20',
      body: 'Why?',
      event: 'COMMENT',
      commit: head,
      ...fields,
    })
  return { repo, number, head, path, files: files_, say }
}

const idIn = (location: string) => /#issuecomment-(\d+)$/.exec(location)?.[1] ?? assert.fail(location)
const threadIn = (page: string, id: string) =>
  new RegExp(`<section class="thread" id="thread-${id}".*?</section>`, 's').exec(page)?.[0] ??
  assert.fail('no thread')

test('GET /{owner}/{repo}/pulls/{index}/commits lists the commits that a pull request adds', async () => {
  const { repo, path, head } = await proposed()
  await on(repo)('POST /statuses/{sha}', { sha: head }, { body: { state: 'failure', context: 'lint' } })
  const page = await anonymous.page(`${path}/commits`)
  assert.deepEqual(
    [...page.matchAll(/<h3><a href="[^"]+\/commit\/([0-9a-f]+)"/g)].map(([, id]) => id),
    [head],
  )
  assert.match(page, /<a class="badge bad" href="[^"]+#statuses">failure/)
  assert.match(await anonymous.page(`${path}/commits?page=2`), /No commits/)
  assert.equal(await anonymous.statusOf(`/ada/${repo}/pulls/99/commits`), 404)
})

test('GET /{owner}/{repo}/pulls/{index}/files shows the difference, and forms to those who may review', async () => {
  const { repo, files } = await proposed()
  const seen = await anonymous.page(files)
  assert.match(seen, /2 changed files <span[^>]*><span[^>]*>\+2<\/span> <span[^>]*>&minus;1</)
  assert.match(seen, /<span class="removed" data-n=" {3}20 {6}">-line 20/)
  assert.doesNotMatch(seen, /<button form=|method="post" action="[^"]+\/files"/)
  for (const format of ['diff', 'patch'])
    assert.match(seen, new RegExp(`<a href="[^"]+/pulls/1\\.${format}">${format}</a>`))
  const page = await reader.page(files)
  assert.match(page, /<button form="lines-1" name="at" value="new:20" tabindex="-1">20<\/button>\+Line 20/)
  assert.match(page, /<form method="get" action="[^"]+\/files#line-form" id="lines-1"/)
  assert.match(page, />Approve</)
  assert.doesNotMatch(await owner.page(files), />Approve</)
  assert.match(
    await reader.page(`${files}?path=a.txt&at=new:20`),
    /line 20[\s\S]*Line 20\n<\/span><\/pre>\s*<form class="thread"/i,
  )
  assert.match(await reader.page(`${files}?path=a.txt&line=5`), /<form class="thread"[^>]+id="line-form"/)
  for (const odd of [
    'at=x',
    'at=new:0',
    'at=new:99999999999',
    'path=none&at=new:1',
    'line=-1',
    `path=${encodeURIComponent(hostile[0] ?? '')}&at=old:3`,
  ])
    assert.doesNotMatch(await reader.page(`${files}?${odd}`), /id="line-form"/)
  await on(repo)('PUT /issues/{index}/lock', { index: 1 }, { body: {} })
  assert.doesNotMatch(await reader.page(files), /<button form=/)
})

test('POST /{owner}/{repo}/pulls/{index}/files comments on a line once, and shows it there', async () => {
  const { files, say } = await proposed()
  const form_id = crypto.randomUUID()
  const [one, other] = await Promise.all([
    say(reader, { form_id, body: hostile[0] ?? '' }),
    say(reader, { form_id, body: hostile[0] ?? '' }),
  ])
  assert.equal(one, other)
  const id = idIn(one)
  assert.match(
    await anonymous.page(files),
    new RegExp(`\\+Line 20\\n</span></pre><section class="thread" id="thread-${id}"`),
  )
  const old = idIn(await say(reviewer, { at: 'old:20', body: 'Gone?' }))
  assert.match(
    await anonymous.page(files),
    new RegExp(`-line 20\\n</span></pre><section class="thread" id="thread-${old}"`),
  )
  const far = idIn(await say(reader, { at: 'new:2' }))
  assert.match(threadIn(await anonymous.page(files), far), /a\.txt, line 2/)
  const empty = await refused(reader, files, {
    action: 'comment',
    path: 'a.txt',
    at: 'new:20',
    body: '',
    event: 'COMMENT',
  })
  assert.match(empty, /<form class="thread"[\s\S]*aria-invalid="true"/)
  await refused(reader, files, {
    action: 'comment',
    path: 'a.txt',
    at: 'new:77',
    body: 'x',
    event: 'COMMENT',
  })
  for (const wrong of [
    { action: 'comment', path: 'a.txt', at: 'x', body: 'x' },
    { action: 'none' },
    { action: 'review', event: 'x' },
  ])
    assert.equal((await reader.post(files, wrong)).status, 400)
})

test('a conversation is answered, resolved, changed and deleted by those who may', async () => {
  const { files, path, say } = await proposed()
  const comment = idIn(await say(reader))
  const reply = idIn(await led(owner, files, { action: 'reply', comment, body: 'Because' }))
  const both = threadIn(await anonymous.page(files), comment)
  assert.deepEqual(
    [...both.matchAll(/id="issuecomment-(\d+)"/g)].map(([, id]) => id),
    [comment, reply],
  )
  assert.match(threadIn(await owner.page(files), comment), /value="resolve"/)
  assert.doesNotMatch(threadIn(await reader.page(files), comment), /value="resolve"/)
  await refused(reader, files, { action: 'resolve', comment }, 403)
  await led(owner, files, { action: 'resolve', comment })
  assert.match(threadIn(await anonymous.page(files), comment), /<summary>Resolved by ada/)
  await led(reviewer, files, { action: 'unresolve', comment })
  assert.doesNotMatch(threadIn(await anonymous.page(files), comment), /Resolved/)
  const kept = await refused(reader, files, { action: 'reply', comment, body: 'x'.repeat(65_537) })
  assert.match(threadIn(kept, comment), /<textarea[^>]*aria-invalid="true"/)
  const edit = `${path}/comments/${comment}/edit`
  const form = await reader.page(edit)
  assert.match(form, />\nWhy\?<\/textarea>/)
  const version = / name="version" value="([^"]+)"/.exec(form)?.[1] ?? ''
  assert.match(
    await (await reader.post(edit, { version, body: '**now**', preview: '1' })).text(),
    /<strong>now/,
  )
  assert.equal(await led(reader, edit, { version, body: 'Why not?' }), `${files}#issuecomment-${comment}`)
  await refused(reader, edit, { version, body: 'Late' })
  assert.equal(await owner.statusOf(`${path}/comments/${reply}/edit`), 200)
  assert.equal(await reader.statusOf(`${path}/comments/${reply}/edit`), 403)
  assert.equal(await reader.statusOf(`${path}/comments/987654/edit`), 404)
  await refused(reader, files, { action: 'delete-comment', comment: reply }, 403)
  await led(reader, files, { action: 'delete-comment', comment })
  await led(owner, files, { action: 'delete-comment', comment: reply })
  assert.doesNotMatch(await anonymous.page(files), /class="thread"/)
})

test('a review collects comments that only its author sees until it is sent', async () => {
  const { repo, number, files, path, say } = await proposed()
  const first = idIn(await say(reader, { event: 'PENDING', body: 'Pending one' }))
  await say(reader, { event: 'PENDING', at: 'old:20', body: 'Pending two' })
  const own = await reader.page(files)
  assert.match(own, /2 pending comments/)
  assert.match(threadIn(own, first), /pending: only you see it/)
  for (const other of [owner, reviewer]) assert.doesNotMatch(await other.page(files), /Pending one|pending/)
  assert.doesNotMatch(await anonymous.page(files), /Pending one|pending/)
  assert.equal(await owner.statusOf(`${path}/comments/${first}/edit`), 404)
  const page = await reader.page(`${files}?path=a.txt&at=new:20`)
  const form = /<form class="thread".*?<\/form>/s.exec(page)?.[0] ?? ''
  assert.deepEqual(
    [...form.matchAll(/name="event" value="(\w+)"/g)].map(([, event]) => event),
    ['PENDING'],
  )
  await refused(reader, files, {
    action: 'comment',
    path: 'a.txt',
    at: 'new:20',
    body: 'x',
    event: 'COMMENT',
  })
  const unsaid = await refused(reader, files, { action: 'review', event: 'REQUEST_CHANGES', body: '' })
  assert.match(unsaid, /Say what should change\./)
  await led(reader, files, { action: 'review', event: 'REQUEST_CHANGES', body: 'Not yet' })
  const sent = await anonymous.page(files)
  assert.match(sent, /Pending one/)
  assert.match(sent, /<span class="badge bad">requested changes<\/span>/)
  await refused(owner, files, { action: 'review', event: 'APPROVED', body: '' })
  const { body: reviews } = await on(repo)('GET /pulls/{index}/reviews', { index: number })
  assert.deepEqual(
    reviews.map(({ state, comments_count }: { state: string; comments_count: number }) => [
      state,
      comments_count,
    ]),
    [['REQUEST_CHANGES', 2]],
  )
})

test('a review is deleted by its author, also before it is sent', async () => {
  const { files, say } = await proposed()
  await led(reviewer, files, { action: 'review', event: 'APPROVED', body: '' })
  const reviewIn = (page: string) =>
    /name="action" value="delete-review"><input type="hidden" name="review" value="(\d+)"/.exec(page)?.[1]
  const review = reviewIn(await reviewer.page(files)) ?? assert.fail()
  assert.equal(reviewIn(await owner.page(files)), undefined)
  await refused(owner, files, { action: 'delete-review', review }, 403)
  await refused(owner, files, { action: 'delete-review', review: '987654' })
  await led(reviewer, files, { action: 'delete-review', review })
  assert.match(await owner.page(files), /Nobody has reviewed this yet/)
  await say(reader, { event: 'PENDING' })
  await led(reader, files, {
    action: 'delete-review',
    review: reviewIn(await reader.page(files)) ?? assert.fail(),
  })
  assert.doesNotMatch(await reader.page(files), /pending|class="thread"/)
})

test('GET /{owner}/{repo}/pulls/{index} shows comments with their lines below their review, and takes replies', async () => {
  const { path, files, say } = await proposed()
  const comment = idIn(await say(reader))
  await say(reviewer, { at: 'new:22', body: 'A draft', event: 'PENDING' })
  const thread = threadIn(await anonymous.page(path), comment)
  assert.match(
    thread,
    new RegExp(`<a href="[^"]*${files}\\?path=a\\.txt#thread-${comment}">a\\.txt, line 20</a>`),
  )
  assert.match(thread, /<pre class="diff"[\s\S]*<span class="added">\+Line 20\n<\/span>[\s\S]*Why\?/)
  assert.doesNotMatch(thread, /Reply/)
  assert.doesNotMatch(await anonymous.page(path), /A draft/)
  const reply = { action: 'reply', comment, body: 'Because', from: '' }
  assert.match(await led(owner, files, reply), new RegExp(`${path}#issuecomment-`))
  const answered = await reader.page(path)
  assert.match(threadIn(answered, comment), /Why\?[\s\S]*Because[\s\S]*Reply/)
  await led(owner, files, { action: 'resolve', comment, from: '' })
  assert.match(threadIn(await anonymous.page(path), comment), /<summary>Resolved by ada: a\.txt, line 20/)
})

test('comments move with their lines, and are outdated when these are gone', async () => {
  const { repo, files, say } = await proposed()
  const kept = idIn(await say(reader, { at: 'new:22', body: 'Kept' }))
  const gone = idIn(await say(reader, { body: 'Lost' }))
  await commit(repo, 'topic', { 'a.txt': `first\nsecond\n${lines(30).replace('line 20', 'LINE 20')}` })
  const page = await anonymous.page(files)
  assert.match(
    page,
    new RegExp(`data-n="   22    24"> line 22\\n</span></pre><section class="thread" id="thread-${kept}"`),
  )
  assert.match(threadIn(page, gone), /outdated<\/span>[\s\S]*\+Line 20/)
  await commit(repo, 'topic', { 'a.txt': lines(30) })
  assert.match(await anonymous.page(files), /On files that are not changed any more[\s\S]*Lost/)
})

test('forms of reviews are refused from other sites, and wait for those who are not signed in', async () => {
  const { files } = await proposed()
  const fields = { action: 'review', event: 'COMMENT', body: 'x' }
  assert.equal(
    (
      await send(url, files, fields, {
        cookie: reader.cookie,
        origin: 'https://evil.example',
        'sec-fetch-site': 'cross-site',
      })
    ).status,
    403,
  )
  assert.equal((await send(url, files, fields)).status, 401)
})
