import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { makersFor } from '../../support/forge/make.ts'
import { pullMakers } from '../../support/forge/pulls.ts'
import { signedIn } from '../admin/browser.ts'
import { hostile } from '../browser.ts'
import { led, refused } from '../forms.ts'

const app = await startApp({ DATA_DIR: await temporaryFolder() })
const { call } = app
const make = makersFor(app)
const [ada, bob, eve] = await make.people('ada', 'bob', 'eve')
const makers = pullMakers(app, ada)
const { on, propose, commit, protect } = makers
const owner = await signedIn(app, 'ada')
const writer = await signedIn(app, 'bob')
const reader = await signedIn(app, 'eve')

const pullOf = async (repo: string, index: number) => (await on(repo)('GET /pulls/{index}', { index })).body
const hasBranch = async (repo: string, branch: string) =>
  (await on(repo)('GET /branches/{branch...}', { branch })).status === 200

/** Sends the form of a page that has this action, with the fields of the page; fails if there is none. */
async function press(
  by: typeof owner,
  path: string,
  action: string,
  fields: Readonly<Record<string, string>> = {},
) {
  const page = await by.page(path)
  const forms = page.match(/<form [^>]*method="post"[\s\S]*?<\/form>/g) ?? []
  const form = forms.find(
    (each) =>
      each.includes(`name="action" value="${action}"`) &&
      Object.entries(fields).every(
        ([name, value]) =>
          !/^(?:style|review)$/.test(name) || each.includes(`name="${name}" value="${value}"`),
      ),
  )
  assert.ok(form, `${path} offers no ${action}`)
  const hidden = [...form.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(
    ([, name = '', value = '']) => [name, value] as const,
  )
  return led(by, path, { ...Object.fromEntries(hidden), ...fields })
}

for (const style of ['merge', 'squash', 'rebase', 'rebase-merge', 'fast-forward-only'])
  test(`POST /{owner}/{repo}/pulls/{index} merges in each way that the repository allows: ${style}`, async () => {
    const repo = await makers.repository({})
    const { number } = await propose(repo, 'topic')
    const path = `/ada/${repo}/pulls/${number}`
    const page = await owner.page(path)
    assert.match(page, /This can be merged/)
    assert.match(page, /value="Merge pull request &#39;Add topic&#39; \(#1\) from topic into main"/)
    const fields: Record<string, string> = { style, delete: 'on' }
    if (style !== 'rebase' && style !== 'fast-forward-only')
      Object.assign(fields, { title: hostile[0] ?? '', message: 'so it is' })
    await press(owner, path, 'merge', fields)
    const pull = await pullOf(repo, number)
    assert.equal(pull.merged, true)
    assert.equal(await hasBranch(repo, 'topic'), false)
    if (fields.title) {
      const { body } = await on(repo)('GET /git/commits/{sha}', { sha: pull.merge_commit_sha })
      assert.equal(body.commit.message.trim(), `${hostile[0]}\n\nso it is`)
    }
    await press(owner, path, 'restore-branch')
    assert.equal(await hasBranch(repo, 'topic'), true)
    await press(owner, path, 'delete-branch')
    assert.equal(await hasBranch(repo, 'topic'), false)
  })

test('POST /{owner}/{repo}/pulls/{index} merges the head that the page has shown, or nothing, and once', async () => {
  const repo = await makers.repository()
  const { number, head } = await propose(repo, 'topic')
  const path = `/ada/${repo}/pulls/${number}`
  await commit(repo, 'topic', { 'later.txt': 'later' })
  const old = await refused(owner, path, { action: 'merge', style: 'merge', head, title: 'kept' })
  assert.match(old, /head out of date/)
  assert.match(old, /value="kept"/)
  const now = (await pullOf(repo, number)).head.sha
  const fields = { action: 'merge', style: 'merge', head: now, title: 'One' }
  const [one, other] = await Promise.all([owner.post(path, fields), owner.post(path, fields)])
  assert.deepEqual([one.status, other.status].sort(), [303, 422])
  assert.equal((await pullOf(repo, number)).merged, true)
  await refused(owner, path, { ...fields, style: 'x' })
})

test('the box names each reason against a merge', async () => {
  const repo = await makers.repository()
  await makers.admit(repo, bob)
  await protect(repo, {
    enable_status_check: true,
    status_check_contexts: ['ci/<b>'],
    required_approvals: 1,
    block_on_rejected_reviews: true,
    block_on_official_review_requests: true,
    block_on_outdated_branch: true,
    protected_file_patterns: '*.lock',
    block_admin_merge_override: true,
  })
  const { number, head } = await propose(repo, 'topic', { title: 'WIP: x', files: { 'a.lock': 'x' } })
  const path = `/ada/${repo}/pulls/${number}`
  await on(repo)('POST /statuses/{sha}', { sha: head }, { body: { context: 'ci/<b>', state: 'failure' } })
  await on(repo)(
    'POST /contents/{filepath...}',
    { filepath: 'n.txt' },
    { body: { content: 'eA==', branch: 'main' } },
  )
  await press(owner, path, 'ask', { reviewer: 'bob' })
  const shown = await owner.page(path)
  for (const sentence of [
    /This cannot be merged yet/,
    /It is a draft/,
    /Checks have to succeed: <code>ci\/&lt;b&gt;/,
    /It has 0 of 1 approval that it needs/,
    /Reviewers who were asked have not answered/,
    /It lacks 1 commit of <code>main/,
    /the rule of <code>main<\/code> protects: <code>\*\.lock/,
    /failure<\/span>/,
  ])
    assert.match(shown, sentence)
  assert.doesNotMatch(shown, /name="style" value="squash"/)
  assert.match(
    await reader.page(path),
    /You may not merge into <code>main<\/code>: those who may write to it can/,
  )
  const review = { event: 'REQUEST_CHANGES', body: '**no**' }
  await on(repo)('POST /pulls/{index}/reviews', { index: number }, { as: bob, body: review })
  const rejected = await owner.page(path)
  assert.match(rejected, /A reviewer asks for changes/)
  assert.match(
    rejected,
    /bob<\/a> <span class="badge state bad">asks for changes<\/span>[\s\S]*<strong>no<\/strong>/,
  )
  const id =
    /name="action" value="dismiss"><input type="hidden" name="review" value="(\d+)"/.exec(rejected)?.[1] ?? ''
  await press(owner, path, 'dismiss', { review: id, message: 'later' })
  const dismissed = await owner.page(path)
  assert.match(dismissed, /<span class="badge">dismissed<\/span>/)
  assert.match(dismissed, /dismissed a review: <q>later<\/q>/)
  await press(owner, path, 'undismiss', { review: id })
  assert.match(await owner.page(path), /A reviewer asks for changes/)
})

test('POST /{owner}/{repo}/pulls/{index} merges against a rule where administrators may, and says why not otherwise', async () => {
  const repo = await makers.repository()
  await makers.admit(repo, bob)
  await protect(repo, { required_approvals: 1 })
  const { number } = await propose(repo, 'topic')
  const path = `/ada/${repo}/pulls/${number}`
  assert.doesNotMatch(await writer.page(path), /name="force"/)
  const { sha } = (await pullOf(repo, number)).head
  const plain = { action: 'merge', style: 'merge', head: sha, title: 'x' }
  assert.match(await refused(owner, path, plain), /Does not have enough approvals/)
  await refused(writer, path, { ...plain, force: 'on' })
  await press(owner, path, 'merge', { style: 'merge', title: 'x', force: 'on' })
  assert.equal((await pullOf(repo, number)).merged, true)
})

test('POST /{owner}/{repo}/pulls/{index} schedules a merge that waits for approvals, and cancels it', async () => {
  const repo = await makers.repository()
  await makers.admit(repo, bob)
  await protect(repo, { required_approvals: 1, block_admin_merge_override: true })
  const { number } = await propose(repo, 'topic')
  const path = `/ada/${repo}/pulls/${number}`
  await press(owner, path, 'merge', { style: 'squash', title: 'Waits', wait: '1' })
  const shown = await owner.page(path)
  assert.match(shown, /It is merged as soon as nothing is against it/)
  assert.doesNotMatch(shown, /name="wait"/)
  assert.doesNotMatch(await writer.page(path), /cancel-merge/)
  await refused(writer, path, { action: 'cancel-merge' }, 403)
  await press(owner, path, 'cancel-merge')
  assert.match(await owner.page(path), /cancelled the scheduled merge[\s\S]*name="wait"/)
  await owner.post(path, { action: 'cancel-merge' })
})

test('POST /{owner}/{repo}/pulls/{index} updates the branch, changes the base, and ends and begins a draft', async () => {
  const repo = await makers.repository()
  const { number } = await propose(repo, 'topic')
  const path = `/ada/${repo}/pulls/${number}`
  for (const style of ['merge', 'rebase']) {
    await commit(repo, 'main', { [`${style}.txt`]: 'x' })
    assert.match(await owner.page(path), /The branch lacks 1 commit of <code>main/)
    await press(owner, path, 'update', { style })
    assert.doesNotMatch(await owner.page(path), /The branch lacks/)
  }
  await press(owner, path, 'draft')
  assert.equal((await pullOf(repo, number)).title, 'WIP: Add topic')
  await press(owner, path, 'ready')
  assert.equal((await pullOf(repo, number)).title, 'Add topic')
  await commit(repo, 'release', { 'r.txt': 'x' }, { isNew: true })
  await press(owner, path, 'base', { base: 'release' })
  assert.equal((await pullOf(repo, number)).base.ref, 'release')
  assert.match(await owner.page(path), /changed the base from <code>main<\/code> to <code>release<\/code>/)
  await refused(owner, path, { action: 'base', base: 'none' })
  await refused(reader, path, { action: 'base', base: 'main' }, 403)
})

test('POST /{owner}/{repo}/pulls/{index} asks people and teams for reviews, and withdraws it', async () => {
  const guild = await make.organization(ada, { name: 'guild' })
  const team = await make.team(guild, [bob], {
    units: { 'repo.code': 'write', 'repo.pulls': 'write' },
    name: 'crew',
  })
  const repo = 'shared'
  const at = on(repo, 'guild')
  await call('POST /api/v1/orgs/{org}/repos', {
    as: ada,
    params: { org: 'guild' },
    body: { name: repo, auto_init: true },
  })
  await call('PUT /api/v1/teams/{id}/repos/{org}/{repo}', {
    as: ada,
    params: { id: team.id, org: 'guild', repo },
  })
  const file = { content: 'eA==', branch: 'main', new_branch: 'topic' }
  await at('POST /contents/{filepath...}', { filepath: 'a.txt' }, { body: file })
  const { body: pull } = await at('POST /pulls', {}, { body: { head: 'topic', base: 'main', title: 'Add' } })
  const path = `/guild/${repo}/pulls/${pull.number}`
  for (const reviewer of ['bob', 'team:crew']) {
    assert.match(await owner.page(path), new RegExp(`<option value="${reviewer}">`))
    await press(owner, path, 'ask', { reviewer })
  }
  const shown = await owner.page(path)
  assert.match(shown, /asked the team crew for a review/)
  assert.match(shown, /asked bob for a review/)
  for (const reviewer of ['bob', 'team:crew']) await led(owner, path, { action: 'withdraw', reviewer })
  assert.match(await owner.page(path), /Nobody is asked for a review/)
  assert.match(await owner.page(path), /no longer asks bob for a review/)
  for (const reviewer of hostile) await refused(owner, path, { action: 'ask', reviewer })
})

test('POST /{owner}/{repo}/pulls/{index} marks as merged by hand, where the repository allows that', async () => {
  const repo = await makers.repository()
  await call('PATCH /api/v1/repos/{owner}/{repo}', {
    as: ada,
    params: { owner: 'ada', repo },
    body: { allow_manual_merge: true },
  })
  const { number, head } = await propose(repo, 'topic')
  const path = `/ada/${repo}/pulls/${number}`
  assert.match(
    await refused(owner, path, { action: 'merge', style: 'manually-merged', head, commit: head }),
    /Wrong commit ID/,
  )
  const { body } = await on(repo)('GET /branches/{branch...}', { branch: 'main' })
  await press(owner, path, 'merge', { style: 'manually-merged', commit: body.commit.id })
  assert.equal((await pullOf(repo, number)).merged, true)
})

test('POST /{owner}/{repo}/pulls/{index} lets those who may write here push to the branch of a fork, or not', async () => {
  const repo = await makers.repository()
  await call('POST /api/v1/repos/{owner}/{repo}/forks', { as: eve, params: { owner: 'ada', repo }, body: {} })
  const file = { content: 'eA==', branch: 'main', new_branch: 'topic' }
  await on(repo, 'eve')('POST /contents/{filepath...}', { filepath: 'a.txt' }, { as: eve, body: file })
  const { body: pull } = await on(repo)(
    'POST /pulls',
    {},
    { as: eve, body: { head: 'eve:topic', base: 'main', title: 'Add' } },
  )
  const path = `/ada/${repo}/pulls/${pull.number}`
  assert.match(await reader.page(path), /from <a href="[^"]+\/eve\/[^"]+"><code>eve:topic</)
  await press(reader, path, 'maintainers')
  assert.equal((await pullOf(repo, pull.number)).allow_maintainer_edit, false)
  await press(reader, path, 'maintainers', { allow: 'on' })
  assert.equal((await pullOf(repo, pull.number)).allow_maintainer_edit, true)
  await led(reader, path, { action: 'comment', body: '', state: 'closed' })
  assert.doesNotMatch(await owner.page(path), /Delete the branch/)
  await press(reader, path, 'delete-branch')
  await press(reader, path, 'restore-branch')
})

test('the box shows conflicts, and a base branch that is gone', async () => {
  const repo = await makers.repository()
  await commit(repo, 'base', { 'a.txt': 'one\n' }, { isNew: true })
  const { number } = await propose(repo, 'topic', { files: { 'a.txt': 'two\n' } })
  const path = `/ada/${repo}/pulls/${number}`
  await press(owner, path, 'base', { base: 'base' })
  assert.match(await owner.page(path), /It conflicts with <code>base<\/code> in <code>a\.txt<\/code>/)
  const { sha } = (await pullOf(repo, number)).head
  await refused(owner, path, { action: 'merge', style: 'merge', head: sha, title: 'x' })
})
