import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ownersOf, ownersRules } from '../../../../src/forge/pulls/reviews/owners-file.ts'
import { startApp } from '../../../support/app.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { queuedMessages } from '../../../support/forge/hook-messages.ts'
import { pullMakers } from '../../../support/forge/pulls.ts'

/** Who is asked for a review because files of theirs change. */

const app = await startApp({ DATA_DIR: await temporaryFolder() })
const { call, make, pool } = app
const [ada, bob, cyd] = await make.people('ada', 'bob', 'cyd', 'dan')
const { on, repository, admit, commit, propose } = pullMakers(app, ada)

const asked = async (repo: string, index: number, place = 'ada') => {
  const { body } = await on(repo, place)('GET /pulls/{index}', { index })
  return [
    ...body.requested_reviewers.map(({ login }: { login: string }) => login),
    ...(body.requested_reviewers_teams ?? []).map(({ name }: { name: string }) => `team ${name}`),
  ].toSorted()
}

/** A public repository with these owners. */
async function owned(text: string, place = 'CODEOWNERS') {
  const repo = await repository()
  await commit(repo, 'main', { [place]: text })
  return repo
}

test('POST /api/v1/repos/{owner}/{repo}/pulls asks the owners of the files that change', async () => {
  const repo = await owned(
    'docs/.* @bob # all of it\n\n.*\\\\.go @Cyd @ada @nobody\n!(docs|src)/.* dan\n( @bob\n.*',
  )
  const each: [string, string, string[]][] = [
    ['one', 'docs/a.md', ['bob']],
    ['two', 'src/a.go', ['cyd']],
    ['three', 'README.txt', ['dan']],
    ['four', 'src/a.c', []],
  ]
  for (const [branch, path, reviewers] of each) {
    const { number } = await propose(repo, branch, { files: { [path]: 'x' } })
    assert.deepEqual(await asked(repo, number), reviewers, path)
  }
  const own = await propose(repo, 'own', { files: { 'docs/b.md': 'x' }, as: bob })
  assert.deepEqual(await asked(repo, own.number), [], 'nobody reviews their own')
})

test('the event `opened` names the owners who are asked', async () => {
  const repo = await owned('.* @bob')
  const { id } = await propose(repo, 'topic')
  const sent = (await queuedMessages(pool)).filter(({ payload }) => payload.pull_request?.id === id)
  assert.deepEqual(
    sent.map(({ payload }) => [payload.action, payload.pull_request.requested_reviewers[0]?.login]),
    [
      ['review_requested', 'bob'],
      ['opened', 'bob'],
    ],
  )
})

for (const place of ['docs/CODEOWNERS', '.gitea/CODEOWNERS'])
  test(`POST /api/v1/repos/{owner}/{repo}/pulls reads ${place}`, async () => {
    const repo = await owned('.* @bob', place)
    const { number } = await propose(repo, 'topic')
    assert.deepEqual(await asked(repo, number), ['bob'])
  })

test('a push asks the owners of files that it changes first; a draft asks when it is ready', async () => {
  const repo = await owned('a @bob\nb @cyd\nc @dan')
  await admit(repo, bob)
  const { number: index } = await propose(repo, 'topic', { files: { a: '1' } })
  await on(repo)(
    'DELETE /pulls/{index}/requested_reviewers',
    { index },
    { body: { reviewers: ['bob'], team_reviewers: [] } },
  )
  await commit(repo, 'topic', { a: '2', b: '1' })
  assert.deepEqual(await asked(repo, index), ['cyd'], 'who was withdrawn is not asked again')
  await on(repo)('POST /pulls/{index}/reviews', { index }, { as: cyd, body: { event: 'APPROVED', body: '' } })
  await commit(repo, 'topic', { b: '2' })
  assert.deepEqual(await asked(repo, index), [])

  const draft = await propose(repo, 'draft', { files: { c: '1' }, title: 'WIP: later' })
  await commit(repo, 'draft', { a: '1' })
  assert.deepEqual(await asked(repo, draft.number), [])
  const ready = await on(repo)('PATCH /pulls/{index}', { index: draft.number }, { body: { title: 'Now' } })
  assert.equal(ready.status, 201)
  assert.deepEqual(await asked(repo, draft.number), ['bob', 'dan'])
})

test('teams own files in repositories of their organization; a private repository asks who may read it', async () => {
  const organization = await make.organization(ada, { name: 'acme' })
  await make.team(organization, [cyd], { name: 'docs', includes_all_repositories: true })
  const body = { name: 'shared', auto_init: true, private: true }
  assert.equal(
    (await call('POST /api/v1/orgs/{org}/repos', { as: ada, params: { org: 'acme' }, body })).status,
    201,
  )
  const write = (path: string, text: string, more: object = {}) =>
    on('shared', 'acme')(
      'POST /contents/{filepath...}',
      { filepath: path },
      { body: { content: Buffer.from(text).toString('base64'), message: 'x', ...more } },
    )
  await write('CODEOWNERS', '.* @acme/docs @acme/none @other/docs @dan @acme')
  assert.equal((await write('a', 'x', { new_branch: 'topic' })).status, 201)
  const opened = await on('shared', 'acme')(
    'POST /pulls',
    {},
    { body: { head: 'topic', base: 'main', title: 'x' } },
  )
  assert.deepEqual(await asked('shared', opened.body.number, 'acme'), ['team docs'])
})

test('a hostile file takes neither long nor the turn of others', async () => {
  const paths = Array.from({ length: 20_000 }, (_, at) => `${'a'.repeat(200)}${at}`)
  const hostile = Array.from({ length: 600 }, (_, at) => `(a*)*(a|aa)+b{${at}} @bob`).join('\n')
  const rules = ownersRules(`${hostile}\n(a{1000}){1000}{1000} @cyd\n${'x'.repeat(501)} @dan`)
  assert.equal(rules.length, 500)
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  const began = performance.now()
  await ownersOf(rules, paths)
  clearInterval(timer)
  assert.ok(performance.now() - began < 10_000)
  assert.ok(turns > 5)
})
