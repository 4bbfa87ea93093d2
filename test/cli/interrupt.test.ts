import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type Environment, launchBinary, openHome, serveBinary, stopBinary } from '../support/binary.ts'
import { place } from '../support/database.ts'
import { temporaryFolder } from '../support/folder.ts'
import { runInProcess } from '../support/in-process.ts'

/** Somebody who takes connections and never says a word. */
async function silentAt(t: TestContext, where: number | string): Promise<Server> {
  const server = createServer((socket) => void socket.resume().on('error', () => {}))
  server.listen(where)
  await once(server, 'listening')
  t.after(() => server.close())
  return server
}

/** How a command ends that a signal met while it waited for that server. */
async function ended(server: Server, args: string[], environment: Environment, signal: NodeJS.Signals) {
  const command = launchBinary(args, environment)
  await once(server, 'connection')
  command.signal(signal)
  return await command.ended
}

test('a command that waits for its database ends with the first Ctrl-C', async (t) => {
  const server = await silentAt(t, 0)
  const address = server.address()
  assert.ok(typeof address === 'object' && address)
  const environment = { DATABASE_URL: `postgres://nobody@127.0.0.1:${address.port}/nothing` }
  assert.deepEqual(await ended(server, ['migrate'], environment, 'SIGINT'), {
    code: 130,
    out: '',
    err: 'forgehall: stopped by SIGINT\n',
  })
})

test('a server that is told to stop before it is ready does not become it', async (t) => {
  const server = await silentAt(t, 0)
  const address = server.address()
  assert.ok(typeof address === 'object' && address)
  const dataDir = await temporaryFolder(place)
  const DATABASE_URL = `postgres://nobody@127.0.0.1:${address.port}/nothing`
  const { code, out } = await ended(server, [], { DATABASE_URL, DATA_DIR: dataDir, PORT: '0' }, 'SIGTERM')
  assert.equal(code, 0)
  assert.match(out, /stopping.*\n.*stopped/)
  assert.doesNotMatch(out, /ready|listening/)
})

test('a server that is told to stop while it asks which git there is complains of nothing', async () => {
  const home = await openHome()
  const programs = join(home.dataDir, 'programs')
  await mkdir(programs)
  await writeFile(join(programs, 'git'), '#!/bin/sh\nexec sleep 60\n', { mode: 0o755 })
  const server = await serveBinary({ ...home.environment, PATH: `${programs}:${process.env.PATH}` })
  const { code, out } = await stopBinary(server)
  assert.equal(code, 0)
  assert.doesNotMatch(out, /"level":"(warn|error)"/)
})

test('a command that waits for the server in DATA_DIR ends with the first signal', async (t) => {
  const dataDir = await temporaryFolder(place)
  const server = await silentAt(t, join(dataDir, 'admin.sock'))
  assert.deepEqual(await ended(server, ['stat', 'list'], { DATA_DIR: dataDir }, 'SIGTERM'), {
    code: 143,
    out: '',
    err: 'forgehall: stopped by SIGTERM\n',
  })
})

for (const args of [['stat', 'list'], ['backup']]) {
  test(`${args.join(' ')} says so when the server in DATA_DIR ends before its answer does`, async (t) => {
    const dataDir = await temporaryFolder(place)
    const server = createServer((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf'))
    t.after(() => server.close())
    await once(server.listen(join(dataDir, 'admin.sock')), 'listening')
    const file = args[0] === 'backup' ? [join(dataDir, 'archive')] : []
    assert.deepEqual(await runInProcess([...args, ...file], { DATA_DIR: dataDir }), {
      code: 1,
      out: '',
      err: 'forgehall: the server in DATA_DIR has ended meanwhile\n',
    })
  })
}
