import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { flush, packet } from '../../../src/git/http/pkt-line.ts'
import { usageOf } from '../../../src/limiter/usage.ts'
import { client, clientOk, gitService, okOf, post } from '../../support/git.ts'
import { until } from '../../support/wait.ts'
import { answerOf, begin, commitOf, firstHangs, makeBig, wanting, watchedIn } from '../../support/watched.ts'

const { repositories, folder, root } = await gitService()
const watched = watchedIn({ folder, root })
const { id, wants, clone } = await makeBig(repositories)
const small = commitOf([{ path: 'README.md', content: 'small\n' }])
const tip = okOf(await repositories.createWithCommit({ owner: 'ada', name: 'small' }, small))
const one = { atOnce: 1, waiting: 1 }

test('more clones and pushes than slots all finish, and never more than the slots work at a time', async () => {
  const log = join(folder, 'log')
  const counted = `case "$*" in *info-refs*) ;; *) echo + >> ${log}; sleep 0.2; git "$@"; echo - >> ${log}; exit ;; esac`
  const { url } = await watched(counted, { long: { atOnce: 2, waiting: 20 } }, { shared: 0 })
  const address = `${url}/ada/small.git`
  const works = ['a', 'b', 'c'].map((name) => join(folder, `work-${name}`))
  for (const [at, work] of works.entries()) {
    await clientOk(folder, 'clone', '-q', address, work)
    await writeFile(join(work, 'README.md'), `${at}`)
    await clientOk(work, 'commit', '-qam', 'x')
  }
  await writeFile(log, '')
  const old = ['-c', 'protocol.version=0', 'clone', '-q', '--bare', address]
  await Promise.all([
    ...Array.from({ length: 6 }, (_, at) => clientOk(folder, ...old, `clone-${at}`)),
    ...works.map((work, at) => clientOk(work, 'push', '-q', 'origin', `HEAD:branch-${at}`)),
  ])
  let running = 0
  const counts = (await readFile(log, 'utf8'))
    .trim()
    .split('\n')
    .map((sign) => {
      running += sign === '+' ? 1 : -1
      return running
    })
  assert.equal(counts.length, 2 * 9)
  assert.equal(Math.max(...counts), 2)
})

test('a client that leaves while it waits leaves room in the line', async () => {
  const { line, held } = firstHangs(folder)
  const server = await watched(line, { long: one })
  const holder = clone(server.url)
  await held()
  const leaver = clone(server.url)
  await until('both have come', () => server.heard.length === 2)
  assert.equal((await post(server.url, 'big', 'git-upload-pack', wants)).status, 503)
  leaver.destroy()
  await until('it has left', () => server.exchanges.length === 2)
  assert.equal(server.exchanges[1]?.fault?.kind, 'cancelled')
  const next = post(server.url, 'big', 'git-upload-pack', wants)
  await until('the next has come', () => server.heard.length === 4)
  holder.destroy()
  assert.equal((await next).status, 200)
  assert.equal((await server.pids()).length, 2)
  await server.ended()
})

test('time in line counts neither as silence nor as time of git', async () => {
  const work = join(folder, 'pushed')
  await clientOk(folder, 'clone', '-q', repositories.path({ owner: 'ada', name: 'small' }) ?? '', work)
  await writeFile(join(work, 'more'), randomBytes(2_000_000))
  await clientOk(work, 'add', '-A')
  await clientOk(work, 'commit', '-qm', 'x')

  const options = { long: { atOnce: 1, waiting: 2 }, milliseconds: { short: 60_000, long: 3000 } }
  const { line, held } = firstHangs(folder)
  const server = await watched(line, options, { silence: 1000 })
  const late = clone(server.url)
  await held()
  const cloned = post(server.url, 'small', 'git-upload-pack', wanting(tip))
  const pushed = client(work, 'push', `${server.url}/ada/small.git`, 'HEAD:pushed')
  assert.equal((await answerOf(late)).resume().statusCode, 503)
  assert.equal((await cloned).status, 200)
  const { code, stderr } = await pushed
  assert.equal(code, 0, stderr)
})

test('lists of refs wait behind no clone', async () => {
  const { line, held } = firstHangs(folder)
  const server = await watched(line, { long: { atOnce: 1, waiting: 0 } })
  const holder = clone(server.url)
  await held()
  for (const version of [0, 1, 2]) {
    const words = ['-c', `protocol.version=${version}`, 'ls-remote', `${server.url}/ada/big.git`]
    assert.match(await clientOk(folder, ...words), new RegExp(`${id}\tHEAD`))
  }
  const refused = await client(folder, 'clone', `${server.url}/ada/big.git`, join(folder, 'refused'))
  assert.notEqual(refused.code, 0)
  holder.destroy()
  await server.ended()
})

test('a clone whose client reads slowly lets the next in line work, and still finishes', async () => {
  const server = await watched('', { long: { ...one, running: 2 } })
  const reader = await answerOf(clone(server.url))
  reader.pause()
  const next = await post(server.url, 'big', 'git-upload-pack', wants)
  assert.equal(next.status, 200)
  let bytes = 0
  for await (const chunk of reader) bytes += chunk.length
  assert.ok(bytes > 20_000_000)
  await server.ended()
})

test('a push whose client sends slowly lets the next in line work', async () => {
  const server = await watched('', { long: { ...one, running: 2 } })
  const writer = begin(server.url, 'git-receive-pack')
  const command = `${'0'.repeat(40)} ${'1'.repeat(40)} refs/heads/x\0report-status`
  writer.write(Buffer.concat([packet(command), flush, Buffer.from('PACK\0\0\0\x02\0\0\0\x05')]))
  await server.started(1)
  assert.equal((await post(server.url, 'big', 'git-upload-pack', wants)).status, 200)
  assert.equal(server.exchanges.length, 1)
  writer.destroy()
  await server.ended()
})

test('a long run lets the next in line work when its turn is over', async () => {
  const { line, held } = firstHangs(folder)
  const server = await watched(line, { long: { ...one, running: 2 }, timeSlice: 300 })
  const holder = clone(server.url)
  await held()
  assert.equal((await post(server.url, 'big', 'git-upload-pack', wants)).status, 200)
  holder.destroy()
  await server.ended()
})

test('clones whose clients read slowly leave their places, and still finish', async () => {
  const server = await watched('', { long: { atOnce: 1, running: 2, waiting: 5 } })
  const slow = usageOf('git-slow')
  const readers = await Promise.all(
    [1, 2, 3].map(async (count) => {
      const reader = await answerOf(clone(server.url))
      reader.pause()
      await until('its run has left its place', () => slow.running === count)
      return reader
    }),
  )
  assert.equal((await post(server.url, 'big', 'git-upload-pack', wants)).status, 200)
  for (const reader of readers) {
    let bytes = 0
    for await (const chunk of reader) bytes += chunk.length
    assert.ok(bytes > 20_000_000)
  }
  await server.ended()
  await until('all have left', () => slow.running === 0)
})

test('a client that reads too slowly loses its connection, although it is never silent', async () => {
  const server = await watched('', {}, { silence: 2000 })
  const reader = await answerOf(clone(server.url))
  reader.on('error', () => {}).pause()
  const dripping = setInterval(() => reader.read(100), 50)
  await until('the exchange is over', () => server.exchanges.length === 1)
  clearInterval(dripping)
  assert.equal(server.exchanges[0]?.fault?.kind, 'cancelled')
  await server.ended()
})
