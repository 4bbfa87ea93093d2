import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { flush, packet } from '../../../src/git/http/pkt-line.ts'
import { gitService } from '../../support/git.ts'
import { until } from '../../support/wait.ts'
import { answerOf, begin, firstHangs, makeBig, watchedIn } from '../../support/watched.ts'

const { repositories, folder, root } = await gitService()
const watched = watchedIn({ folder, root })
const { id, wants, clone } = await makeBig(repositories)
const others = Buffer.concat([packet(`want ${id} side-band-64k\n`), flush, packet('done\n')])
const long = { atOnce: 1, running: 4, waiting: 20 }

async function bytesOf(answer: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** A server with so many in line behind one that hangs, which `go` takes away. */
async function crowdOf(requests: readonly Buffer[], then = '', limits = {}) {
  const { line, held } = firstHangs(folder, then)
  const server = await watched(line, { long }, limits)
  const holder = clone(server.url)
  await held()
  const crowd: ClientRequest[] = []
  for (const request of requests) {
    crowd.push(clone(server.url, request))
    await until('it has come', () => server.heard.length === crowd.length + 1)
  }
  const answers = crowd.map(answerOf)
  const answer = async (at: number) => (await answers[at]) ?? assert.fail('there is none')
  return { server, crowd, answers, answer, go: () => holder.destroy() }
}

const filesIn = () => readdir(join(folder, 'home'))

test('fetches of the same that wait together are served by one git, and others by their own', async () => {
  const { server, answers, go } = await crowdOf([wants, wants, others, wants])
  go()
  const [first, second, other, third] = await Promise.all(
    answers.map(async (answer) => {
      const came = await answer
      return { status: came.statusCode, bytes: await bytesOf(came) }
    }),
  )
  assert.deepEqual([first?.status, other?.status], [200, 200])
  assert.ok((first?.bytes.length ?? 0) > 20_000_000)
  assert.deepEqual(second, first)
  assert.deepEqual(third, first)
  assert.equal((await server.pids()).length, 3)
  assert.deepEqual(
    (await filesIn()).filter((name) => name.startsWith('shared')),
    [],
  )
})

test('one run of git answers all lists of refs that wait together', async () => {
  const { line, held } = firstHangs(folder)
  const server = await watched(line, { refs: { atOnce: 1, waiting: 20 } })
  const list = () => {
    const req = begin(server.url, 'git-upload-pack', { 'git-protocol': 'version=2' })
    req.end(Buffer.concat([packet('command=ls-refs\n'), packet('object-format=sha1'), flush]))
    return req
  }
  const holder = list()
  await held()
  const crowd = [list(), list(), list()]
  await until('they have come', () => server.heard.length === 4)
  const answers = crowd.map(answerOf)
  holder.destroy()
  for (const answer of answers)
    assert.match(String(await bytesOf(await answer)), new RegExp(`${id} refs/heads/main`))
  assert.equal((await server.pids()).length, 2)
})

test('a fetch that arrives while git runs gets another run', async () => {
  const { server, answers, go } = await crowdOf([wants, wants])
  go()
  const came = await Promise.all(answers)
  const late = await answerOf(clone(server.url))
  for (const answer of [...came, late]) assert.ok((await bytesOf(answer)).length > 20_000_000)
  assert.equal((await server.pids()).length, 3)
})

test('a slow client delays no other, and one that leaves ends nothing for the others', async () => {
  const { server, crowd, answer, go } = await crowdOf([wants, wants, wants])
  go()
  const slow = await answer(0)
  slow.pause()
  const leaver = await answer(1)
  leaver.on('error', () => {}).pause()
  crowd[1]?.destroy()
  const whole = await bytesOf(await answer(2))
  assert.ok(whole.length > 20_000_000)
  assert.deepEqual(await bytesOf(slow), whole)
  assert.equal((await server.pids()).length, 2)
  await server.ended()
})

test('when the one that git was started for leaves, the others still get everything; when all leave, git ends', async () => {
  const { server, crowd, answer, go } = await crowdOf([wants, wants])
  go()
  const first = await answer(0)
  first.on('error', () => {})
  crowd[0]?.destroy()
  assert.ok((await bytesOf(await answer(1))).length > 20_000_000)
  assert.equal((await server.pids()).length, 2)

  const alone = await crowdOf([wants, wants], 'exec sleep 60')
  alone.answers.map((answer) => answer.catch(() => {}))
  alone.go()
  await alone.server.started(2)
  for (const req of alone.crowd) req.destroy()
  await alone.server.ended()
  await until('all are over', () => alone.server.exchanges.length === 3)
})

test('clients that have not begun to read a failed run start git themselves', async () => {
  const sign = join(folder, 'fails')
  const { server, answers, go } = await crowdOf([wants, wants, wants], `mkdir ${sign} 2>/dev/null && exit 1`)
  go()
  const [first, ...rest] = await Promise.all(answers)
  assert.equal(first?.resume().statusCode, 500)
  for (const answer of rest) assert.ok((await bytesOf(answer)).length > 20_000_000)
  assert.equal((await server.pids()).length, 4)
})

test('a large repository is not shared, and a file that grows beyond its bound ends git', async () => {
  const large = await crowdOf([wants, wants], '', { shared: 1_000_000 })
  large.go()
  for (const answer of await Promise.all(large.answers))
    assert.ok((await bytesOf(answer)).length > 20_000_000)
  assert.equal((await large.server.pids()).length, 3)

  const grows = 'case "$*" in *upload-pack*) head -c 50000000 /dev/zero; exec sleep 60; esac'
  const growing = await crowdOf([wants, wants], grows, { shared: 22_000_000 })
  growing.answers.map((answer) =>
    answer.then(
      (came) => came.on('error', () => {}).resume(),
      () => {},
    ),
  )
  growing.go()
  await growing.server.started(2)
  // Git ends for both, so both may be over before anybody looks.
  await until('the first is over', () => growing.server.exchanges.length >= 2)
  assert.equal(growing.server.exchanges[1]?.fault?.kind, 'cancelled')
  for (const req of growing.crowd) req.destroy()
  await until('all are over', () => growing.server.exchanges.length === 3)
  await growing.server.ended()
})
