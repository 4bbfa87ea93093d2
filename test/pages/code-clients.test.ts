import assert from 'node:assert/strict'
import { once } from 'node:events'
import { rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { nameFault } from '../../src/forge/accounts/names.ts'
import { usageOf } from '../../src/limiter/usage.ts'
import { startApp } from '../support/app.ts'
import { temporaryFolder } from '../support/folder.ts'
import { samePassword } from '../support/forge/make.ts'
import { clientOk } from '../support/git.ts'
import { gitBehind } from '../support/git-program.ts'
import { until } from '../support/wait.ts'

/** What clients that leave, read nothing or ask for odd names do to the pages of code, and to other clients. */

const folder = await temporaryFolder()
/** A git that does not read objects while there is a file `wait`. */
const slow = `case " $* " in *" cat-file "*) while [ -e "$here/wait" ]; do sleep 0.02; done; esac`
const { PATH } = process.env
process.env.PATH = await gitBehind(folder, slow)
const app = await startApp({ DATA_DIR: join(folder, 'data') })
process.env.PATH = PATH
const { call, url, make } = app
const ada = await make.person({ name: 'ada' })
assert.equal((await call('POST /api/v1/user/repos', { as: ada, body: { name: 'code' } })).status, 201)

const work = join(folder, 'work')
await clientOk(folder, 'init', '-q', '-b', 'main', work)
const large = Buffer.alloc(4 * 1024 * 1024, 'x')
await writeFile(join(work, 'large.txt'), large)
const deep = Array.from({ length: 60 }, (_, at) => `folder-with-a-long-name-${at}`).join('/')
await clientOk(work, 'add', '-A')
await clientOk(work, 'commit', '-qm', 'one')
const commit = await clientOk(work, 'rev-parse', 'HEAD')
const blob = await clientOk(work, 'rev-parse', 'HEAD:large.txt')
const entries = Array.from({ length: 1000 }, (_, at) => `100644,${blob},${deep}/file-${at}`)
for (let at = 0; at < entries.length; at += 100) {
  const more = entries.slice(at, at + 100).flatMap((entry) => ['--cacheinfo', entry])
  await clientOk(work, 'update-index', '--add', ...more)
}
await clientOk(work, 'commit', '-qm', 'two')
const second = await clientOk(work, 'rev-parse', 'HEAD')
// A branch with the beginning of the first commit's id leads to the second one.
const short = commit.slice(0, 8)
await clientOk(work, 'branch', short, second)
const address = new URL('/ada/code.git', url)
Object.assign(address, { username: 'ada', password: samePassword })
await clientOk(work, 'push', '-q', address.href, 'main', short)

const reads = usageOf('git-objects')
const raw = '/ada/code/raw/branch/main/large.txt'

/** Sends a request for a path as a client with this address, and reads nothing. */
async function ask(path: string, from: string) {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${from}\r\n\r\n`)
  return socket
}

test('GET /{owner}/{repo}/raw/{kind}/{path...} ends its work when its client leaves', async () => {
  await writeFile(join(folder, 'wait'), '')
  const sockets = await Promise.all(Array.from({ length: 20 }, () => ask(raw, '192.0.2.1')))
  await until('git reads', () => reads.running > 0 && reads.running + reads.waiting === 20)
  for (const socket of sockets) socket.destroy()
  await until('git has ended', () => reads.running + reads.waiting === 0)
  await rm(join(folder, 'wait'))
})

test('GET /{owner}/{repo}/raw/{kind}/{path...} of one client leaves slots for another', async () => {
  await writeFile(join(folder, 'wait'), '')
  const sockets = await Promise.all(Array.from({ length: 20 }, () => ask(raw, '192.0.2.1')))
  await until(
    'the first client has its slots',
    () => reads.running > 0 && reads.running + reads.waiting === 20,
  )
  const { running } = reads
  const other = await ask(raw, '192.0.2.2')
  await until('the other client has one', () => reads.running === running + 1)
  assert.equal(reads.waiting, 20 - running)
  for (const socket of [...sockets, other]) socket.destroy()
  await until('git has ended', () => reads.running + reads.waiting === 0)
  await rm(join(folder, 'wait'))
})

test('GET /{owner}/{repo}/raw/{kind}/{path...} holds no content in memory for clients that read nothing', async () => {
  const sent = usageOf('raw-files')
  const { started } = sent
  const before = process.memoryUsage().arrayBuffers
  const sockets = await Promise.all(
    Array.from({ length: 30 }, async () => (await ask(raw, '192.0.2.3')).pause()),
  )
  // The buffers of a connection may take a whole file, which is then sent already.
  await until('git has read all of them', () => sent.started === started + 30 && reads.running === 0)
  await until('memory holds none', () => process.memoryUsage().arrayBuffers - before < 10 * large.length)
  for (const socket of sockets) socket.destroy()
  await until('nothing is sent', () => sent.running === 0)
})

test('GET /{owner}/{repo}/raw/{kind}/{path...} sends a file as it is, and only its head for HEAD', async () => {
  const answer = await fetch(url + raw)
  assert.equal(answer.headers.get('content-type'), 'text/plain; charset=utf-8')
  assert.ok(Buffer.from(await answer.arrayBuffer()).equals(large))
  const head = await fetch(url + raw, { method: 'HEAD' })
  assert.equal(head.headers.get('content-length'), String(large.length))
  const etag = head.headers.get('etag') ?? ''
  assert.equal((await fetch(url + raw, { headers: { 'if-none-match': etag } })).status, 304)
})

test('a branch that is named like the beginning of an id does not hide the commit', async () => {
  const page = await (await fetch(`${url}/ada/code/commit/${short}`)).text()
  assert.ok(page.includes(commit))
  assert.ok(!page.includes(second))
  const file = await fetch(`${url}/ada/code/raw/commit/${short}/${deep}/file-1`)
  assert.equal(file.status, 404)
})

test('GET /{owner}/{repo}/src/{kind}/{path...} of a deep folder does not repeat its path for each file', async () => {
  const here = `${url}/ada/code/src/branch/main/${deep}`
  const page = await (await fetch(here)).text()
  // Each of the thousand files has its last commit; the path alone would make four million characters.
  assert.ok(page.length < 500_000, `${page.length} characters`)
  const [, link = ''] = /<a href="([^"]*file-999)">/.exec(page) ?? []
  assert.equal((await fetch(new URL(link, here))).status, 200)
  const root = await (await fetch(`${url}/ada/code/src/branch/main`)).text()
  assert.match(root, /\/ada\/code\/src\/branch\/main\/large\.txt"/)
})

test('no account can be named like the first part of a path of the server', () => {
  const first = app.app.routes.flatMap(({ path }) => /^\/([^/{]+)/.exec(path)?.[1] ?? [])
  const free = [...new Set([...first, 'livez', 'readyz', 'metrics'])].filter(
    (name) => nameFault(name) === undefined,
  )
  assert.deepEqual(free, [])
})
