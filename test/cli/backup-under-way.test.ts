import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { listen, stop } from '../../src/http/listener/server.ts'
import { launchBinary, openHome, serveBinary, stopBinary } from '../support/binary.ts'
import { basic } from '../support/forge/make.ts'
import { runInProcess } from '../support/in-process.ts'
import { held } from '../support/wait.ts'
import { folderForBackups } from './archives.ts'

/** Bytes of the only content of a package. */
const contentSize = 2_000_000

const { environment } = await openHome()
await publishContent()
const folder = await folderForBackups()

async function publishContent() {
  const administrator = { ADMIN_USERNAME: 'root', ADMIN_PASSWORD: 'wished for it' }
  const server = await serveBinary({ ...environment, ...administrator })
  const headers = basic('root', 'wished for it')
  const put = { method: 'PUT', headers, body: Buffer.alloc(contentSize) }
  const { status } = await fetch(`${server.url}/api/packages/root/generic/tool/1/f`, put)
  assert.equal(status, 201)
  await stopBinary(server)
}

/** Starts a backup that reads the content from a store, and is in the middle of it until the test ends `response`. */
async function startBackup(file: string) {
  const asked = held<ServerResponse>()
  const server = createServer((_, res) => {
    res.writeHead(200, { 'content-length': contentSize }).flushHeaders()
    asked.resolve(res)
  })
  after(() => stop(server, 0))
  const S3_URL = `http://127.0.0.1:${await listen(server, 0, '127.0.0.1')}/bucket`
  const store = { S3_URL, S3_ACCESS_KEY_ID: 'a', S3_SECRET_ACCESS_KEY: 'b' }
  const backup = launchBinary(['backup', file], { ...environment, ...store })
  return { backup, response: await asked.promise }
}

const refused = (why: string) => ({ code: 2, out: '', err: `forgehall: ${why}; choose another name\n` })

test('a second backup to one name is refused while another one writes it, and works once that is killed', async () => {
  const file = join(folder, 'killed')
  const { backup } = await startBackup(file)
  const second = await runInProcess(['backup', file], (await openHome()).environment)
  assert.deepEqual(second, refused(`another backup is writing ${file}`))
  backup.signal('SIGKILL')
  await backup.ended
  assert.ok(!existsSync(file))
  assert.equal((await readdir(`${file}.partial`)).length, 2, 'the lock, and what was written')
  const third = await runInProcess(['backup', file], environment)
  assert.equal(third.code, 0, third.err)
  assert.equal((await runInProcess(['restore', '--verify', file], {})).code, 0)
  assert.deepEqual(await readdir(folder), ['killed'])
})

test('a backup that is stopped says so in one sentence and leaves nothing', async () => {
  const file = join(folder, 'stopped')
  const { backup, response } = await startBackup(file)
  backup.signal('SIGINT')
  response.end(Buffer.alloc(contentSize))
  assert.deepEqual(await backup.ended, { code: 130, out: '', err: 'forgehall: stopped by SIGINT\n' })
  assert.ok(!(await readdir(folder)).some((name) => name.startsWith('stopped')))
})

test('a backup replaces nothing that came to its name while it was made', async () => {
  const file = join(folder, 'taken')
  const { backup, response } = await startBackup(file)
  await writeFile(file, 'of somebody else')
  response.end(Buffer.alloc(contentSize))
  assert.deepEqual(await backup.ended, refused(`${file} exists already`))
  assert.equal(await readFile(file, 'utf8'), 'of somebody else')
  assert.ok(!existsSync(`${file}.partial`))
})

for (const [what, make] of [
  ['a folder with other files', (way: string) => cp(join(folder, 'precious'), way, { recursive: true })],
  ['a link to a folder', (way: string) => symlink(join(folder, 'precious'), way)],
  ['a file', (way: string) => writeFile(way, 'of somebody else')],
] as const) {
  test(`a backup removes nothing of others where it would write: ${what}`, async () => {
    const file = join(folder, what)
    await mkdir(join(folder, 'precious'), { recursive: true })
    await writeFile(join(folder, 'precious', 'letter'), 'of somebody else')
    await make(`${file}.partial`)
    const why = `forgehall: ${file}.partial is in the way; remove it, or choose another name\n`
    assert.deepEqual(await runInProcess(['backup', file], environment), { code: 2, out: '', err: why })
    assert.equal(await readFile(join(folder, 'precious', 'letter'), 'utf8'), 'of somebody else')
    assert.ok(existsSync(`${file}.partial`) && !existsSync(file))
  })
}
