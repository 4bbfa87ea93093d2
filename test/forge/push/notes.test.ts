import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import type { Somebody } from '../../support/forge/make.ts'
import { client, clientOk } from '../../support/git.ts'

/** Notes of git (`refs/notes/*`), as release tools push them. */

const folder = await temporaryFolder()
const { call, url, make, pool } = await startApp({ DATA_DIR: join(folder, 'data') })
const [ada, bob, eve] = await make.people('ada', 'bob', 'eve')

const NOTE = 'GET /api/v1/repos/{owner}/{repo}/git/notes/{sha}'
const REFS = 'GET /api/v1/repos/{owner}/{repo}/git/refs/{ref...}'

let made = 0
/** A repository of ada that bob may write to and eve may read, with a clone of somebody. */
async function scene(as: Somebody = bob) {
  const name = `repo${++made}`
  const params = { owner: 'ada', repo: name }
  await call('POST /api/v1/user/repos', { as: ada, body: { name, auto_init: true } })
  for (const [collaborator, permission] of [
    ['bob', 'write'],
    ['eve', 'read'],
  ] as const)
    await call('PUT /api/v1/repos/{owner}/{repo}/collaborators/{collaborator}', {
      as: ada,
      params: { ...params, collaborator },
      body: { permission },
    })
  const address = new URL(`ada/${name}.git`, url)
  address.username = as.name
  address.password = as.token
  const work = join(folder, name)
  await clientOk(folder, 'clone', '-q', address.href, work)
  const path = join(folder, 'data', 'repositories', 'ada', `${name}.git`)
  const head = await clientOk(work, 'rev-parse', 'HEAD')
  const note = (sha = head) => call(NOTE, { as: eve, params: { ...params, sha } })
  const isPublished = async () =>
    (await pool`select from forge.push_journal where not is_overtaken`).length === 0
  return { params, work, path, head, note, isPublished }
}

test('a release tool pushes a tag, fetches all notes, and pushes its own', async () => {
  const { params, work, head, isPublished } = await scene()
  const ref = 'refs/notes/semantic-release-v1.0.0'
  await clientOk(work, 'tag', 'v1.0.0')
  await clientOk(work, 'push', '-q', '--tags', 'origin')
  await clientOk(work, 'fetch', '-q', 'origin', '+refs/notes/*:refs/notes/*')
  for (const channels of ['{"channels":[null]}', '{"channels":[null,"next"]}']) {
    await clientOk(work, 'notes', '--ref', ref, 'add', '-f', '-m', channels, 'v1.0.0')
    await clientOk(work, 'push', '-q', '--force', 'origin', ref)
  }
  const other = join(folder, `${params.repo}-other`)
  await clientOk(
    folder,
    'clone',
    '-q',
    join(folder, 'data', 'repositories', 'ada', `${params.repo}.git`),
    other,
  )
  const address = await clientOk(work, 'remote', 'get-url', 'origin')
  await clientOk(other, 'fetch', '-q', address, '+refs/notes/*:refs/notes/*')
  assert.equal(await clientOk(other, 'notes', '--ref', ref, 'show', head), '{"channels":[null,"next"]}')
  const { body } = await call(REFS, { as: eve, params: { ...params, ref: 'notes' } })
  assert.deepEqual([body[0].ref, body[0].object.type], [ref, 'commit'])
  await clientOk(work, 'push', '-q', 'origin', `:${ref}`)
  assert.equal((await call(REFS, { as: eve, params: { ...params, ref: 'notes' } })).status, 404)
  assert.ok(await isPublished())
})

test(`${NOTE} shows what was pushed, and nobody hears of it`, async () => {
  const { params, work, note, isPublished } = await scene()
  const heard = async () => {
    const [row] = await pool<[{ count: number }]>`
      select count(*) from forge.event where kind = 'ref.updated'`
    return row.count
  }
  const before = await heard()
  await clientOk(work, 'notes', 'add', '-m', 'well done')
  await clientOk(work, 'push', '-q', 'origin', 'refs/notes/commits')
  const { status, body } = await note()
  assert.deepEqual([status, body.message], [200, 'well done\n'])
  assert.equal(await heard(), before)
  assert.ok(await isPublished())
  const shown = await call('GET /api/v1/repos/{owner}/{repo}', { as: eve, params })
  assert.deepEqual([shown.body.default_branch, shown.body.empty], ['main', false])
})

test('notes count to the size of a repository, and leave an empty one empty', async () => {
  const { params, work } = await scene(ada)
  await call('POST /api/v1/user/repos', { as: ada, body: { name: 'bare' } })
  const bare = (await clientOk(work, 'remote', 'get-url', 'origin')).replace(params.repo, 'bare')
  const random = join(work, 'random')
  await writeFile(random, randomBytes(400_000).toString('hex'))
  await clientOk(work, 'notes', 'add', '-F', random)
  await clientOk(work, 'push', '-q', bare, 'refs/notes/commits')
  const { body } = await call('GET /api/v1/repos/{owner}/{repo}', {
    as: ada,
    params: { owner: 'ada', repo: 'bare' },
  })
  assert.deepEqual([body.empty, body.size > 100], [true, true])
})

test('the rules of protected branches and tags leave notes alone; rights do not', async () => {
  const { params, work } = await scene()
  const protect = 'POST /api/v1/repos/{owner}/{repo}/branch_protections'
  const rule = await call(protect, { as: ada, params, body: { rule_name: '**' } })
  assert.equal(rule.status, 201, JSON.stringify(rule.body))
  const tags = 'POST /api/v1/repos/{owner}/{repo}/tag_protections'
  assert.equal(
    (await call(tags, { as: ada, params, body: { name_pattern: '*', whitelist_usernames: ['ada'] } })).status,
    201,
  )
  await clientOk(work, 'notes', 'add', '-m', 'by bob')
  await clientOk(work, 'push', '-q', 'origin', 'refs/notes/commits')
  const address = new URL(await clientOk(work, 'remote', 'get-url', 'origin'))
  address.username = eve.name
  address.password = eve.token
  const refused = await client(work, 'push', address.href, 'HEAD:refs/notes/of-eve')
  assert.notEqual(refused.code, 0)
})

test('other refs stay refused, also beside notes', async () => {
  const { work, path } = await scene()
  const alone = await client(work, 'push', 'origin', 'HEAD:refs/pull/1/head')
  assert.match(alone.stderr, /remote: only branches, tags and notes .*, not refs\/pull\/1\/head/)
  await clientOk(work, 'notes', 'add', '-m', 'kept')
  const both = await client(work, 'push', 'origin', 'HEAD:refs/pull/1/head', 'refs/notes/commits')
  assert.match(both.stderr, /refs\/pull\/1\/head \(deny updating a hidden ref\)/)
  const odd = await client(work, 'push', 'origin', 'HEAD:refs/notes')
  assert.notEqual(odd.code, 0)
  assert.equal(
    await clientOk(path, 'for-each-ref', '--format=%(refname)', 'refs/pull', 'refs/notes'),
    'refs/notes/commits',
  )
})

test('a repository has a bounded number of refs of notes', async () => {
  const { work, path } = await scene()
  await clientOk(
    path,
    'fetch',
    '-q',
    work,
    ...Array.from({ length: 999 }, (_, at) => `+HEAD:refs/notes/n${at}`),
  )
  const two = await client(work, 'push', 'origin', 'HEAD:refs/notes/a', 'HEAD:refs/notes/b')
  assert.match(two.stderr, /remote: a repository can have 1000 refs of notes; delete some of its 999/)
  await clientOk(work, 'push', '-q', 'origin', 'HEAD:refs/notes/a')
  await clientOk(work, 'push', '-q', 'origin', ':refs/notes/a', 'HEAD:refs/notes/b')
  assert.notEqual((await client(work, 'push', 'origin', 'HEAD:refs/notes/c')).code, 0)
})

test(`${NOTE} of a note of 10 MB shows its first MiB, in whole characters`, async () => {
  const { work, note, head } = await scene()
  const file = join(work, 'large')
  await writeFile(file, `x${'ä'.repeat(5_000_000)}`)
  await clientOk(work, 'notes', 'add', '-F', file)
  await clientOk(work, 'push', '-q', 'origin', 'refs/notes/commits')
  const { status, body } = await note(head)
  assert.equal(status, 200)
  assert.equal(body.message, `x${'ä'.repeat(1024 * 512 - 1)}`)
})

test(`${NOTE} finds one of 20,000 notes, with the commit that wrote it`, async () => {
  const { work, head, note } = await scene()
  const line = (id: string) => `M 100644 inline ${id.slice(0, 2)}/${id.slice(2)}\ndata 5\nnote\n`
  const ids = Array.from({ length: 20_000 }, (_, at) => createHash('sha1').update(`${at}`).digest('hex'))
  const start = 'commit refs/notes/commits\ncommitter a <a@a.example> 1 +0000\ndata 1\nn\n'
  const input = [start, ...[...ids, head].map(line)].join('')
  execFileSync('git', ['fast-import', '--quiet'], { cwd: work, input })
  await clientOk(work, 'push', '-q', 'origin', 'refs/notes/commits')
  const { status, body } = await note()
  const writer = await clientOk(work, 'rev-parse', 'refs/notes/commits')
  assert.deepEqual([status, body.message, body.commit.sha], [200, 'note\n', writer])
})
