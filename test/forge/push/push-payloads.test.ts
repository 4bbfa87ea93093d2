import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { queuedMessages } from '../../support/forge/hook-messages.ts'
import { makersFor, samePassword } from '../../support/forge/make.ts'
import { clientOk } from '../../support/git.ts'

/** What webhooks are told of each way in which a branch comes, moves and goes. */

const folder = await temporaryFolder()
const app = await startApp({ DATA_DIR: join(folder, 'data') })
const { call, pool, url } = app
const ada = await makersFor(app).person({ name: 'ada' })

const zeros = '0'.repeat(40)
const work = join(folder, 'work')
const address = new URL('/ada/engine.git', url)
Object.assign(address, { username: 'ada', password: samePassword })
const git = (...args: string[]) => clientOk(work, ...args)

async function commit(message: string): Promise<string> {
  await git('commit', '-qm', message, '--allow-empty')
  return git('rev-parse', 'HEAD')
}

const push = (...refs: readonly string[]) => git('push', '-q', '--force', address.href, ...refs)

/** The payloads of pushes since the last look. */
async function pushes() {
  const messages = await queuedMessages(pool)
  await pool`delete from forge.event`
  return messages.filter(({ event }) => event === 'push').map(({ payload }) => payload)
}

const idsOf = ({ commits }: { commits: { id: string }[] }) => commits.map(({ id }) => id)

/** The only payload: ids of its commits, their number, its head, and the end of the address that compares. */
async function told() {
  const all = await pushes()
  assert.equal(all.length, 1)
  const [{ total_commits, head_commit, compare_url, ...rest }] = all
  const compared = String(compare_url).replace(/^.*\/compare\//, '')
  return [idsOf(rest), total_commits, head_commit?.id, compared]
}

await call('POST /api/v1/user/repos', { as: ada, body: { name: 'engine', default_branch: 'main' } })
await clientOk(folder, 'init', '-q', '-b', 'main', work)
await pool`update forge.email_address set address = 'ada@users.example', key = 'ada@users.example'`

test('a push that makes branches sends the commits that no other branch has, and what to compare with', async () => {
  const one = await commit('one')
  const two = await commit('two')
  await git('checkout', '-q', '-b', 'feature')
  const three = await commit('three')
  await push('main', 'feature')
  const [first, feature] = await pushes()
  assert.deepEqual([idsOf(first), first.total_commits], [[two, one], 2])
  assert.deepEqual([idsOf(feature), feature.head_commit.id], [[three], three])

  await push('main:refs/heads/same')
  assert.deepEqual(await told(), [[], 0, two, `main...${two}`])
  await push('feature:refs/heads/other')
  assert.deepEqual(await told(), [[], 0, three, `main...${three}`], 'of a branch that is not the default one')
  const four = await commit('four')
  await push('HEAD:refs/heads/a+b')
  assert.deepEqual(await told(), [[four], 1, four, `main...${four}`])
  await push(':refs/heads/a+b')
  assert.deepEqual(await pushes(), [], 'only `delete` is sent')
  await push('HEAD:refs/heads/feature')
  assert.deepEqual(await told(), [[four], 1, four, `${three}...${four}`])
  await push(`${one}:refs/heads/feature`)
  assert.deepEqual(await told(), [[], 0, one, `${four}...${one}`], 'a forced push back has a head')
  await git('tag', 'v1')
  await push('v1')
  assert.deepEqual(await told(), [[], 0, four, `${zeros}...${four}`])
})

test('a commit names the accounts of its author and committer, and when it was written', async () => {
  const date = '2026-01-31T08:00:00+01:00'
  await git(
    'commit',
    '-q',
    '--allow-empty',
    '-m',
    'by two',
    `--date=${date}`,
    '--author=Ada L <ada@users.example>',
  )
  await push('HEAD:refs/heads/by-two')
  const [{ commits, head_commit: head }] = await pushes()
  const [newest] = commits
  assert.deepEqual(newest.author, { name: 'Ada L', email: 'ada@users.example', username: 'ada' })
  assert.deepEqual(newest.committer, { name: 'Ada', email: 'ada@example.com', username: '' })
  assert.deepEqual([newest.timestamp, head], [date, newest])
  const { status } = await call('POST /api/v1/repos/{owner}/{repo}/statuses/{sha}', {
    as: ada,
    params: { owner: 'ada', repo: 'engine', sha: newest.id },
    body: { state: 'success' },
  })
  assert.equal(status, 201)
  const [message] = await queuedMessages(pool)
  assert.equal(message?.payload.commit.author.username, 'ada')
  await pool`delete from forge.event`
})

test('the API tells of new branches in the same way', async () => {
  const params = { owner: 'ada', repo: 'engine' }
  const main = await git('rev-parse', 'main')
  const body = { new_branch_name: 'by-api' }
  assert.equal(
    (await call('POST /api/v1/repos/{owner}/{repo}/branches', { as: ada, params, body })).status,
    201,
  )
  assert.deepEqual(await told(), [[], 0, main, `main...${main}`])
  const { body: made } = await call('POST /api/v1/repos/{owner}/{repo}/contents/{filepath...}', {
    as: ada,
    params: { ...params, filepath: 'a.txt' },
    body: { new_branch: 'with-file', content: 'YQ==' },
  })
  const { sha } = made.commit
  assert.deepEqual(await told(), [[sha], 1, sha, `main...${sha}`])
})
