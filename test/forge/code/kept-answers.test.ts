import assert from 'node:assert/strict'
import { readFile, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { serveApp } from '../../support/app.ts'
import { openTestDatabase } from '../../support/database.ts'
import { temporaryFolder } from '../../support/folder.ts'
import type { Somebody } from '../../support/forge/make.ts'
import { startRepository } from '../../support/forge/workflows.ts'
import { clientOk } from '../../support/git.ts'
import { gitBehind } from '../../support/git-program.ts'
import { until } from '../../support/wait.ts'

/** What is read of the code is kept in memory, and what is answered is nevertheless what is on the disk. */

const folder = await temporaryFolder()
const { PATH } = process.env
// Notes each start of git.
process.env.PATH = await gitBehind(folder, `echo "$*" >> "$here/runs"`)
const settings = { DATA_DIR: join(folder, 'data') }
const database = await openTestDatabase()
const app = await serveApp(database, settings)
/** Another process on the same database and folder. */
const other = await serveApp(database, settings)
process.env.PATH = PATH
after(async () => {
  await app.close()
  await other.close()
  await database.close()
})
const { call, make } = app
const [ada, eve] = await make.people('ada', 'eve')

const runs = async () => (await readFile(join(folder, 'runs'), 'utf8')).split('\n').slice(0, -1)

interface Asked {
  as?: Somebody
  in?: typeof app
  query?: Record<string, string>
  headers?: Record<string, string>
}

const CONTENTS = 'GET /api/v1/repos/{owner}/{repo}/contents/{filepath...}'
const RAW = 'GET /api/v1/repos/{owner}/{repo}/raw/{filepath...}'
const MEDIA = 'GET /api/v1/repos/{owner}/{repo}/media/{filepath...}'
const COMMITS = 'GET /api/v1/repos/{owner}/{repo}/commits'
const BRANCHES = 'GET /api/v1/repos/{owner}/{repo}/branches'
const BLOB = 'GET /api/v1/repos/{owner}/{repo}/git/blobs/{sha}'

const ask = (
  literal: string,
  repo: string,
  { in: process = app, as = ada, ...more }: Asked = {},
  path = '',
) =>
  process.call(literal, {
    as,
    params: { owner: 'ada', repo, ...(path !== '' && { filepath: path }) },
    ...more,
  })

/** What each of the operations says of a repository with a file `a`. */
async function answers(repo: string, process = app) {
  const contents = await ask(CONTENTS, repo, { in: process }, 'a')
  const raw = await ask(RAW, repo, { in: process }, 'a')
  const media = await ask(MEDIA, repo, { in: process }, 'a')
  const commits = await ask(COMMITS, repo, { in: process })
  const branches = await ask(BRANCHES, repo, { in: process })
  return {
    contents: Buffer.from(contents.body.content, 'base64').toString(),
    changed: contents.body.last_commit_sha,
    raw: raw.body,
    media: media.body,
    commits: commits.body.map(({ sha }: { sha: string }) => sha),
    branches: branches.body.map(({ name, commit }: { name: string; commit: { id: string } }) => [
      name,
      commit.id,
    ]),
  }
}

const said = (text: string, commits: string[], branches: [string, string][], changed = commits[0]) => ({
  contents: text,
  changed,
  raw: text,
  media: text,
  commits,
  branches,
})

/** Lets the refs look as if they had moved long ago: lists of refs that have moved just now are not kept. */
async function age(repo: string): Promise<void> {
  const old = new Date(Date.now() - 60_000)
  await utimes(join(settings.DATA_DIR, 'repositories', 'ada', `${repo}.git`, 'refs', 'heads'), old, old)
}

test('no operation starts git again when something else is written, until the repository changes', async () => {
  const repo = await startRepository({ ...app, folder, ada }, 'idle')
  const first = await repo.push({ a: 'one' })
  await age('idle')
  assert.deepEqual(await answers('idle'), said('one', [first], [['main', first]]))
  const before = await runs()
  await make.person({ name: 'elsewhere' })
  assert.deepEqual(await answers('idle'), said('one', [first], [['main', first]]))
  await call('POST /api/v1/user/repos', { as: eve, body: { name: 'new' } })
  assert.deepEqual(await answers('idle'), said('one', [first], [['main', first]]))
  assert.deepEqual((await runs()).slice(before.length), [])
})

test('GET /{owner}/{repo} with more branches than it lists starts git only until it knows all that it shows', async () => {
  const repo = await startRepository({ ...app, folder, ada }, 'paged')
  const first = await repo.push({ a: 'one' })
  const path = join(settings.DATA_DIR, 'repositories', 'ada', 'paged.git')
  for (let n = 10; n < 40; n++) await clientOk(path, 'update-ref', `refs/heads/topic-${n}`, first)
  await age('paged')
  const page = async () => {
    await make.person()
    return (await call('GET /{owner}/{repo}', { as: ada, params: { owner: 'ada', repo: 'paged' } })).body
  }
  // The page does not wait long for the commits that changed its entries last.
  await until('the commits are known', async () => /topic-10.*a change/s.test(await page()))
  const before = await runs()
  assert.match(await page(), /topic-10.*a change/s)
  assert.deepEqual((await runs()).slice(before.length), [])
})

test('after a push to a known repository git starts for the lists of commits and branches only', async () => {
  const repo = await startRepository({ ...app, folder, ada }, 'moving')
  const first = await repo.push({ a: 'one' })
  await answers('moving')
  const second = await repo.push({ b: 'two' })
  const before = await runs()
  const branches: [string, string][] = [['main', second]]
  assert.deepEqual(await answers('moving'), said('one', [second, first], branches, first))
  const started = (await runs())
    .slice(before.length)
    .map((run) => / (log|for-each-ref) /.exec(` ${run} `)?.[1])
  assert.deepEqual(started.sort(), ['for-each-ref', 'log'])
})

test('every process answers with the state after a push, a commit by API, or a move by hand', async () => {
  const repo = await startRepository({ ...app, folder, ada }, 'two')
  const first = await repo.push({ a: 'one' })
  await age('two')
  for (const process of [app, other])
    assert.deepEqual(await answers('two', process), said('one', [first], [['main', first]]))
  const second = await repo.push({ a: 'two' })
  for (const process of [app, other])
    assert.deepEqual(await answers('two', process), said('two', [second, first], [['main', second]]))
  const changed = await other.call('PUT /api/v1/repos/{owner}/{repo}/contents/{filepath...}', {
    as: ada,
    params: { owner: 'ada', repo: 'two', filepath: 'a' },
    body: {
      content: Buffer.from('three').toString('base64'),
      sha: await repo.git('rev-parse', `${second}:a`),
    },
  })
  const third = changed.body.commit.sha
  for (const process of [app, other])
    assert.deepEqual(await answers('two', process), said('three', [third, second, first], [['main', third]]))
  const made = await call('POST /api/v1/repos/{owner}/{repo}/branches', {
    as: ada,
    params: { owner: 'ada', repo: 'two' },
    body: { new_branch_name: 'topic/one', old_ref_name: first },
  })
  assert.equal(made.status, 201)
  const both: [string, string][] = [
    ['main', third],
    ['topic/one', first],
  ]
  for (const process of [app, other]) assert.deepEqual((await answers('two', process)).branches.sort(), both)
  // The database does not know of this.
  const path = join(settings.DATA_DIR, 'repositories', 'ada', 'two.git')
  await clientOk(path, 'update-ref', 'refs/heads/topic/one', second)
  await make.person({ name: 'written' })
  for (const process of [app, other])
    assert.deepEqual((await answers('two', process)).branches.sort(), [both[0], ['topic/one', second]])
})

test('commits by API share one process that moves refs, and the number of branches is right in both forms of refs', async () => {
  const repo = await startRepository({ ...app, folder, ada }, 'written')
  await repo.push({ a: 'one' })
  await repo.push({ b: 'two' }, { branch: 'topic/one' })
  const params = { owner: 'ada', repo: 'written' }
  const count = async () => {
    const [row] = await app.pool<[{ branch_count: number }]>`
      select branch_count
      from forge.repository
      where id = ${repo.id}`
    return row.branch_count
  }
  const commit = async (filepath: string, expected: string[]) => {
    const before = await runs()
    const made = await call('POST /api/v1/repos/{owner}/{repo}/contents/{filepath...}', {
      as: ada,
      params: { ...params, filepath },
      body: { content: '' },
    })
    assert.equal(made.status, 201)
    const started = (await runs()).slice(before.length).filter((run) => !run.includes('cat-file'))
    assert.deepEqual(
      started.map((run) => run.split(' ')[0]),
      expected,
    )
    assert.equal(Number(await count()), 2)
  }
  await commit('c', ['update-ref'])
  await clientOk(join(settings.DATA_DIR, 'repositories', 'ada', 'written.git'), 'pack-refs', '--all')
  await commit('d', [])
})

test(`${RAW} sends ranges, heads and 304 alike from the cache and from disk`, async () => {
  const repo = await startRepository({ ...app, folder, ada }, 'ranges')
  await repo.push({ a: '0123456789', large: 'x'.repeat(100_000) })
  for (const path of ['a', 'large']) {
    const whole = await ask(RAW, 'ranges', {}, path)
    const etag = whole.headers.get('etag') ?? ''
    for (let times = 0; times < 2; times++) {
      const part = await ask(RAW, 'ranges', { headers: { range: 'bytes=2-4' } }, path)
      assert.deepEqual(
        [part.status, part.body, part.headers.get('content-range')],
        [206, whole.body.slice(2, 5), `bytes 2-4/${whole.body.length}`],
      )
      assert.equal((await ask(RAW, 'ranges', { headers: { 'if-none-match': etag } }, path)).status, 304)
      assert.equal((await ask(RAW, 'ranges', { headers: { range: 'bytes=100000-' } }, path)).status, 416)
      assert.equal((await ask(RAW, 'ranges', {}, path)).body, whole.body)
    }
  }
})

test('a caller who may no longer read a repository gets no cached answer of it', async () => {
  const repo = await startRepository({ ...app, folder, ada }, 'closing')
  await repo.push({ a: 'one' })
  const params = { owner: 'ada', repo: 'closing' }
  const statuses = async (as: Somebody) =>
    Promise.all([
      ask(CONTENTS, 'closing', { as }, 'a'),
      ask(RAW, 'closing', { as }, 'a'),
      ask(MEDIA, 'closing', { as }, 'a'),
      ask(COMMITS, 'closing', { as }),
      ask(BRANCHES, 'closing', { as }),
    ]).then((all) => [...new Set(all.map(({ status }) => status))])
  assert.deepEqual(await statuses(eve), [200])
  const edit = (body: object) => call('PATCH /api/v1/repos/{owner}/{repo}', { as: ada, params, body })
  assert.equal((await edit({ private: true })).status, 200)
  assert.deepEqual(await statuses(eve), [404])
  const member = { as: ada, params: { ...params, collaborator: 'eve' } }
  await call('PUT /api/v1/repos/{owner}/{repo}/collaborators/{collaborator}', {
    ...member,
    body: { permission: 'read' },
  })
  assert.deepEqual(await statuses(eve), [200])
  await call('DELETE /api/v1/repos/{owner}/{repo}/collaborators/{collaborator}', member)
  assert.deepEqual(await statuses(eve), [404])
  assert.deepEqual(await statuses(ada), [200])
})

test('a repository that is renamed, or deleted and made again, has its own files, branches and commits', async () => {
  const repo = await startRepository({ ...app, folder, ada }, 'name')
  const first = await repo.push({ a: 'old' })
  const blob = await repo.git('rev-parse', `${first}:a`)
  await age('name')
  const old = said('old', [first], [['main', first]])
  for (const process of [app, other]) assert.deepEqual(await answers('name', process), old)
  const moved = await call('PATCH /api/v1/repos/{owner}/{repo}', {
    as: ada,
    params: { owner: 'ada', repo: 'name' },
    body: { name: 'moved' },
  })
  assert.equal(moved.status, 200)
  for (const process of [app, other]) assert.deepEqual(await answers('moved', process), old)
  const next = await startRepository({ ...app, folder: await temporaryFolder(), ada }, 'name')
  const second = await next.push({ a: 'new' })
  for (const process of [app, other]) {
    assert.deepEqual(await answers('name', process), said('new', [second], [['main', second]]))
    assert.equal((await ask(CONTENTS, 'name', { in: process, query: { ref: first } }, 'a')).status, 404)
    const found = await process.call(BLOB, { as: ada, params: { owner: 'ada', repo: 'name', sha: blob } })
    assert.equal(found.status, 404)
  }
  const gone = await call('DELETE /api/v1/repos/{owner}/{repo}', {
    as: ada,
    params: { owner: 'ada', repo: 'moved' },
  })
  assert.equal(gone.status, 204)
  await startRepository({ ...app, folder: await temporaryFolder(), ada }, 'moved')
  for (const process of [app, other]) {
    assert.equal((await ask(RAW, 'moved', { in: process }, 'a')).status, 404)
    const found = await process.call(BLOB, { as: ada, params: { owner: 'ada', repo: 'moved', sha: blob } })
    assert.equal(found.status, 404)
  }
})

test('an object that git has removed is not found by its id', async () => {
  const repo = await startRepository({ ...app, folder, ada }, 'pruned')
  const first = await repo.push({ a: 'secret' })
  const blob = await repo.git('rev-parse', `${first}:a`)
  const byId = async () => [
    (await call(BLOB, { as: ada, params: { owner: 'ada', repo: 'pruned', sha: blob } })).status,
    (await ask(RAW, 'pruned', { query: { ref: first } }, 'a')).status,
  ]
  assert.deepEqual(await byId(), [200, 200])
  await repo.git('checkout', '-q', '--orphan', 'fresh')
  await repo.git('rm', '-q', '-f', 'a')
  await repo.git('commit', '-q', '--allow-empty', '-m', 'fresh')
  await repo.git('push', '-q', '--force', 'origin', 'HEAD:main')
  assert.deepEqual(await byId(), [200, 200])
  const path = join(settings.DATA_DIR, 'repositories', 'ada', 'pruned.git')
  await clientOk(path, 'gc', '-q', '--prune=now')
  await make.person({ name: 'pruner' })
  assert.deepEqual(await byId(), [404, 404])
})
