import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdir, writeFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { refuseInText } from '../../../src/git/http/call.ts'
import { type PushRules, type RefUpdate, refuseService } from '../../../src/git/http/http.ts'
import { flush, packet } from '../../../src/git/http/pkt-line.ts'
import { createGit } from '../../../src/git/program/git.ts'
import { listRefs } from '../../../src/git/repository/refs.ts'
import { client, gitService, okOf, post, raw, serveGit } from '../../support/git.ts'
import { until } from '../../support/wait.ts'
import { begin, makeBig, watchedIn } from '../../support/watched.ts'

const { git, repositories, folder, root } = await gitService()
const zero = '0'.repeat(40)
const { id, wants } = await makeBig(repositories)
const path = repositories.path({ owner: 'ada', name: 'big' }) ?? ''
const watched = watchedIn({ folder, root })

const command = (after: string, ref: string) =>
  Buffer.concat([packet(`${zero} ${after} ${ref}\0report-status side-band-64k`), flush])

test('a client that leaves in the middle of a clone ends git', async () => {
  const server = await watched()
  const req = begin(server.url, 'git-upload-pack')
  const res = await new Promise<IncomingMessage>((resolve) => req.on('response', resolve).end(wants))
  res.on('error', () => {})
  await new Promise((resolve) => res.once('data', resolve))
  res.pause()
  await server.started(1)
  req.destroy()
  await server.ended()
  await until('the exchange is over', () => server.exchanges.length === 1)
  assert.equal(server.exchanges[0]?.fault?.kind, 'cancelled')
})

test('a client that leaves in the middle of a push ends git and leaves nothing behind', async () => {
  const server = await watched('', {}, {}, { updated: () => assert.fail('nothing was done') })
  const req = begin(server.url, 'git-receive-pack')
  req.write(command('1'.repeat(40), 'refs/heads/x'))
  req.write(Buffer.concat([Buffer.from('PACK\0\0\0\x02\0\0\0\x05'), Buffer.from([0xb0, 0xff, 0x7f])]))
  await server.started(1)
  req.destroy()
  await server.ended()
  await until('the exchange is over', () => server.exchanges.length === 1)
  assert.equal(server.exchanges[0]?.fault?.kind, 'cancelled')
  assert.deepEqual(
    (await readdir(join(path, 'objects'))).filter((name) => /incoming|tmp/.test(name)),
    [],
  )
  assert.equal(okOf(await listRefs({ git, directory: path })).length, 1)
})

test('a client that leaves before it has sent its commands starts no git', async () => {
  const server = await watched()
  const req = begin(server.url, 'git-receive-pack')
  req.write(command(id, 'refs/heads/x').subarray(0, 30))
  await until('the request has come', () => server.heard.length === 1)
  req.destroy()
  await until('the exchange is over', () => server.exchanges.length === 1)
  assert.deepEqual(await server.pids(), [])
})

test('a push that was sent completely is carried out and reported after its client has left', async () => {
  const seen: RefUpdate[] = []
  let gone = () => {}
  const left = new Promise<void>((resolve) => {
    gone = resolve
  })
  const rules: PushRules = {
    check: async () => {
      req.destroy()
      await left
      return undefined
    },
    updated: (updates) => void seen.push(...updates),
  }
  const server = await watched('', {}, {}, rules)
  server.server.on('connection', (socket) => socket.once('close', gone))
  const req = begin(server.url, 'git-receive-pack')
  const pack = Buffer.from('5041434b0000000200000000029d08823bd8a8eab510ad6ac75c823cfd3ed31e', 'hex')
  req.end(Buffer.concat([command(id, 'refs/heads/left'), pack]))
  await until('the exchange is over', () => server.exchanges.length === 1)
  assert.deepEqual(seen, [{ ref: 'refs/heads/left', before: zero, after: id }])
})

test('a client that falls silent is ended, whichever way it was to move', async () => {
  const server = await watched('', {}, { silence: 200 })
  const reader = begin(server.url, 'git-upload-pack')
  reader.on('response', (res) => res.on('error', () => {}).pause()).end(wants)
  const writer = begin(server.url, 'git-receive-pack')
  writer.write(command('1'.repeat(40), 'refs/heads/x'))
  const starter = begin(server.url, 'git-receive-pack')
  starter.write('00')
  await until('all three exchanges are over', () => server.exchanges.length === 3)
  await server.ended()
  assert.deepEqual(
    server.exchanges.map(({ fault }) => fault?.kind),
    Array(3).fill('cancelled'),
  )
})

test('a client that falls silent is ended, however little of the answer it leaves', async () => {
  const server = await watched('', {}, { silence: 200 })
  // What a full buffer of the kernel does to the piece that comes next.
  server.server.once('request', ({ socket }) => socket.cork())
  const asked = raw(server.url, '/ada/big.git/info/refs?service=git-upload-pack')
  await assert.rejects(asked, { message: 'fetch failed' })
  await until('the exchange is over', () => server.exchanges.length === 1)
})

test('a computation of ours that is silent for longer than a client may be is no silence', async () => {
  const server = await watched('sleep 1', {}, { silence: 200 })
  const { code, stderr } = await client(folder, 'ls-remote', `${server.url}/ada/big.git`)
  assert.equal(code, 0, stderr)
})

test('when slots and queue are full, clients get 503 with Retry-After', async () => {
  const server = await watched('exec sleep 60', { refs: { atOnce: 2, waiting: 1 } })
  const address = '/ada/big.git/info/refs?service=git-upload-pack'
  const waiting = Array.from({ length: 3 }, () => {
    const req = request(server.url + address)
    req.on('error', () => {}).end()
    return req
  })
  await server.started(2)
  await until('all have come', () => server.heard.length === 3)
  const busy = await raw(server.url, address)
  assert.equal(busy.status, 503)
  assert.equal(busy.headers['retry-after'], '5')
  const { stderr } = await client(folder, 'ls-remote', `${server.url}/ada/big.git`)
  assert.match(stderr, /remote: the server is busy/)
  assert.equal((await server.pids()).length, 2)
  for (const req of waiting) req.destroy()
  await server.ended()
})

test('git is ended at its time limit, and the client gets an error', async () => {
  const server = await watched('exec sleep 60', { milliseconds: { short: 300, long: 300 } })
  const { status, body } = await raw(server.url, '/ada/big.git/info/refs?service=git-upload-pack')
  assert.deepEqual([status, body.toString()], [503, 'it took too long\n'])
  await server.ended()
})

test('without a git program the answer says so', async () => {
  const without = createGit({ home: join(folder, 'home'), command: join(folder, 'absent') })
  const { url } = await serveGit({ git: without, repositories })
  const { status, body } = await raw(url, '/ada/big.git/info/refs?service=git-upload-pack')
  assert.deepEqual([status, body.toString()], [503, 'this server has no git program\n'])
})

test('a body beyond its limit is refused, announced or not, compressed or not', async () => {
  const server = await watched('', {}, { fetch: 10_000, push: 100_000 })
  const long = Buffer.concat(Array(1000).fill(packet(`want ${id}\n`)))
  const bomb = gzipSync(Buffer.concat([long, Buffer.alloc(50_000_000)]))
  const answers = [
    await post(server.url, 'big', 'git-upload-pack', long),
    await post(server.url, 'big', 'git-upload-pack', gzipSync(long), { 'content-encoding': 'gzip' }),
    await post(server.url, 'big', 'git-upload-pack', bomb, { 'content-encoding': 'gzip' }),
  ]
  assert.deepEqual(
    answers.map(({ status }) => status),
    [413, 413, 413],
  )
  await server.ended()
})

test('rules that fail make the exchange fail, before git or after it, and nothing is left running', async () => {
  const failures: string[] = []
  const refuseIt = () => Promise.reject(new Error('no rules today'))
  for (const rules of [{ check: refuseIt }, { updated: refuseIt }]) {
    const server = await watched('', {}, {}, rules)
    const body = Buffer.concat([packet(`${id} ${zero} refs/heads/none\0report-status`), flush])
    server.failed = (error, res) => {
      failures.push(String(error))
      res.destroy()
    }
    okOf(await git.run(path, ['update-ref', 'refs/heads/none', id]))
    await assert.rejects(post(server.url, 'big', 'git-receive-pack', body))
    await server.ended()
  }
  assert.deepEqual(failures, Array(2).fill('Error: no rules today'))
  assert.ok(!okOf(await listRefs({ git, directory: path })).some(({ name }) => name === 'refs/heads/none'))
})

test('a pack beyond its limit is refused by git in words, and nothing of it stays', async () => {
  const server = await watched('', {}, { push: 100_000 }, { updated: () => assert.fail('nothing was done') })
  const work = join(folder, 'too-large')
  await client(folder, 'init', '-q', '-b', 'main', work)
  await writeFile(join(work, 'blob'), randomBytes(1_000_000))
  await client(work, 'add', '-A')
  await client(work, 'commit', '-q', '-m', 'x')
  const { code, stderr } = await client(work, 'push', `${server.url}/ada/big.git`, 'main:large')
  assert.notEqual(code, 0)
  assert.match(stderr, /pack exceeds maximum allowed size/)
  assert.deepEqual(
    (await readdir(join(path, 'objects'))).filter((name) => /incoming|tmp/.test(name)),
    [],
  )
})

test('a service is refused in words that the stock client prints', async () => {
  const server = await watched()
  server.server.removeAllListeners('request')
  server.server.on('request', (req, res) => {
    if (req.url?.startsWith('/plain')) refuseInText(res, 403, 'this repository is read-only')
    else refuseService(res, 'git-receive-pack', 'this repository is archived')
  })
  const plain = await client(path, 'push', `${server.url}/plain`, 'main')
  assert.match(plain.stderr, /remote: this repository is read-only/)
  const error = await client(path, 'push', `${server.url}/error`, 'main')
  assert.match(error.stderr, /fatal: remote error: this repository is archived/)
})
