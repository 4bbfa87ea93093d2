import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { openPool } from '../../src/db/open.ts'
import {
  binary,
  type Environment,
  openHome,
  runBinary,
  type Serving,
  serveBinary,
  stopBinary,
} from '../support/binary.ts'
import { onServer } from '../support/database.ts'
import { basic } from '../support/forge/make.ts'
import { client, clientOk } from '../support/git.ts'
import { runInProcess } from '../support/in-process.ts'
import { compileQuickly } from '../support/suite/engine.ts'
import { emptyPlace, folderForBackups, membersOf, secretKey } from './archives.ts'

const password = 'wished for it'
const administrator = { ADMIN_USERNAME: 'root', ADMIN_PASSWORD: password, SECRET_KEY: secretKey }
const headers = { ...basic('root', password), 'content-type': 'application/json' }

async function served() {
  const home = await openHome()
  const environment: Environment = { ...home.environment, ...administrator }
  const server = await serveBinary(environment)
  return { environment, server }
}

async function call(server: Serving, literal: string, body?: unknown) {
  const [method = '', path] = literal.split(' ')
  const payload = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }
  const response = await fetch(server.url + path, { method, headers, ...payload })
  await response.arrayBuffer()
  return response.status
}

async function expect(status: number, answer: Promise<number>) {
  assert.equal(await answer, status)
}

/** Repositories with and without commits, a package, a secret and news. */
async function fill(server: Serving) {
  await expect(201, call(server, 'POST /api/v1/user/repos', { name: 'full', auto_init: true }))
  await expect(201, call(server, 'POST /api/v1/user/repos', { name: 'empty' }))
  await expect(201, call(server, 'PUT /api/packages/root/generic/tool/1.0/tool.bin', 'x'.repeat(300_000)))
  await expect(201, call(server, 'PUT /api/v1/user/actions/secrets/A', { data: 'what A holds' }))
  await expect(201, call(server, 'POST /api/news', { title: 'a\\b\tc', content: 'ä\n\u{1F600} \\N' }))
}

/** Address of a repository with the administrator's password. */
const address = ({ url }: Serving, name: string) =>
  `${url.replace('://', `://root:${encodeURIComponent(password)}@`)}/root/${name}.git`

async function ok(args: readonly string[], environment: Environment) {
  const ran = await runInProcess(args, environment)
  assert.equal(ran.code, 0, ran.err)
  return ran
}

/** What must be the same in a backup of what was restored; tasks are hastened by a restore. */
async function heldIn(file: string) {
  const members = await membersOf(file)
  return members
    .filter(({ name }) => !/^(?:manifest\.json|SHA256SUMS|database\/forge\.cron_task\/)/.test(name))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

const { environment, server } = await served()
await fill(server)

test('forgehall backup and restore carry everything between both kinds of databases', async () => {
  const folder = await folderForBackups()
  const file = join(folder, 'first')
  const made = await runBinary(['backup', file], environment)
  assert.equal(made.code, 0, made.err)
  assert.equal(made.err, '', 'no progress is drawn where there is no terminal')
  const first = await heldIn(file)
  for (const part of [/^packages\//, /^repositories\/\d+-0\/HEAD$/, /^database\/forge\.secret\//])
    assert.ok(
      first.some(({ name, content }) => part.test(name) && content !== ''),
      String(part),
    )
  assert.ok(!JSON.stringify(first).includes(secretKey), 'the key is not in it')
  assert.ok(!JSON.stringify(first).includes('what A holds'))

  const kinds = onServer ? (['postgresql', 'embedded', 'postgresql'] as const) : (['embedded'] as const)
  let from = file
  for (const [number, kind] of kinds.entries()) {
    const last = { ...(await emptyPlace(kind)), ...administrator }
    await ok(['restore', from], last)
    from = join(folder, `again-${number}`)
    await ok(['backup', from], last)
    assert.deepEqual(await heldIn(from), first)
  }
})

test('forgehall backup says in one sentence that its disk is full, and leaves nothing', async () => {
  const folder = await folderForBackups()
  const file = join(folder, 'file')
  const program = [
    '-c',
    'ulimit -f 1; exec "$0" "$@"',
    process.execPath,
    compileQuickly,
    binary,
    'backup',
    file,
  ]
  const full = spawnSync('sh', program, { env: { PATH: process.env.PATH, ...environment }, encoding: 'utf8' })
  assert.equal(full.stderr, `forgehall: ${file} cannot be written: EFBIG: file too large, write\n`)
  assert.equal(full.status, 1)
  assert.deepEqual(await readdir(folder), [])
})

test('forgehall backup while repositories are made, pushed to, renamed and deleted holds every file of its rows', async () => {
  const folder = await folderForBackups()
  await clientOk(folder, 'clone', '-q', address(server, 'full'), 'work')
  const work = join(folder, 'work')
  let isOver = false
  const untilOver = async (turn: (count: number) => Promise<unknown>) => {
    for (let count = 0; !isOver; count++) await turn(count)
  }
  const busy = [
    untilOver(async (count) => {
      await clientOk(work, 'commit', '-q', '--allow-empty', '-m', `${count}`)
      await clientOk(work, 'push', '-q', 'origin', 'HEAD', `HEAD:refs/heads/b${count}`)
    }),
    untilOver(async (count) => {
      await expect(201, call(server, 'POST /api/v1/user/repos', { name: `r${count}`, auto_init: true }))
      const renamed = { name: `s${count}` }
      await expect(200, call(server, `PATCH /api/v1/repos/root/r${count}`, renamed))
      if (count % 2 === 0) await expect(204, call(server, `DELETE /api/v1/repos/root/s${count}`))
    }),
    untilOver(async (count) => {
      const path = `/api/packages/root/generic/p${count}/1/f`
      await expect(201, call(server, `PUT ${path}`, `content ${count}`))
      if (count % 2 === 0) await expect(204, call(server, `DELETE ${path}`))
      await call(server, 'POST /api/v1/admin/cron/cleanup_packages')
    }),
  ]
  const files = [1, 2].map((number) => join(folder, `backup-${number}`))
  for (const file of files) {
    const made = await runBinary(['backup', file], environment)
    assert.equal(made.err, '')
    assert.equal(made.code, 0)
  }
  isOver = true
  await Promise.all(busy)
  await stopBinary(server)

  const target = await emptyPlace(onServer ? 'postgresql' : 'embedded')
  await ok(['restore', files[1] ?? ''], target)
  const second = await serveBinary({ ...target, ...administrator })
  const listed = await fetch(`${second.url}/api/v1/user/repos?limit=50`, { headers })
  const names: { name: string }[] = JSON.parse(await listed.text())
  assert.ok(['full', 'empty'].every((known) => names.some(({ name }) => name === known)))
  for (const { name } of names) {
    const cloned = await client(folder, 'clone', '-q', '--mirror', address(second, name), `clone-${name}`)
    assert.equal(cloned.code, 0, `${name}: ${cloned.stderr}`)
    await clientOk(join(folder, `clone-${name}`), 'fsck', '--strict')
  }
  const packages = await fetch(`${second.url}/api/v1/packages/root?limit=50`, { headers })
  const versions: { name: string; version: string }[] = JSON.parse(await packages.text())
  for (const { name } of versions.filter((each) => each.name.startsWith('p'))) {
    const path = `/api/packages/root/generic/${name}/1/f`
    assert.equal((await fetch(second.url + path, { headers })).status, 200, name)
  }
  const tool = await fetch(`${second.url}/api/packages/root/generic/tool/1.0/tool.bin`, { headers })
  assert.equal(await tool.text(), 'x'.repeat(300_000))
  await stopBinary(second)
  const own = await readdir(join(target.DATA_DIR, 'packages'))
  assert.ok(own.length > 0)
})

test('forgehall backup refuses an existing file, a wrong folder and nothing to back up', async () => {
  const folder = await folderForBackups()
  const home = await openHome()
  const file = join(folder, 'file')
  await ok(['backup', file], home.environment)
  const before = await readFile(file)
  for (const [args, environment, message] of [
    [['backup', file], home.environment, /exists already/],
    [['backup'], home.environment, /takes the file/],
    [['backup', '--file'], home.environment, /takes the file/],
    [['backup', join(folder, 'no', 'such')], home.environment, /ENOENT/],
    [['backup', `${file}2`], { DATA_DIR: join(folder, 'none') }, /there is no database/],
    [['restore', file, 'more'], home.environment, /takes the file/],
    [['restore', '--force', file], home.environment, /--force/],
    [['restore', `${file}2`], home.environment, /there is no file/],
    [['restore', '--verify', folder], {}, /is a folder/],
  ] as const) {
    const { code, err } = await runInProcess(args, environment)
    assert.ok(code === 1 || code === 2, `${args}`)
    assert.match(err, message)
  }
  if (onServer) {
    const bare = await emptyPlace('postgresql')
    const pool = openPool({ url: bare.DATABASE_URL ?? '', poolSize: 1 })
    await pool`drop schema site, forge, forgehall cascade`
    await pool.end()
    const { code, err } = await runInProcess(['backup', `${file}2`], bare)
    const advice = 'set DATABASE_URL to the database of the server'
    assert.deepEqual([code, err], [2, `forgehall: the database has no schema: ${advice}\n`])
  }
  assert.deepEqual(await readFile(file), before)
  assert.deepEqual(await readdir(folder), ['file'])
  assert.ok(!existsSync(join(folder, 'none')))
})
