import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { BodyMemory, bodyMemory, maxHeld } from '../../../src/http/pipeline/body-memory.ts'
import { startApp } from '../../support/app.ts'
import { openRaw, type RawConnection } from '../../support/raw.ts'
import { until } from '../../support/wait.ts'

/** Bodies by name over a small memory: 100 bytes in all, 40 for each client. */
function smallMemory() {
  const memory = new BodyMemory(100, 40)
  const evicted: string[] = []
  const open = (name: string, address: string, largest = 10) =>
    memory.open(address, largest, () => evicted.push(name))
  return { memory, evicted, open }
}

test('a client that exceeds its share loses its own body that has been silent for longest', () => {
  const { memory, evicted, open } = smallMemory()
  const [a, b, c, other] = [
    open('a', '192.0.2.1'),
    open('b', '192.0.2.1'),
    open('c', '192.0.2.1'),
    open('other', '192.0.2.2'),
  ]
  other.add(30)
  a.add(15)
  b.add(15)
  a.add(1)
  c.add(10)
  assert.deepEqual(evicted, ['b'])
  assert.equal(memory.held, 56)
  b.add(40)
  assert.equal(memory.held, 56, 'what is evicted takes nothing more')
})

test('all addresses of an IPv6 network are one client', () => {
  const { evicted, open } = smallMemory()
  open('a', '2001:db8::1').add(30)
  open('b', '2001:db8::2').add(30)
  open('c', '2001:db8:0:1::2').add(30)
  assert.deepEqual(evicted, ['a'])
})

test('when the total is exceeded, the client that holds most loses a body', () => {
  const { memory, evicted, open } = smallMemory()
  open('a', '192.0.2.1').add(35)
  open('b1', '192.0.2.2').add(20)
  open('b2', '192.0.2.2').add(20)
  open('c', '192.0.2.3').add(20)
  open('d', '192.0.2.4').add(10)
  assert.deepEqual(evicted, ['b1'])
  assert.equal(memory.held, 85)
})

test('a single body may be larger than the share, and the largest of all may have to go itself', () => {
  const { memory, evicted, open } = smallMemory()
  const large = open('large', '192.0.2.1', 90)
  large.add(90)
  assert.deepEqual(evicted, [])
  open('small', '192.0.2.2').add(5)
  large.add(10)
  assert.deepEqual(evicted, ['large'])
  assert.equal(memory.held, 5)
})

test('empty bodies are never evicted, and a second release does nothing', () => {
  const { memory, evicted, open } = smallMemory()
  open('empty', '192.0.2.1')
  const a = open('a', '192.0.2.1')
  const b = open('b', '192.0.2.1')
  a.add(30)
  b.add(30)
  assert.deepEqual(evicted, ['a'])
  a.release()
  b.release()
  b.release()
  assert.equal(memory.held, 0)
})

const { url, call, log } = await startApp()
const size = 1024 * 1024
/** A quarter of the body: 300 of them are more than one client may hold. */
const begun = Buffer.alloc(size / 4, ' ')

/** Posts whose last bytes are held back. */
const unfinished: RawConnection[] = []
after(() => {
  for (const { socket } of unfinished) socket.destroy()
})

async function postUnfinished(address: string, body: string | Buffer = begun): Promise<RawConnection> {
  const raw = await openRaw(url)
  unfinished.push(raw)
  raw.write(
    `POST /api/news HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${address}\r\nContent-Type: application/json\r\nContent-Length: ${size}\r\n\r\n`,
  )
  raw.write(body)
  return raw
}

const post = async (address: string, content = 'b') => {
  const headers = { 'x-forwarded-for': address }
  return (await call('POST /api/news', { headers, body: { title: 'a', content } })).status
}

test('POST /api/news is served while one address sends 300 unfinished bodies', async () => {
  const attackers = await Promise.all(
    Array.from({ length: 300 }, (_, at) => postUnfinished(`2001:db8::${at.toString(16)}`)),
  )
  const refused = () => attackers.filter((raw) => raw.received().startsWith('HTTP/1.1 503 '))
  await until('most are refused', () => refused().length >= 300 - maxHeld / 8 / begun.length)
  assert.ok(bodyMemory.held <= maxHeld / 8, String(bodyMemory.held))
  assert.match(refused()[0]?.received() ?? '', /retry-after: 1\r\n.*"error":"the server is busy"/is)
  assert.ok(log.lines().some(({ error }) => error === 'unfinished bodies hold too much memory'))
  // Others, with bodies large and small, and the very same client.
  assert.equal(await post('192.0.2.1'), 201)
  assert.equal(await post('192.0.2.1', 'x'.repeat(size - 100)), 201)
  assert.equal(await post('2001:db8:0:1::1', 'x'.repeat(100_000)), 201)
  assert.equal(await post('2001:db8::1', 'x'.repeat(100_000)), 201)
  for (const { socket } of attackers) socket.destroy()
  await until('all memory is given back', () => bodyMemory.held === 0)
})

test('POST /api/news counts what has arrived, not what was announced', async () => {
  const bodies = await Promise.all(
    Array.from({ length: 300 }, () => postUnfinished('192.0.2.9', '{"title":')),
  )
  await until('all have begun', () => bodyMemory.held >= 300 * 9)
  assert.ok(bodyMemory.held <= 300 * 16 * 1024, String(bodyMemory.held))
  assert.deepEqual(
    bodies.filter((raw) => raw.received() !== ''),
    [],
  )
  const [one] = bodies
  one?.write(`"a","content":"b"}${' '.repeat(size - 27)}`)
  await until('it is complete', () => one?.received().startsWith('HTTP/1.1 201 ') ?? false)
  for (const { socket } of bodies) socket.destroy()
  await until('all memory is given back', () => bodyMemory.held === 0)
})

test('POST /api/news in single bytes costs little more than its bytes', async () => {
  const raw = await openRaw(url)
  unfinished.push(raw)
  raw.write(
    'POST /api/news HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
  )
  raw.write('1\r\n \r\n'.repeat(100_000))
  await until('all are here', () => bodyMemory.held >= 100_000)
  assert.ok(bodyMemory.held <= 100_000 + 16 * 1024, String(bodyMemory.held))
  raw.write('1b\r\n{"title":"a","content":"b"}\r\n0\r\n\r\n')
  await until('it is complete', () => raw.received().startsWith('HTTP/1.1 201 '))
  assert.equal(bodyMemory.held, 0)
})
