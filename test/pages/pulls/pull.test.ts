import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { makersFor } from '../../support/forge/make.ts'
import { pullMakers } from '../../support/forge/pulls.ts'
import { signedIn } from '../admin/browser.ts'
import { browserOf, hostile, root } from '../browser.ts'
import { led } from '../forms.ts'

const app = await startApp({ DATA_DIR: await temporaryFolder() })
const make = makersFor(app)
const [ada, eve] = await make.people('ada', 'eve')
const makers = pullMakers(app, ada)
const { on, propose } = makers
const repo = await makers.repository()
const { page, get, statusOf } = browserOf(app.url)
const owner = await signedIn(app, 'ada')

test('GET /{owner}/{repo}/pulls/{index} shows what is proposed, and leads to the page of an issue', async () => {
  const { number } = await propose(repo, 'topic', { title: hostile[0] ?? '', body: '**bold**' })
  const shown = await page(`/ada/${repo}/pulls/${number}`)
  assert.match(shown, /<\/svg> Open<\/span>/)
  assert.match(
    shown,
    /ada<\/a> wants to merge 1 commit into <a [^>]*><code>main<\/code><\/a> from <a [^>]*><code>topic/,
  )
  assert.match(shown, /aria-current="page">Conversation <span class="count">0</)
  assert.match(shown, /pulls\/1\/commits">Commits <span class="count">1</)
  assert.match(shown, /pulls\/1\/files">Files <span class="count">1</)
  assert.match(shown, /<strong>bold<\/strong>/)
  const { body: issue } = await on(repo)('POST /issues', {}, { body: { title: 'It leaks' } })
  const to = async (path: string) => (await get(`/ada/${repo}/${path}`)).headers.get('location')
  assert.equal(await to(`pulls/${issue.number}`), `${root}ada/${repo}/issues/${issue.number}`)
  assert.equal(await to(`issues/${number}?page=2`), `${root}ada/${repo}/pulls/${number}?page=2`)
  assert.equal(await statusOf(`/ada/${repo}/issues/99`), 404)
})

test('GET /{owner}/{repo}/pulls/{index} names the state: draft, merged and closed', async () => {
  const { number: draft } = await propose(repo, 'draft', { title: 'WIP: later' })
  assert.match(await page(`/ada/${repo}/pulls/${draft}`), /<\/svg> Draft<\/span>/)
  const { number: merged } = await propose(repo, 'merged')
  await on(repo)('POST /pulls/{index}/merge', { index: merged }, { body: { Do: 'merge' } })
  const shown = await page(`/ada/${repo}/pulls/${merged}`)
  assert.match(shown, /<\/svg> Merged<\/span>[\s\S]*ada<\/a> merged 1 commit into/)
  assert.match(shown, /merged this as <code>[0-9a-f]{10}<\/code>/)
  const { number: closed } = await propose(repo, 'closed')
  await led(owner, `/ada/${repo}/pulls/${closed}`, { action: 'comment', body: 'no', state: 'closed' })
  assert.match(await page(`/ada/${repo}/pulls/${closed}`), /<\/svg> Closed<\/span>/)
})

test('GET /{owner}/{repo}/pulls lists pull requests alone, by author and by who is asked for a review', async () => {
  const { number } = await propose(repo, 'asked', { title: 'Ask' })
  await on(repo)(
    'POST /pulls/{index}/requested_reviewers',
    { index: number },
    { body: { reviewers: ['eve'] } },
  )
  assert.match(await page(`/ada/${repo}/pulls`), /3 pull requests</)
  assert.doesNotMatch(await page(`/ada/${repo}/pulls`), /It leaks/)
  assert.match(await page(`/ada/${repo}/pulls?review_requested=eve`), /1 pull request<[\s\S]*Ask/)
  assert.match(await page(`/ada/${repo}/pulls?created_by=eve`), /0 pull requests</)
  assert.match(await page(`/ada/${repo}/pulls?state=closed`), /2 pull requests</)
  assert.match(await page(`/ada/${repo}`), /href="[^"]+\/pulls">Pull requests</)
  for (const text of hostile) await get(`/ada/${repo}/pulls?created_by=${encodeURIComponent(text)}`)
})

test('POST /{owner}/{repo}/pulls/{index} comments, and leads back to the pull request', async () => {
  const { number } = await propose(repo, 'talk')
  const path = `/ada/${repo}/pulls/${number}`
  const reader = await signedIn(app, 'eve')
  assert.match(
    await led(reader, path, { action: 'comment', body: 'good' }),
    new RegExp(`^${path}#issuecomment-`),
  )
  assert.match(await reader.page(path), /good/)
  assert.equal((await reader.post(path, { action: 'x' })).status, 400)
  assert.equal((await reader.post(`/ada/${repo}/issues/${number}`, { action: 'pin' })).status, 404)
  assert.equal((await reader.post(`/ada/${repo}/pulls/99`, { action: 'pin' })).status, 404)
  const preview = await reader.post(path, { body: '**so**', preview: '1' })
  assert.match(await preview.text(), /<strong>so<\/strong>/)
  const edit = `/ada/${repo}/issues/${number}/edit`
  assert.match(await owner.page(edit), /Change the pull request <a href="[^"]+\/pulls\//)
})

test('pull requests that are switched off have no pages, and no tab', async () => {
  await app.call('PATCH /api/v1/repos/{owner}/{repo}', {
    as: ada,
    params: { owner: 'ada', repo },
    body: { has_pull_requests: false },
  })
  for (const path of ['pulls', 'pulls/1'])
    assert.equal(await statusOf(`/ada/${repo}/${path}`, { authorization: eve.authorization }), 404)
  assert.doesNotMatch(await page(`/ada/${repo}`), /\/pulls">Pull requests</)
})
