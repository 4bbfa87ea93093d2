import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, readFile, truncate } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { usageOf } from '../../src/limiter/usage.ts'
import { startApp } from '../support/app.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startRepository } from '../support/forge/workflows.ts'
import { clientOk } from '../support/git.ts'
import { gitBehind } from '../support/git-program.ts'
import { until } from '../support/wait.ts'

/** Files are read by git processes that stay open: what they must not notice, and what they must. */

const folder = await temporaryFolder()
const { PATH } = process.env
process.env.PATH = await gitBehind(
  folder,
  `case "$*" in "cat-file --batch"*) echo $$ >> "$here/readers";; esac`,
)
const app = await startApp({ DATA_DIR: join(folder, 'data') })
process.env.PATH = PATH
const { call, url, make } = app
const ada = await make.person({ name: 'ada' })

const readers = async () =>
  (await readFile(join(folder, 'readers'), 'utf8').catch(() => '')).split('\n').filter(Boolean).map(Number)
const on = (name: string) => join(folder, 'data', 'repositories', 'ada', `${name}.git`)
const at = (name: string, path: string, ref = 'main') => `${url}/ada/${name}/raw/branch/${ref}/${path}`
const textOf = async (address: string) => {
  const answer = await fetch(address)
  return answer.status === 200 ? answer.text() : answer.status
}

test('GET /{owner}/{repo}/raw/{kind}/{path...} starts no process for a file that was requested before', async () => {
  const repo = await startRepository({ ...app, folder, ada }, 'many')
  await repo.push({ 'a.txt': 'a', 'b.txt': 'b' })
  assert.equal(await textOf(at('many', 'a.txt')), 'a')
  const before = await readers()
  for (let round = 0; round < 20; round++) {
    assert.equal(await textOf(at('many', 'b.txt')), 'b')
    assert.equal(await textOf(at('many', 'c.txt')), 404)
    assert.equal(await textOf(at('many', 'b.txt%0aa.txt')), 404)
  }
  assert.deepEqual(await readers(), before)
})

test('GET /{owner}/{repo}/raw/{kind}/{path...} sends what was pushed, and after git gc', async () => {
  const repo = await startRepository({ ...app, folder, ada }, 'packed')
  await repo.push({ 'a.txt': 'one' })
  assert.equal(await textOf(at('packed', 'a.txt')), 'one')
  const before = await readers()
  for (const text of ['two', 'three', 'four']) {
    await repo.push({ 'a.txt': text, [`${text}.txt`]: text })
    await clientOk(on('packed'), 'gc', '-q', '--prune=now')
    assert.equal(await textOf(at('packed', 'a.txt')), text)
    assert.equal(await textOf(at('packed', `${text}.txt`)), text)
  }
  await repo.git('push', '-q', 'origin', 'HEAD~1:refs/heads/gone')
  assert.equal(await textOf(at('packed', 'a.txt', 'gone')), 'three')
  await repo.git('push', '-q', 'origin', ':refs/heads/gone')
  assert.equal(await textOf(at('packed', 'a.txt', 'gone')), 404)
  assert.deepEqual(await readers(), before)
})

test('GET /{owner}/{repo}/raw/{kind}/{path...} is of the repository with that name now', async () => {
  const first = await startRepository({ ...app, folder, ada }, 'first')
  await first.push({ 'a.txt': 'first' })
  assert.equal(await textOf(at('first', 'a.txt')), 'first')
  const params = { owner: 'ada', repo: 'first' }
  const renamed = await call('PATCH /api/v1/repos/{owner}/{repo}', {
    params,
    as: ada,
    body: { name: 'moved' },
  })
  assert.equal(renamed.status, 200)
  assert.equal(await textOf(at('moved', 'a.txt')), 'first')
  await call('POST /api/v1/user/repos', { as: ada, body: { name: 'first' } })
  assert.equal(await textOf(at('first', 'a.txt')), 404)
  await clientOk(
    first.path,
    'push',
    '-q',
    `${new URL('/ada/first.git', url).href.replace('//', `//ada:${ada.token}@`)}`,
    'HEAD:refs/heads/other',
  )
  assert.equal(await textOf(at('first', 'a.txt')), 404)
  assert.equal(await textOf(at('first', 'a.txt', 'other')), 'first')
})

test('GET /{owner}/{repo}/raw/{kind}/{path...} of a deleted repository is 404, and its processes end', async () => {
  const again = async (text: string) => {
    const repo = await startRepository({ ...app, folder: await temporaryFolder(), ada }, 'again')
    await repo.push({ 'a.txt': text })
  }
  const before = await readers()
  await again('old')
  assert.equal(await textOf(at('again', 'a.txt')), 'old')
  const pids = (await readers()).slice(before.length)
  assert.equal(pids.length, 2)
  const params = { owner: 'ada', repo: 'again' }
  assert.equal((await call('DELETE /api/v1/repos/{owner}/{repo}', { params, as: ada })).status, 204)
  assert.equal(await textOf(at('again', 'a.txt')), 404)
  await until('the processes have ended', () => !pids.some(isAlive))
  await again('new')
  assert.equal(await textOf(at('again', 'a.txt')), 'new')
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('GET /{owner}/{repo}/raw/{kind}/{path...} works after processes are killed and clients leave', async () => {
  const repo = await startRepository({ ...app, folder, ada }, 'killed')
  await repo.push({ 'a.txt': 'a', 'b.txt': 'b' })
  const before = await readers()
  assert.equal(await textOf(at('killed', 'a.txt')), 'a')
  const pids = (await readers()).slice(before.length)
  for (const pid of pids) process.kill(pid, 'SIGSTOP')
  const reads = usageOf('git-objects')
  const { hostname, port } = new URL(url)
  const sockets = Array.from({ length: 6 }, () => connect(Number(port), hostname))
  for (const socket of sockets) {
    await once(socket, 'connect')
    socket.write('GET /ada/killed/raw/branch/main/a.txt HTTP/1.1\r\nHost: x\r\n\r\n')
  }
  await until('one waits for git', () => reads.running > 0)
  for (const socket of sockets) socket.destroy()
  for (const pid of pids) process.kill(pid, 'SIGCONT')
  assert.equal(await textOf(at('killed', 'b.txt')), 'b')
  await until('nothing is read', () => reads.running === 0)
  for (const pid of (await readers()).filter(isAlive)) process.kill(pid, 'SIGKILL')
  assert.equal(await textOf(at('killed', 'a.txt')), 'a')
})

test('GET /{owner}/{repo}/raw/{kind}/{path...} of a file that git cannot read is a 500; other files are sent', async () => {
  const repo = await startRepository({ ...app, folder, ada }, 'broken')
  await repo.push({ 'a.txt': randomBytes(20_000).toString('hex'), 'b.txt': 'whole' })
  const id = await repo.git('rev-parse', 'HEAD:a.txt')
  const object = join(on('broken'), 'objects', id.slice(0, 2), id.slice(2))
  await chmod(object, 0o600)
  // Its head can be read, its content cannot.
  await truncate(object, 10_000)
  for (let round = 0; round < 3; round++) {
    assert.equal(await textOf(at('broken', 'b.txt')), 'whole')
    assert.equal(await textOf(at('broken', 'a.txt')), 500)
  }
})
