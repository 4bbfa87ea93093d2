import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { startApp } from '../support/app.ts'
import { temporaryFolder } from '../support/folder.ts'

const app = await startApp()
const cwd = await temporaryFolder()

/** What happens to an attempt: it reaches the server or not, and its answer reaches the client or not. */
type Fate = 'answered' | 'answer lost' | 503 | 409

const attempts: { fate: Fate; key: string | undefined }[] = []
let fates: Fate[] = []

/** A line to the server that behaves as `fates` say, attempt by attempt. */
const line = createServer(async (req, res) => {
  const fate = fates.shift() ?? 'answered'
  const key = String(req.headers['idempotency-key'])
  attempts.push({ fate, key })
  const body = await text(req)
  if (typeof fate === 'number') return void res.writeHead(fate).end('{}')
  const headers = { 'content-type': 'application/json', 'idempotency-key': key }
  const answer = await fetch(app.url + req.url, { method: 'POST', headers, body })
  const sent = await answer.text()
  if (fate === 'answer lost') req.socket.destroy()
  else res.writeHead(answer.status).end(sent)
})
line.listen(0, '127.0.0.1')
await once(line, 'listening')
after(() => line.close())

const [, loop = ''] = /```sh\n(.*?)```/s.exec(await readFile('docs/clients.md', 'utf8')) ?? []

/** Runs the script of the page, without its pauses. */
async function run(script: string) {
  const { port } = line.address() as AddressInfo
  const here = script.replace('localhost:3000', `127.0.0.1:${port}`).replace(/sleep "[^"]+"/, 'true')
  const child = spawn('sh', ['-c', here], { cwd, stdio: ['ignore', 'pipe', 'inherit'] })
  const said = text(child.stdout)
  const [code] = await once(child, 'close')
  return { code, out: await said }
}

const posts = async () => (await app.call('GET /api/news')).body.length

test('the loop of docs/clients.md creates one post, whatever gets lost, and prints it', async () => {
  fates = [503, 'answer lost', 409, 'answer lost', 'answered']
  const { code, out } = await run(loop)
  assert.equal(code, 0, out)
  assert.equal(JSON.parse(out).title, 'The doors are open')
  assert.equal(attempts.length, 5)
  assert.equal(new Set(attempts.map(({ key }) => key)).size, 1)
  assert.equal(await posts(), 1)
})

test('the loop of docs/clients.md ends at once when the server refuses', async () => {
  attempts.length = 0
  const { code, out } = await run(loop.replace('"content":"Come in."', '"content":""'))
  assert.equal(code, 1)
  assert.deepEqual(JSON.parse(out), { error: 'title and content are required' })
  assert.equal(attempts.length, 1)
  assert.equal(await posts(), 1)
})
