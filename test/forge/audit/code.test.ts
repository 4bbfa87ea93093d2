import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { repairPushes } from '../../../src/forge/push/recovery.ts'
import { signedIn } from '../../pages/admin/browser.ts'
import { led } from '../../pages/forms.ts'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { basic } from '../../support/forge/make.ts'
import { pullMakers } from '../../support/forge/pulls.ts'
import { clientOk } from '../../support/git.ts'
import { serveSsh } from '../../support/processes/ssh.ts'

/** Whatever moves a branch or a tag leaves one entry, by whichever way it comes. */

const folder = await temporaryFolder()
const dataDir = join(folder, 'data')
const app = await startApp({ DATA_DIR: dataDir })
const { call, pool } = app
const { begin, ...make } = app.make
const { tools } = app.app
const ssh = await serveSsh(app, dataDir)
const boss = await make.admin({ name: 'boss' })
const [ada, eve] = await make.people('ada', 'eve')
const { on, repository, admit, commit, propose } = pullMakers(app, ada)
let made = 0

interface Entry {
  actor: { name: string }
  acting_as: string
  target: { name: string }
  address: string
  request_id: string
  details: { refs: { ref: string; before: string; after: string }[] }
}

/** The entries about the code of a repository, the oldest first. */
async function pushesTo(repo: string): Promise<Entry[]> {
  const query = { action: 'code.pushed', target: `ada/${repo}` }
  return (await call('GET /api/v1/admin/audit', { as: boss, query })).body.entries.toReversed()
}

/** What the newest entry says: who moved which refs. */
async function newest(repo: string) {
  const entry = (await pushesTo(repo)).at(-1)
  assert.ok(entry)
  return [entry.actor.name, ...entry.details.refs.map(({ ref }) => ref)]
}

/** A clone with a commit that is ready to be pushed. */
async function cloned(repo: string): Promise<string> {
  const work = join(folder, `clone${++made}`)
  await clientOk(folder, 'clone', '-q', join(dataDir, 'repositories', 'ada', `${repo}.git`), work)
  await writeFile(join(work, 'pushed.txt'), 'text')
  await clientOk(work, 'add', '.')
  await clientOk(work, 'commit', '-qm', 'Add a file')
  return work
}

test('POST /{owner}/{repo}/git-receive-pack records the push with its refs and where it came from', async () => {
  const repo = await repository()
  await admit(repo, eve)
  const work = await cloned(repo)
  await clientOk(work, 'tag', 'v1')
  const authorization = `http.extraHeader=Authorization: ${basic('eve').authorization}`
  await clientOk(work, '-c', authorization, 'push', '-q', `${app.url}/ada/${repo}.git`, 'main', 'v1')
  const [entry, ...more] = await pushesTo(repo)
  assert.ok(entry)
  assert.deepEqual(more, [])
  assert.deepEqual(await newest(repo), ['eve', 'refs/heads/main', 'refs/tags/v1'])
  assert.match(entry.address, /127\.0\.0\.1/)
  assert.notEqual(entry.request_id, '')
  assert.deepEqual(
    entry.details.refs.map(({ after }) => after),
    [await clientOk(work, 'rev-parse', 'main'), await clientOk(work, 'rev-parse', 'main')],
  )
})

test('a push over SSH is recorded as one over HTTP', async () => {
  const repo = await repository()
  const work = await cloned(repo)
  const { fingerprint } = await ssh.addKey(ada)
  const pushed = await ssh.git(fingerprint, work, 'push', '-q', `git@forge.example:ada/${repo}.git`, 'main')
  assert.equal(pushed.code, 0, pushed.stderr)
  assert.deepEqual(await newest(repo), ['ada', 'refs/heads/main'])
})

test('a push that is refused leaves no entry', async () => {
  const repo = await repository()
  const work = await cloned(repo)
  const { fingerprint } = await ssh.addKey(eve)
  assert.notEqual(
    (await ssh.git(fingerprint, work, 'push', '-q', `git@forge.example:ada/${repo}.git`, 'main')).code,
    0,
  )
  assert.deepEqual(await pushesTo(repo), [])
})

test('files, branches, tags, merges and updates by API leave an entry each', async () => {
  const repo = await repository()
  await commit(repo, 'main', { 'a.txt': 'one' })
  assert.deepEqual(await newest(repo), ['ada', 'refs/heads/main'])
  const draft = { body: { new_branch_name: 'spare' } }
  assert.equal((await on(repo)('POST /branches', {}, draft)).status, 201)
  assert.deepEqual(await newest(repo), ['ada', 'refs/heads/spare'])
  const renaming = { body: { name: 'spared' } }
  assert.equal((await on(repo)('PATCH /branches/{branch...}', { branch: 'spare' }, renaming)).status, 204)
  assert.deepEqual(await newest(repo), ['ada', 'refs/heads/spared', 'refs/heads/spare'])
  assert.equal((await on(repo)('DELETE /branches/{branch...}', { branch: 'spared' })).status, 204)
  assert.deepEqual(await newest(repo), ['ada', 'refs/heads/spared'])
  assert.equal((await on(repo)('POST /tags', {}, { body: { tag_name: 'v1' } })).status, 201)
  assert.deepEqual(await newest(repo), ['ada', 'refs/tags/v1'])
  const { number: index } = await propose(repo, 'topic')
  await commit(repo, 'main', { 'b.txt': 'two' })
  assert.equal((await on(repo)('POST /pulls/{index}/update', { index })).status, 200)
  assert.deepEqual(await newest(repo), ['ada', 'refs/heads/topic'])
  assert.equal(
    (await on(repo)('POST /pulls/{index}/merge', { index }, { body: { Do: 'merge' } })).status,
    200,
  )
  assert.deepEqual(await newest(repo), ['ada', 'refs/heads/main'])
})

test('POST /repos/{owner}/{repo}/merge-upstream is recorded where it moves the branch of a fork', async () => {
  const repo = await repository()
  const fork = { name: `fork-of-${repo}` }
  assert.equal((await on(repo)('POST /forks', {}, { as: eve, body: fork })).status, 202)
  await commit(repo, 'main', { 'a.txt': 'one' })
  const merged = await on(fork.name, 'eve')('POST /merge-upstream', {}, { as: eve, body: { branch: 'main' } })
  assert.equal(merged.status, 200)
  const query = { action: 'code.pushed', target: `eve/${fork.name}` }
  const { entries } = (await call('GET /api/v1/admin/audit', { as: boss, query })).body
  assert.deepEqual(
    entries.map(({ actor }: Entry) => actor.name),
    ['eve'],
  )
})

test('through sudo the administrator is the one who pushed', async () => {
  const repo = await repository()
  const body = { content: Buffer.from('text').toString('base64') }
  const params = { owner: 'ada', repo, filepath: 'by-boss.txt' }
  const literal = 'POST /api/v1/repos/{owner}/{repo}/contents/{filepath...}'
  assert.equal((await call(literal, { as: boss, headers: { sudo: 'ada' }, params, body })).status, 201)
  const entry = (await pushesTo(repo)).at(-1)
  assert.deepEqual([entry?.actor.name, entry?.acting_as], ['boss', 'ada'])
})

test('a file that is changed in the browser is recorded', async () => {
  const repo = await repository()
  const browser = await signedIn(app, 'ada')
  await led(browser, `/ada/${repo}/_edit/main`, { content: 'text', path: 'page.txt' })
  assert.deepEqual(await newest(repo), ['ada', 'refs/heads/main'])
})

test('a push that is published after a crash is recorded with its sender and its request', async () => {
  const repo = await repository()
  const work = await cloned(repo)
  const directory = join(dataDir, 'repositories', 'ada', `${repo}.git`)
  const [{ id }] = await pool<[{ id: number }]>`select id from forge.repository where name = ${repo}`
  const [before, after] = [
    await clientOk(work, 'rev-parse', 'HEAD~'),
    await clientOk(work, 'rev-parse', 'HEAD'),
  ]
  await clientOk(work, 'push', '-q', directory, 'main')
  await pool`
    insert into forge.push_journal (repository_id, push, place, account_id, ref, before, after, begun_at, request_id)
    values (${id}, ${crypto.randomUUID()}::uuid, 1, ${ada.id}, 'refs/heads/main', ${before}, ${after},
      ${app.clock.now()}, 'request-of-the-push')`
  const later = new Date(app.clock.now().getTime() + 1)
  await repairPushes({ sql: pool, begin, tools, log: tools.log }, later, new AbortController().signal)
  const entry = (await pushesTo(repo)).at(-1)
  assert.deepEqual([entry?.actor.name, entry?.request_id, entry?.address], ['ada', 'request-of-the-push', ''])
})
