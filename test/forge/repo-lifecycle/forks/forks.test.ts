import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../../../support/app.ts'
import { startBackground } from '../../../support/background.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import type { As } from '../../../support/forge/make.ts'
import { startReceiver } from '../../../support/receiver.ts'
import { until } from '../../../support/wait.ts'

const folder = await temporaryFolder()
const { call, pool, clock, make } = await startApp({ DATA_DIR: folder, WEBHOOK_ALLOWED_HOSTS: 'loopback' })
const boss = await make.admin({ name: 'boss' })
const [ada, bob, cyd] = await make.people('ada', 'bob', 'cyd')
const guild = await make.organization(ada, { name: 'guild' })
await make.organization(boss, { name: 'hidden', visibility: 'private' })

const forks = '/api/v1/repos/{owner}/{repo}/forks'
const repoPath = '/api/v1/repos/{owner}/{repo}'
const fork = (owner: string, repo: string, as: As, body: object = {}) =>
  call(`POST ${forks}`, { as, params: { owner, repo }, body })
const read = async (owner: string, repo: string, as: As = boss) =>
  (await call(`GET ${repoPath}`, { as, params: { owner, repo } })).body
const namesOf = async (owner: string, repo: string, as?: As) => {
  const listed = await call(`GET ${forks}`, { ...(as && { as }), params: { owner, repo } })
  return listed.body.map(({ full_name }: { full_name: string }) => full_name)
}
const edit = (owner: string, repo: string, body: object, as: As = boss) =>
  call(`PATCH ${repoPath}`, { as, params: { owner, repo }, body })
const remove = (owner: string, repo: string) =>
  call(`DELETE ${repoPath}`, { as: boss, params: { owner, repo } })
const directory = (owner: string, name: string) => join(folder, 'repositories', owner, `${name}.git`)
const git = (owner: string, name: string, ...args: string[]) =>
  execFileSync('git', ['-C', directory(owner, name), ...args], { encoding: 'utf8', stdio: 'pipe' }).trim()

async function make_(owner: string, name: string, as: As, more: object = {}) {
  const body = { name, auto_init: true, license: 'MIT', description: 'about', ...more }
  const path = owner === 'guild' || owner === 'hidden' ? '/api/v1/orgs/{org}/repos' : '/api/v1/user/repos'
  const made = await call(`POST ${path}`, { as, params: { org: owner }, body })
  assert.equal(made.status, 201)
  return made.body
}

const refsOf = (owner: string, name: string) =>
  git(owner, name, 'for-each-ref', '--format=%(objectname) %(refname)')

test('POST /api/v1/repos/{owner}/{repo}/forks copies branches, tags and objects, and nothing depends on the parent', async () => {
  const parent = await make_('ada', 'engine', ada)
  git('ada', 'engine', 'update-ref', 'refs/tags/v1', 'refs/heads/main')
  git('ada', 'engine', 'update-ref', 'refs/heads/side', 'refs/heads/main')
  git('ada', 'engine', 'gc', '-q')
  git('ada', 'engine', 'update-ref', 'refs/pull/1/head', 'refs/heads/main')
  const { status, body } = await fork('ada', 'engine', bob)
  assert.equal(status, 202)
  assert.deepEqual(
    [body.full_name, body.fork, body.parent.full_name, body.description, body.licenses, body.empty],
    ['bob/engine', true, 'ada/engine', 'about', ['MIT'], false],
  )
  const refs = refsOf('ada', 'engine')
    .split('\n')
    .filter((line) => !line.includes('refs/pull/'))
  assert.deepEqual(refsOf('bob', 'engine').split('\n'), refs)
  assert.equal(existsSync(join(directory('bob', 'engine'), 'objects/info/alternates')), false)
  const after = await read('ada', 'engine')
  assert.deepEqual([after.forks_count, after.fork, after.parent], [1, false, undefined])
  assert.equal((await read('bob', 'engine')).parent.id, parent.id)
  assert.equal((await remove('ada', 'engine')).status, 204)
  git('bob', 'engine', 'fsck', '--strict')
  const alone = await read('bob', 'engine')
  assert.deepEqual([alone.fork, alone.parent], [false, undefined])
})

test('POST /api/v1/repos/{owner}/{repo}/forks copies loose objects of either format, and empty repositories', async () => {
  await make_('ada', 'wide', ada, { object_format_name: 'sha256' })
  git('ada', 'wide', 'tag', '-m', 'annotated', 'v1', 'main')
  assert.equal((await fork('ada', 'wide', bob)).status, 202)
  assert.equal(refsOf('bob', 'wide'), refsOf('ada', 'wide'))
  git('bob', 'wide', 'fsck', '--strict')
  await make_('ada', 'void', ada, { auto_init: false, license: '', default_branch: 'trunk' })
  const { body } = await fork('ada', 'void', bob)
  assert.deepEqual([body.empty, body.default_branch], [true, 'trunk'])
  assert.equal(git('bob', 'void', 'symbolic-ref', 'HEAD'), 'refs/heads/trunk')
})

test('POST /api/v1/repos/{owner}/{repo}/forks refuses a second fork, a taken name, and names that none can have', async () => {
  await make_('ada', 'once', ada)
  await make_('cyd', 'once', cyd)
  assert.equal((await fork('ada', 'once', bob)).status, 202)
  const again = await fork('ada', 'once', bob, { name: 'other' })
  assert.deepEqual(
    [again.status, again.body.message],
    [409, 'repository is already forked by user [uname: bob, repo path: ada/once, fork path: bob/once]'],
  )
  const taken = await fork('ada', 'once', cyd)
  assert.deepEqual(
    [taken.status, taken.body.message],
    [409, 'repository already exists [uname: cyd, name: once]'],
  )
  assert.equal((await fork('ada', 'once', cyd, { name: 'twice' })).body.full_name, 'cyd/twice')
  for (const name of ['a b', '..', 'x'.repeat(101), 'x.git'])
    assert.equal((await fork('ada', 'once', boss, { name })).status, 422, name)
})

test('POST /api/v1/repos/{owner}/{repo}/forks makes one of two concurrent forks of an owner', async () => {
  await make_('ada', 'race', ada)
  const names = ['race', 'race', 'r1', 'r2']
  const answers = await Promise.all(names.map((name) => fork('ada', 'race', bob, { name })))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [202, 409, 409, 409])
  assert.equal((await read('ada', 'race')).forks_count, 1)
  assert.equal((await namesOf('ada', 'race')).length, 1)
})

test('POST /api/v1/repos/{owner}/{repo}/forks for an organization needs the right to create there', async () => {
  await make_('cyd', 'gift', cyd)
  const made = await fork('cyd', 'gift', ada, { organization: 'Guild' })
  assert.deepEqual([made.status, made.body.full_name], [202, 'guild/gift'])
  assert.equal((await fork('cyd', 'gift', bob, { organization: 'guild', name: 'x' })).status, 403)
  assert.equal((await fork('cyd', 'gift', bob, { organization: 'hidden' })).status, 404)
  assert.equal((await fork('cyd', 'gift', bob, { organization: 'nobody' })).status, 404)
  assert.equal((await fork('cyd', 'gift', bob, { organization: 'ada' })).status, 404)
  assert.equal((await fork('cyd', 'missing', bob)).status, 404)
  assert.equal(guild.name, 'guild')
})

test('POST /api/v1/repos/{owner}/{repo}/forks keeps private what is private', async () => {
  await make_('ada', 'secret', ada, { private: true })
  assert.equal((await fork('ada', 'secret', bob)).status, 404)
  await call('PUT /api/v1/repos/{owner}/{repo}/collaborators/{collaborator}', {
    as: ada,
    params: { owner: 'ada', repo: 'secret', collaborator: 'bob' },
    body: { permission: 'read' },
  })
  const made = await fork('ada', 'secret', bob)
  assert.deepEqual([made.status, made.body.private], [202, true])
  assert.equal((await edit('bob', 'secret', { private: false }, bob)).status, 422)
  assert.deepEqual(await namesOf('ada', 'secret', ada), [])
  assert.deepEqual(await namesOf('ada', 'secret', bob), ['bob/secret'])
  await call('DELETE /api/v1/repos/{owner}/{repo}/collaborators/{collaborator}', {
    as: ada,
    params: { owner: 'ada', repo: 'secret', collaborator: 'bob' },
  })
  const { fork: isFork, parent } = await read('bob', 'secret', bob)
  assert.deepEqual([isFork, parent], [true, undefined])
})

test('PATCH /api/v1/repos/{owner}/{repo} hides the forks of a repository that becomes private', async () => {
  await make_('ada', 'open', ada)
  await fork('ada', 'open', bob)
  await fork('bob', 'open', cyd)
  assert.equal((await edit('ada', 'open', { private: true }, ada)).status, 200)
  assert.deepEqual([(await read('bob', 'open')).private, (await read('cyd', 'open')).private], [true, true])
  assert.equal((await edit('ada', 'open', { private: false }, ada)).status, 200)
  assert.equal((await read('bob', 'open')).private, true)
  assert.equal((await edit('bob', 'open', { private: false }, bob)).status, 200)
})

test('forks stay forks when the parent is renamed or transferred, and are counted until they are deleted', async () => {
  await make_('ada', 'old', ada)
  await fork('ada', 'old', bob)
  await fork('bob', 'old', cyd)
  await edit('ada', 'old', { name: 'new' }, ada)
  assert.equal((await read('bob', 'old')).parent.full_name, 'ada/new')
  await call('POST /api/v1/repos/{owner}/{repo}/transfer', {
    as: ada,
    params: { owner: 'ada', repo: 'new' },
    body: { new_owner: 'guild' },
  })
  assert.equal((await read('bob', 'old')).parent.full_name, 'guild/new')
  assert.deepEqual(await namesOf('guild', 'new'), ['bob/old'])
  await remove('bob', 'old')
  assert.equal((await read('guild', 'new')).forks_count, 0)
  assert.equal((await read('cyd', 'old')).fork, false)
})

test('a purge of an account detaches the forks of its repositories, and uncounts its own', async () => {
  const dan = await make.person({ name: 'dan' })
  await make_('dan', 'his', dan)
  await make_('ada', 'hers', ada)
  await fork('dan', 'his', bob)
  await fork('ada', 'hers', dan)
  const purged = await call('DELETE /api/v1/admin/users/{username}', {
    as: boss,
    params: { username: 'dan' },
    query: { purge: 'true' },
  })
  assert.equal(purged.status, 204)
  assert.equal((await read('bob', 'his')).fork, false)
  assert.equal((await read('ada', 'hers')).forks_count, 0)
})

test('GET /api/v1/repos/search filters forks and sources, and sorts by the number of forks', async () => {
  await make_('ada', 'zz-source', ada)
  await fork('ada', 'zz-source', bob, { name: 'zz-fork' })
  const found = async (query: Record<string, string>) => {
    const { body } = await call('GET /api/v1/repos/search', { as: ada, query: { q: 'zz-', ...query } })
    return body.data.map(({ name }: { name: string }) => name)
  }
  assert.deepEqual(await found({ mode: 'fork' }), ['zz-fork'])
  assert.deepEqual(await found({ mode: 'source' }), ['zz-source'])
  assert.deepEqual(await found({ mode: 'mirror' }), [])
  assert.deepEqual(await found({ sort: 'forks', order: 'desc' }), ['zz-source', 'zz-fork'])
  assert.deepEqual(await found({ mode: 'collaborative', uid: String(ada.id) }), [])
  const { status } = await call('GET /api/v1/repos/search', { query: { mode: 'copies' } })
  assert.equal(status, 422)
})

test('a fork is reported to the webhooks of its parent', async () => {
  const receiver = await startReceiver()
  await make_('ada', 'hooked', ada)
  const config = { url: receiver.url, content_type: 'json' }
  await call('POST /api/v1/repos/{owner}/{repo}/hooks', {
    as: ada,
    params: { owner: 'ada', repo: 'hooked' },
    body: { type: 'gitea', config, events: ['fork'], active: true },
  })
  const background = startBackground({ pool, clock })
  try {
    await fork('ada', 'hooked', bob)
    await until('the fork is reported', () => receiver.received.length === 1)
  } finally {
    await background.stop()
  }
  const [request] = receiver.received
  assert.equal(request?.headers['x-gitea-event'], 'fork')
  const { forkee, repository, sender } = JSON.parse(request?.body ?? '')
  assert.deepEqual(
    [forkee.full_name, repository.full_name, repository.fork, repository.parent.full_name, sender.login],
    ['ada/hooked', 'bob/hooked', true, 'ada/hooked', 'bob'],
  )
})

test('a fork that was half made when the server ended is completed and counted, or forgotten', async () => {
  await make_('ada', 'halves', ada)
  await fork('ada', 'halves', bob)
  await fork('ada', 'halves', cyd, { name: 'lost' })
  // As a crash leaves it: the row announces the directory, which exists or not.
  await pool`update forge.repository set state = 'making' where name in ('halves', 'lost') and parent_id is not null`
  await rm(directory('cyd', 'lost'), { recursive: true })
  assert.equal((await read('ada', 'halves')).forks_count, 0)
  assert.deepEqual(await namesOf('ada', 'halves'), [])
  clock.tick(24 * 3_600_000)
  const running = { as: boss, params: { task: 'repair_repos' } }
  assert.equal((await call('POST /api/v1/admin/cron/{task}', running)).status, 204)
  await until('the creations are over', async () => {
    const [left] = await pool`select count(*)::integer as rows from forge.repository where state = 'making'`
    return left?.rows === 0
  })
  assert.deepEqual(await namesOf('ada', 'halves'), ['bob/halves'])
  assert.equal((await read('ada', 'halves')).forks_count, 1)
})
