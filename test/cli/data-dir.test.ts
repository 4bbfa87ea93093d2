import assert from 'node:assert/strict'
import { chmod, chown, mkdir, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { launchBinary, openHome, runBinary, serveBinary, stopBinary } from '../support/binary.ts'
import { onServer, place } from '../support/database.ts'
import { temporaryFolder } from '../support/folder.ts'
import { basic } from '../support/forge/make.ts'
import { runInProcess } from '../support/in-process.ts'
import { until } from '../support/wait.ts'

const permissions = async (path: string) => (await stat(path)).mode & 0o777

/**
 * Everything in a folder that others than its owner have any permission for, but for what the embedded PostgreSQL makes
 * in its own folder, which has a mode of its own.
 */
async function openToOthers(folder: string): Promise<string[]> {
  const found = []
  for (const name of await readdir(folder, { recursive: true }))
    if (!name.startsWith('postgres/') && ((await permissions(join(folder, name))) & 0o077) !== 0)
      found.push(name)
  return found
}

test('only its owner can read DATA_DIR, one that was there before too, and whatever the server makes in it', async () => {
  const home = await openHome({ empty: true })
  await chmod(home.dataDir, 0o755)
  const server = await serveBinary({
    ...home.environment,
    ADMIN_USERNAME: 'root',
    ADMIN_PASSWORD: 'wished for it',
  })
  assert.equal(await permissions(home.dataDir), 0o700)
  const headers = { ...basic('root', 'wished for it'), 'content-type': 'application/json' }
  const made = await fetch(`${server.url}/api/v1/user/repos`, {
    method: 'POST',
    headers,
    body: '{"name":"secret","private":true,"auto_init":true}',
  })
  assert.equal(made.status, 201)
  const uploaded = await fetch(`${server.url}/api/packages/root/generic/p/1/file`, {
    method: 'PUT',
    headers,
    body: 'bytes',
  })
  assert.equal(uploaded.status, 201)
  const names = await readdir(home.dataDir)
  for (const name of ['repositories', 'packages', 'secret.key']) assert.ok(names.includes(name), `${names}`)
  assert.deepEqual(await openToOthers(home.dataDir), [])
  assert.equal((await stopBinary(server)).code, 0)
})

test('a DATA_DIR that is missing is made for its owner alone, with the folders above it', {
  skip: onServer && 'embedded only',
}, async () => {
  const folder = await temporaryFolder(place)
  const { code, err } = await runBinary(['migrate'], { DATA_DIR: join(folder, 'a', 'b') })
  assert.deepEqual([code, err], [0, ''])
  for (const path of ['a', 'a/b']) assert.equal(await permissions(join(folder, path)), 0o700)
})

test('root opens no database of another user and makes none in their folder: its files would lock them out', {
  skip: (onServer || process.getuid?.() !== 0) && 'embedded only, as root',
}, async () => {
  const { dataDir } = await openHome()
  const archive = join(dataDir, 'archive')
  await rm(join(dataDir, 'lock'), { recursive: true, force: true })
  await chown(join(dataDir, 'postgres'), 12_345, 12_345)
  await chown(dataDir, 12_345, 12_345)
  const before = await readdir(dataDir)
  for (const args of [[], ['admin', 'list'], ['migrate'], ['backup', archive], ['doctor']]) {
    const { code, out, err } = await runInProcess(args, { DATA_DIR: dataDir, PORT: '0' })
    assert.equal(code, 1, args.join(' '))
    assert.match(`${out}${err}`, /belongs to the user with the id 12345, .*: run this as that user/)
    assert.deepEqual(await readdir(dataDir), before)
  }
  await rm(join(dataDir, 'postgres'), { recursive: true })
  await writeFile(archive, '')
  for (const args of [['migrate'], ['restore', archive]]) {
    const { code, err } = await runInProcess(args, { DATA_DIR: dataDir })
    assert.equal(code, 1, args.join(' '))
    assert.match(err, /belongs to the user with the id 12345/)
    assert.deepEqual(await readdir(dataDir), ['archive'])
  }
})

test('a DATA_DIR that cannot be made is said in one sentence, with exit code 1', {
  skip: process.platform !== 'linux' && 'needs /proc',
}, async () => {
  const home = await openHome()
  const environment = { ...home.environment, DATA_DIR: '/proc/none/below' }
  const { code, out, err } = await runBinary([], { ...environment, PORT: '0' })
  assert.deepEqual([code, out], [1, ''])
  assert.match(err, /^forgehall: DATA_DIR cannot be used: ENOENT[^\n]*'\/proc\/none\/?.*'\n$/)
})

test('a DATA_DIR in which no lock can be made is said in one sentence, with exit code 1', {
  skip: (onServer || process.platform !== 'linux') && 'needs /proc and the embedded database',
}, async () => {
  const folder = await temporaryFolder(place)
  await symlink('/proc/self', join(folder, 'lock'))
  const { code, err } = await runBinary(['migrate'], { DATA_DIR: folder })
  assert.equal(code, 1)
  assert.match(err, /^forgehall: DATA_DIR cannot be used: E[^\n]*'[^\n]*\/lock\/1'\n$/)
})

test('a start that watches whether another machine still uses DATA_DIR ends at once when it is told to', {
  skip: onServer && 'embedded only',
}, async () => {
  const home = await openHome()
  const lock = join(home.dataDir, 'lock')
  await rm(lock, { recursive: true, force: true })
  await mkdir(lock)
  const holder = { pid: 1, host: 'elsewhere', since: '2026-01-01T00:00:00.000Z', token: 'f00' }
  await writeFile(
    join(lock, '7'),
    JSON.stringify({ ...holder, kernel: 'other', socket: true, released: false }),
  )
  const start = launchBinary([], { ...home.environment, PORT: '0' })
  await until('the start has come to the lock', async () =>
    (await readdir(lock)).some((name) => name.endsWith('.sock')),
  )
  start.signal('SIGTERM')
  const { code, out, err } = await start.ended
  assert.deepEqual([code, out, err], [0, '', ''])
  assert.deepEqual(
    (await readdir(lock)).filter((name) => !name.endsWith('.sock')),
    ['7'],
  )
})
