import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { makersFor } from '../../support/forge/make.ts'
import { pullMakers } from '../../support/forge/pulls.ts'
import { signedIn } from '../admin/browser.ts'
import { browserOf, holdClean, hostile, root } from '../browser.ts'
import { led, ledWith, refused } from '../forms.ts'

const app = await startApp({ DATA_DIR: await temporaryFolder() })
const { call } = app
const make = makersFor(app)
const [ada, eve] = await make.people('ada', 'eve')
const makers = pullMakers(app, ada)
const { on, commit } = makers
const anonymous = browserOf(app.url)
const owner = await signedIn(app, 'ada')
const reader = await signedIn(app, 'eve')

const pullOf = async (repo: string, path: string) =>
  (await on(repo)('GET /pulls/{index}', { index: Number(path.split('/').at(-1)) })).body

test('GET /{owner}/{repo}/compare/{span...} offers to propose a branch, with the words of its only commit or of a template', async () => {
  const repo = await makers.repository()
  await commit(repo, 'fix', { 'a.txt': 'one\n' }, { isNew: true, message: 'Fix <b>\n\nIt was <i>wrong</i>.' })
  await commit(repo, 'main', { 'other.txt': 'x' })
  const path = `/ada/${repo}/compare/main...fix`
  const shown = await owner.page(path)
  assert.match(shown, /<details class="card proposal"><summary><h3>Propose this change/)
  assert.match(shown, /value="Fix &lt;b&gt;"/)
  assert.match(shown, />\nIt was &lt;i&gt;wrong&lt;\/i&gt;\.<\/textarea>/)
  // What the base has since is no part of the proposal.
  assert.match(shown, /1 changed file/)
  assert.doesNotMatch(shown, /other\.txt/)
  assert.match(await owner.page(`${path}?expand=1`), /<details class="card proposal" open>/)
  assert.match(await anonymous.page(path), /Sign in<\/a> to propose/)
  await commit(repo, 'main', { '.gitea/PULL_REQUEST_TEMPLATE.md': 'What and **why**?' })
  await commit(repo, 'fix', { 'b.txt': 'two\n' })
  const more = await owner.page(path)
  assert.match(more, /value="fix"/)
  assert.match(more, />\nWhat and \*\*why\*\*\?<\/textarea>/)
  assert.match(await owner.page(`${path}?title=Mine&body=Yours`), /value="Mine"[\s\S]*>\nYours<\/textarea>/)
  assert.match(await owner.page(`/ada/${repo}/compare/fix...fix`), /There is nothing to propose/)
})

test('POST /{owner}/{repo}/compare/{span...} proposes a branch once, shows what was refused, and a preview', async () => {
  const repo = await makers.repository()
  await commit(repo, 'topic/one', { 'a.txt': 'one\n' }, { isNew: true })
  const path = `/ada/${repo}/compare/main...topic/one`
  const preview = await owner.post(path, { title: hostile[0] ?? '', body: '**strong**', preview: '1' })
  assert.equal(preview.status, 200)
  const text = await preview.text()
  holdClean(text)
  assert.match(text, /<strong>strong<\/strong>/)
  await refused(owner, path, { title: '', body: 'kept' })
  await refused(owner, path, { title: 'x'.repeat(256) })
  await refused(owner, path, { title: 'x', due: 'tomorrow' })
  await refused(owner, `/ada/${repo}/compare/main...main`, { title: 'x' })
  const form = { form_id: 'one', title: hostile[1] ?? '', body: 'so', draft: 'on', 'assignee-ada': 'on' }
  const propose = () => ledWith(app.url, owner, path, form, [['why.txt', 'because']])
  const [one, other] = await Promise.all([propose(), propose()])
  assert.equal(one, other)
  const pull = await pullOf(repo, one)
  assert.deepEqual(
    [pull.title, pull.draft, pull.head.ref, pull.base.ref, pull.assignee.login],
    [`WIP: ${hostile[1]}`, true, 'topic/one', 'main', 'ada'],
  )
  const { assets } = (await on(repo)('GET /issues/{index}', { index: 1 })).body
  assert.deepEqual(
    assets.map(({ name }: { name: string }) => name),
    ['why.txt'],
  )
  const again = await refused(owner, path, { title: 'again' })
  assert.match(again, /It is proposed already: <a href="[^"]+\/pulls\/1"/)
  const list = await owner.page(`/ada/${repo}/pulls`)
  assert.match(list, /href="[^"]+\/compare">New pull request/)
})

test('POST /{owner}/{repo}/compare/{span...} proposes a branch of a fork, which its repository need not have', async () => {
  const repo = await makers.repository()
  await call('POST /api/v1/repos/{owner}/{repo}/forks', { as: eve, params: { owner: 'ada', repo }, body: {} })
  const file = { content: 'eA==', branch: 'main', new_branch: 'topic' }
  await on(repo, 'eve')('POST /contents/{filepath...}', { filepath: 'fork.txt' }, { as: eve, body: file })
  const choice = await reader.page(`/ada/${repo}/compare`)
  assert.match(choice, /<option value="eve:topic">/)
  const chosen = await anonymous.get(`/ada/${repo}/compare?base=main&head=eve:topic`)
  assert.equal(chosen.headers.get('location'), `${root}ada/${repo}/compare/main...eve%3Atopic?expand=1`)
  const path = `/ada/${repo}/compare/main...eve%3Atopic`
  const shown = await reader.page(path)
  assert.match(shown, /<h2>From <bdi>main<\/bdi> to <bdi>eve:topic<\/bdi>: 1 commit</)
  assert.match(shown, /<section class="card commits"/)
  assert.doesNotMatch(shown, /No commits/)
  // The fork says what it is of, and leads there with its default branch.
  const way = `${root}ada/${repo}/compare/main...eve%3Amain\\?expand=1`
  for (const own of [`/eve/${repo}`, `/eve/${repo}/compare`])
    assert.match(
      await reader.page(own),
      new RegExp(`Fork of <a href="${root}ada/${repo}">[^<]*</a> · <a href="${way}">Propose`),
    )
  assert.doesNotMatch(await anonymous.page(`/eve/${repo}`), /Propose/)
  assert.doesNotMatch(await reader.page(`/ada/${repo}`), /Fork of/)
  assert.match(shown, /fork\.txt/)
  assert.match(shown, new RegExp(`href="${root}eve/${repo}/commit/`))
  assert.match(shown, /Those who may write here push to the branch, too/)
  const to = await led(reader, path, { is_fork: '1', title: 'Mine' })
  const pull = await pullOf(repo, to)
  assert.deepEqual([pull.head.repo.full_name, pull.allow_maintainer_edit], [`eve/${repo}`, false])
  assert.match(await reader.page(to), /from <a href="[^"]+\/eve\//)
  await call('PATCH /api/v1/repos/{owner}/{repo}', {
    as: eve,
    params: { owner: 'eve', repo },
    body: { private: true },
  })
  assert.equal(await owner.statusOf(path), 404)
  assert.equal((await owner.post(path, { title: 'x' })).status, 404)
})

test('a change on a new branch leads to its proposal', async () => {
  const repo = await makers.repository()
  const to = await led(owner, `/ada/${repo}/_edit/main`, {
    path: 'new.txt',
    content: 'x',
    new_branch: 'mine',
  })
  assert.equal(to, `/ada/${repo}/compare/main...mine?expand=1`)
  assert.match(await owner.page(to), /Propose this change/)
})

test('the start page names pull requests that wait for a review', async () => {
  const repo = await makers.repository()
  const { number } = await makers.propose(repo, 'waits')
  await on(repo)(
    'POST /pulls/{index}/requested_reviewers',
    { index: number },
    { body: { reviewers: ['eve'] } },
  )
  const start = await reader.page('/')
  assert.match(
    start,
    new RegExp(`Reviews that you are asked for[\\s\\S]*href="${root}ada/${repo}/pulls/${number}"`),
  )
  const own = new RegExp(`Your open pull requests[\\s\\S]*href="${root}ada/${repo}/pulls/${number}"`)
  assert.match(await owner.page('/'), own)
})
