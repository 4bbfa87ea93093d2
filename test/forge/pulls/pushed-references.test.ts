import assert from 'node:assert/strict'
import { test } from 'node:test'
import { doneIn, numbersIn } from '../../../src/forge/issues/closing-words.ts'
import type { Somebody } from '../../support/forge/make.ts'
import { pullMakers } from '../../support/forge/pulls.ts'
import { startForge, startRepository } from '../../support/forge/workflows.ts'

/** What the messages of pushed commits say about issues. */

const forge = await startForge()
const { call, make, ada } = forge
const eve = await make.person({ name: 'eve' })
const { on } = pullMakers(forge, ada)

const issue = async (repo: string, as: Somebody = ada, more: object = {}) =>
  (await on(repo)('POST /issues', {}, { as, body: { title: 'x', ...more } })).body.number as number
const state = async (repo: string, index: number, place = 'ada') =>
  (await on(repo, place)('GET /issues/{index}', { index })).body.state
const timeline = async (repo: string, index: number) =>
  (await on(repo)('GET /issues/{index}/timeline', { index })).body

test('a push to the default branch closes issues that its messages say are done, and refers to others', async () => {
  const repo = await startRepository(forge, 'engine')
  await repo.push({ a: '1' })
  const [done, seen, elsewhere, waiting] = [
    await issue('engine', eve),
    await issue('engine'),
    await issue('engine', ada, { ref: 'refs/heads/topic' }),
    await issue('engine'),
  ]
  const message = `Mend the valve\n\nFixes #${done}, see #${seen}; closes #${elsewhere}.`
  const commit = await repo.push({ a: '2' }, { message })
  assert.deepEqual(await Promise.all([done, seen, elsewhere].map((each) => state('engine', each))), [
    'closed',
    'open',
    'open',
  ])
  const events = await timeline('engine', done)
  assert.deepEqual(
    events.map(
      ({ type, user, ref_commit_sha: sha }: { type: string; user: object; ref_commit_sha: string }) => [
        type,
        'login' in user && user.login,
        sha,
      ],
    ),
    [
      ['commit_ref', 'ada', commit],
      ['close', 'ada', ''],
    ],
  )
  assert.equal(events[0].body, `<a href="/ada/engine/commit/${commit}">Mend the valve</a>`)
  // Of many commits in one push each message counts, and a commit refers once.
  for (let at = 0; at < 8; at++)
    await repo.git('commit', '-q', '--allow-empty', '-m', at === 0 ? `<b> resolves #${waiting}` : 'more')
  await repo.git('push', '-q', 'origin', 'HEAD:refs/heads/topic')
  assert.equal(await state('engine', waiting), 'open', 'another branch closes nothing')
  await repo.git('push', '-q', 'origin', 'HEAD:refs/heads/main')
  assert.equal(await state('engine', waiting), 'closed')
  const named = (await timeline('engine', waiting)).filter(
    ({ type }: { type: string }) => type === 'commit_ref',
  )
  assert.equal(named.length, 1)
  assert.match(named[0].body, /&lt;b> resolves|&#x3C;b> resolves|&lt;b&gt; resolves/)
})

test('messages close issues of other repositories that the pusher may close', async () => {
  const repo = await startRepository(forge, 'car')
  const { body } = await call('POST /api/v1/user/repos', { as: eve, body: { name: 'wheel' } })
  assert.equal(body.full_name, 'eve/wheel')
  const open = (as: Somebody) =>
    call('POST /api/v1/repos/{owner}/{repo}/issues', {
      as,
      params: { owner: 'eve', repo: 'wheel' },
      body: { title: 'x' },
    })
  const [hers, own] = [(await open(eve)).body.number, (await open(ada)).body.number]
  await repo.push({ a: '1' }, { message: `fixes Eve/wheel#${hers}, fixes eve/wheel#${own}, fixes no/such#1` })
  assert.deepEqual([await state('wheel', hers, 'eve'), await state('wheel', own, 'eve')], ['open', 'closed'])
})

test('who may not write to issues closes only their own; archived and disabled trackers stay', async () => {
  const repo = await startRepository(forge, 'quiet')
  await repo.push({ a: '1' })
  const number = await issue('quiet')
  await on('quiet')('PATCH ', {}, { body: { has_issues: false } })
  await repo.push({ a: '2' }, { message: `closes #${number}` })
  await on('quiet')('PATCH ', {}, { body: { has_issues: true } })
  assert.equal(await state('quiet', number), 'open')
})

test('issues that texts name, and those that they say are done', () => {
  const text = 'Fixes #1, closes: !2 (resolved a/B#3) see #4, [#5] x#6 #7x prefixes #8'
  assert.deepEqual(numbersIn(text), [1, 2, 4, 5, 8])
  assert.deepEqual(
    doneIn(text).map(({ path = '', number }) => `${path}#${number}`),
    ['#1', '#2', 'a/b#3'],
  )
  assert.equal(numbersIn(Array.from({ length: 99 }, (_, at) => `#${at}`).join(' ')).length, 50)
})
