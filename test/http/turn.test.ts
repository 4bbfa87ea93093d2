import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { after, test } from 'node:test'
import { Answer } from '../../src/http/answer.ts'
import { Flights } from '../../src/http/flight.ts'
import { createHttpServer, listen, stop } from '../../src/http/server.ts'
import { Ear } from '../../src/http/turn.ts'
import { siteApi } from '../../src/site/api.ts'
import { openRaw } from '../support/raw.ts'
import { type Held, held, turns, until } from '../support/wait.ts'

/** Path and turn of each request so far. */
const heard: { path: string | undefined; turn: number | undefined }[] = []
const flights = new Flights<string>()
const flown: Held<string>[] = []
const run = () => {
  const flight = held<string>()
  flown.push(flight)
  return flight.promise
}

/** Answers `/shared` from a shared run; reads all else and answers with its path. */
async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const turn = res instanceof Answer ? res.turn : undefined
  heard.push({ path: req.url, turn })
  if (req.url === '/shared') res.end(await flights.board('key', run, turn))
  else req.resume().once('end', () => res.end(req.url))
}

const server = createHttpServer(handle, siteApi.voice)
const port = await listen(server, 0, '127.0.0.1')
after(() => stop(server, 0))

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
const post = (path: string, length: number) =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`

/** A connection that the server has accepted and heard once. */
async function openHeard() {
  const raw = await openRaw(`http://127.0.0.1:${port}`)
  after(() => raw.socket.destroy())
  const answered = (path: string) => until(`${path} is answered`, () => raw.received().endsWith(path))
  raw.write(get('/hello'))
  await answered('/hello')
  return { ...raw, answered }
}

const turnOf = (path: string) => heard.findLast((request) => request.path === path)?.turn

test('requests that are there when a turn begins share a run that takes off with the first', async () => {
  const [one, other, late] = [await openHeard(), await openHeard(), await openHeard()]
  one.write(get('/shared'))
  other.write(get('/shared'))
  await until('both are heard', () => heard.filter(({ path }) => path === '/shared').length === 2)
  const [first, second] = heard.slice(-2)
  assert.ok(first?.turn !== undefined && first.turn === second?.turn)
  await turns()
  assert.equal(flown.length, 1)

  late.write(get('/shared'))
  await until('the third is heard', () => heard.filter(({ path }) => path === '/shared').length === 3)
  assert.ok((turnOf('/shared') ?? 0) > first.turn)
  await turns()
  assert.equal(flown.length, 1)
  flown[0]?.resolve('a text')
  await Promise.all([one.answered('a text'), other.answered('a text')])
  await until('the next run has started', () => flown.length === 2)
  flown[1]?.resolve('a later text')
  await late.answered('a later text')
})

test('of requests that come in one piece only the first is known to have been there', async () => {
  const { write, answered } = await openHeard()
  write(get('/first') + get('/second'))
  await answered('/second')
  assert.ok(turnOf('/first') !== undefined)
  assert.equal(turnOf('/second'), undefined)
  write(get('/third'))
  await answered('/third')
  assert.ok(turnOf('/third') !== undefined)
})

test('a request that comes with the end of a body before it is not known to have been there', async () => {
  const { write, answered } = await openHeard()
  write(`${post('/body', 4)}ab`)
  await until('the head is heard', () => heard.at(-1)?.path === '/body')
  await turns()
  write(`cd${get('/behind')}`)
  await answered('/behind')
  assert.ok(turnOf('/body') !== undefined)
  assert.equal(turnOf('/behind'), undefined)
  write(`${post('/whole', 2)}ab`)
  await answered('/whole')
  write(get('/after'))
  await answered('/after')
  assert.ok(turnOf('/after') !== undefined)
})

test('with more connections than the kernel tells of in one go nothing is known', async () => {
  const { write, answered } = await openHeard()
  const known: boolean[] = []
  server.once('request', (req) => {
    for (const open of [900, 901]) known.push(new Ear().hear(req, open) !== undefined)
  })
  write(get('/crowd'))
  await answered('/crowd')
  assert.deepEqual(known, [true, false])
})
