import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { receive, type UploadLimits } from '../../../src/http/pipeline/upload.ts'
import { Problem } from '../../../src/http/route/problem.ts'
import { openRaw } from '../../support/raw.ts'
import { held } from '../../support/wait.ts'

/** What became of one upload: the bytes that were taken whole, or why it failed. */
type Outcome = { bytes: number; most: number } | { error: unknown }

/** A server that takes one upload, each piece in its time, and tells what became of it. */
async function taking(limits: UploadLimits, take: () => Promise<unknown> = async () => {}) {
  const outcome = held<Outcome>()
  const server = createServer(async (req, res) => {
    let [bytes, most, now] = [0, 0, 0]
    try {
      await receive({ req, res }, limits, async (chunk) => {
        most = Math.max(most, ++now)
        await take()
        now--
        bytes += chunk.length
      })
      outcome.resolve({ bytes, most })
    } catch (error) {
      outcome.resolve({ error })
    }
    res.writeHead(200, { Connection: 'close' }).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => server.closeAllConnections())
  after(() => server.close())
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, outcome: outcome.promise }
}
const put = (url: string, size: number) => fetch(url, { method: 'PUT', body: Buffer.alloc(size) })
const usual = { bytes: 10_000_000, silence: 10_000 }
const status = (outcome: Outcome) =>
  'error' in outcome && outcome.error instanceof Problem ? outcome.error.status : 0

test('an upload has been taken when its last piece has, however long that takes; one piece at a time', async () => {
  for (const size of [0, 1, 1000, 65_536, 1_000_000]) {
    const { url, outcome } = await taking(usual, () => pause(2))
    await put(url, size)
    assert.deepEqual(await outcome, { bytes: size, most: size === 0 ? 0 : 1 })
  }
})

test('what the taker rejects with is what the upload fails with, for its last piece too', async () => {
  for (const size of [1, 1_000_000]) {
    let pieces = 0
    const { url, outcome } = await taking(usual, async () => {
      await pause(2)
      if (size === 1 || ++pieces === 3) throw new Error('no place')
    })
    await put(url, size).catch(() => {})
    const ended = await outcome
    assert.ok('error' in ended && ended.error instanceof Error && ended.error.message === 'no place')
  }
})

test('an upload that is too large, compressed, broken off or silent is refused', async () => {
  const large = await taking({ ...usual, bytes: 100 })
  await put(large.url, 101).catch(() => {})
  assert.equal(status(await large.outcome), 413)

  const packed = await taking(usual)
  await fetch(packed.url, { method: 'PUT', body: 'x', headers: { 'content-encoding': 'br' } })
  assert.equal(status(await packed.outcome), 415)

  const broken = await taking(usual)
  const raw = await openRaw(broken.url)
  raw.write('PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n12345')
  await pause(20)
  raw.socket.destroy()
  assert.equal(status(await broken.outcome), 400)

  const silent = await taking({ ...usual, silence: 30 })
  const waiting = await openRaw(silent.url)
  waiting.write('PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n12345')
  assert.equal(status(await silent.outcome), 408)
  waiting.socket.destroy()
})
