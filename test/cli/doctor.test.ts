import assert from 'node:assert/strict'
import fs, { chmod, chown, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join, relative } from 'node:path'
import { test } from 'node:test'
import { createSecrets } from '../../src/db/encryption/secrets.ts'
import { migrations } from '../../src/db/migrate/migrations.ts'
import { openPool } from '../../src/db/open.ts'
import { type Environment, openHome, runBinary, serveBinary, stopBinary } from '../support/binary.ts'
import { onlyOnce, onServer } from '../support/database.ts'
import { basic } from '../support/forge/make.ts'
import { runInProcess } from '../support/in-process.ts'
import { secretKey } from './archives.ts'

const home = await openHome()
const { dataDir } = home
const environment: Environment = {
  ...home.environment,
  ADMIN_USERNAME: 'root',
  ADMIN_PASSWORD: 'wished for it',
  SECRET_KEY: secretKey,
  PUBLIC_URL: 'https://forge.example.org/',
}

interface Found {
  check: string
  state: string
  found: string
  advice?: string
}

async function diagnose(settings: Environment = {}) {
  const { code, out, err } = await runInProcess(['doctor', '--json'], { ...environment, ...settings })
  assert.ok(out !== '', err)
  const findings: Found[] = JSON.parse(out)
  const problems = findings.filter(({ state }) => state !== 'ok')
  assert.equal(code, problems.some(({ state }) => state === 'failed') ? 1 : 0)
  for (const { check, advice } of problems) assert.ok(advice, `${check} says what to do`)
  return { findings, problems: problems.map(({ check, state, found }) => `${state} ${check}: ${found}`), err }
}

/** Whether exactly one problem is found, and this. */
async function only(expected: RegExp, settings: Environment = {}) {
  const { problems } = await diagnose(settings)
  assert.equal(problems.length, 1, problems.join('\n'))
  assert.match(problems[0] ?? '', expected)
}

test('forgehall doctor finds nothing wrong with a server that works, and prints a table', async () => {
  const server = await serveBinary(environment)
  const headers = { ...basic('root', 'wished for it'), 'content-type': 'application/json' }
  const made = await fetch(`${server.url}/api/v1/user/repos`, {
    method: 'POST',
    headers,
    body: '{"name":"one"}',
  })
  assert.equal(made.status, 201)
  const put = await fetch(`${server.url}/api/packages/root/generic/a/1/f`, {
    method: 'PUT',
    headers,
    body: 'x',
  })
  assert.equal(put.status, 201)
  const { findings, problems } = await diagnose()
  assert.deepEqual(problems, [])
  const checks = [
    ...['settings', 'node', 'git', 'data folder', 'disk', 'restore'],
    ...['database', 'schema', 'key', 'clock', 'repositories', 'packages'],
  ]
  assert.deepEqual(
    findings.map(({ check }) => check),
    checks,
  )
  const { code, out } = await runInProcess(['doctor'], environment)
  assert.equal(code, 0)
  assert.match(out, /^ok {7}repositories {2}1, all on the disk$/m)
  assert.equal(out.trim().split('\n').length, checks.length)
  await stopBinary(server)
  assert.deepEqual((await diagnose()).problems, [])
})

test('forgehall doctor finds what is missing between rows and files, in both directions', async () => {
  const repository = join(dataDir, 'repositories', 'root', 'one.git')
  await rename(repository, `${repository}.away`)
  await only(/^failed repositories: 1 of 1 have no directory: root\/one$/)
  await rename(`${repository}.away`, repository)
  await mkdir(join(dataDir, 'repositories', 'ada', 'lost.git'), { recursive: true })
  await only(/^warning repositories: 1 directories belong to no repository: ada\/lost$/)
  await rm(join(dataDir, 'repositories', 'ada'), { recursive: true })

  const [folder = ''] = (await readdir(join(dataDir, 'packages'))).filter((name) => name.length === 2)
  const [name = ''] = await readdir(join(dataDir, 'packages', folder))
  const file = join(dataDir, 'packages', folder, name)
  const other = `${folder}${'0'.repeat(62)}`
  await rename(file, join(dataDir, 'packages', folder, other))
  const { problems } = await diagnose()
  assert.deepEqual(problems, [
    `failed packages: 1 of 1 contents are missing on the disk: ${name}`,
    'warning packages: 1 contents belong to no package',
  ])
  await rename(join(dataDir, 'packages', folder, other), file)
})

test('forgehall doctor finds a wrong key, open permissions, an unfinished restore and no address', async () => {
  await only(/^failed key: the database needs [0-9a-f]{16}/, { SECRET_KEY: `${secretKey} but another` })
  await only(/^warning settings: PUBLIC_URL is not set$/, { PUBLIC_URL: '' })
  if (onServer) {
    // The embedded database sets the mode when it is opened.
    await chmod(dataDir, 0o755)
    await only(/^failed data folder: other users may enter/)
    await chmod(dataDir, 0o700)
  }
  await mkdir(join(dataDir, 'restore.unfinished'))
  await only(/^failed restore: a restore was not finished$/)
  await rm(join(dataDir, 'restore.unfinished'), { recursive: true })
})

/** The embedded database takes a second to open, and these cases open it three times each. */
const onlyOnServer = { skip: !onServer && 'the same statements as on a server' }

/** Runs a statement on the database of the home. */
async function change(statement: string) {
  const pool = openPool({ url: home.environment.DATABASE_URL ?? '', poolSize: 1 })
  await pool.unsafe(statement)
  await pool.end()
}

test('forgehall doctor tells a schema that is older, newer, too new and absent', onlyOnServer, async () => {
  const newest = migrations.at(-1)?.name ?? ''
  for (const [before, expected, after] of [
    [
      `delete from forgehall.migration where name = '${newest}'`,
      RegExp(`^warning schema: lacks migrations: ${newest}$`),
      `insert into forgehall.migration (name) values ('${newest}')`,
    ],
    [
      `insert into forgehall.migration (name) values ('9999_later')`,
      /^warning schema: has migrations of a newer version: 9999_later$/,
      `delete from forgehall.migration where name = '9999_later'`,
    ],
    [
      `insert into forgehall.required_migration (name) values ('9999_later')`,
      /^failed schema: requires migrations of a newer version: 9999_later$/,
      `delete from forgehall.required_migration where name = '9999_later'`,
    ],
    [
      'alter table forgehall.migration rename to hidden',
      /^failed schema: there is none$/,
      'alter table forgehall.hidden rename to migration',
    ],
    [
      `insert into forgehall.secret_key (id, added_at) values ('0123456789abcdef', now())`,
      /^failed key: the database needs 0123456789abcdef, which is not in SECRET_KEY/,
      `delete from forgehall.secret_key where id = '0123456789abcdef'`,
    ],
  ] as const) {
    await change(before)
    await only(expected)
    await change(after)
  }
  const both = `${secretKey},${secretKey} and another`
  const [, second] = createSecrets([secretKey, `${secretKey} and another`]).keyIds
  await change(`insert into forgehall.secret_key (id, added_at) values ('${second}', now())`)
  await only(/^warning key: 2 keys are in use$/, { SECRET_KEY: both })
  await change(`delete from forgehall.secret_key where id = '${second}'`)
})

test(
  'forgehall doctor finds a full disk, files of another user, and no git that will do',
  onlyOnce,
  async (context) => {
    const real = fs.statfs
    context.after(() => {
      fs.statfs = real
      syncBuiltinESMExports()
    })
    for (const [free, expected] of [
      [50e6, /^failed disk: 50\.0 MB free$/],
      [500e6, /^warning disk: 500 MB free$/],
    ] as const) {
      Object.assign(fs, { statfs: async () => ({ bavail: free, bsize: 1 }) })
      syncBuiltinESMExports()
      await only(expected)
    }
    fs.statfs = real
    syncBuiltinESMExports()
    if (process.getuid?.() === 0) {
      const packages = await readdir(join(dataDir, 'packages'), { recursive: true, withFileTypes: true })
      const packageFile = packages
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => relative(dataDir, join(parentPath, name)))
      assert.equal(packageFile.length, 1)
      const repository = join(dataDir, 'repositories', 'root', 'one.git')
      await chown(repository, 12_345, 12_345)
      await only(/^failed data folder: 1 files belong to another user than .*: repositories\/root\/one\.git$/)
      await chown(repository, 0, 0)
      for (const path of [join('repositories', 'root', 'one.git', 'HEAD'), 'lock', ...packageFile]) {
        await mkdir(join(dataDir, 'lock'), { recursive: true })
        await chown(join(dataDir, path), 12_345, 12_345)
        await only(RegExp(`^failed data folder: 1 files belong to another user than .*: ${path}$`))
        await chown(join(dataDir, path), 0, 0)
      }
    }
    const programs = join(dataDir, 'programs')
    await mkdir(programs)
    for (const [text, expected] of [
      [undefined, /git/],
      ['#!/bin/sh\necho git version 2.20.1\n', /2\.20\.1/],
    ] as const) {
      if (text !== undefined) await writeFile(join(programs, 'git'), text, { mode: 0o755 })
      const nowhere = { DATA_DIR: join(dataDir, 'missing'), PATH: programs }
      const { code, out } = await runBinary(['doctor'], nowhere)
      assert.equal(code, 1)
      const [, line = '', advice = ''] = /^(failed {3}git .*)\n(.*)$/m.exec(out) ?? []
      assert.match(line, expected)
      assert.match(advice, /→ install git 2\.34 or newer/)
    }
    await rm(programs, { recursive: true })
  },
)

test('forgehall doctor finds a clock that is off and a PostgreSQL that is too old', {
  skip: !onServer,
}, async () => {
  const name = new URL(home.environment.DATABASE_URL ?? '').pathname.slice(1)
  await change(`
    create schema shadow;
    alter database ${name} set search_path = shadow, pg_catalog`)
  for (const [shadow, expected] of [
    [
      `clock_timestamp() returns timestamptz return pg_catalog.now() + interval '10 s'`,
      /^warning clock: .* 1?\d\.\d s ahead/,
    ],
    [
      `clock_timestamp() returns timestamptz return pg_catalog.now() - interval '1 h'`,
      /^failed clock: .* -3\d{3}\.\d s ahead/,
    ],
    [
      `current_setting(text) returns text return
        case $1 when 'server_version_num' then '140009' else pg_catalog.current_setting($1) end`,
      /^failed database: PostgreSQL 15/,
    ],
  ] as const) {
    await change(`create or replace function shadow.${shadow}`)
    await only(expected)
    await change(`drop function shadow.${shadow.slice(0, shadow.indexOf(')') + 1)}`)
  }
  await change(`
    alter database ${name} reset search_path;
    drop schema shadow`)
})

test('forgehall doctor says that there is no database, and makes none', async () => {
  const missing = join(dataDir, 'missing')
  const { DATABASE_URL: _, ...rest } = environment
  const embedded = await runInProcess(['doctor'], { ...rest, DATA_DIR: missing })
  assert.equal(embedded.code, 1)
  assert.match(embedded.out, /^failed {3}database {5}there is none in .*\n +→ set DATA_DIR/m)
  assert.match(embedded.err, /2 of 5 checks failed/)
  const away = { ...environment, DATABASE_URL: 'postgres://nobody:secret-of-mine@127.0.0.1:1/none' }
  const server = await runInProcess(['doctor'], away)
  assert.equal(server.code, 1)
  assert.match(server.out, /^failed {3}database/m)
  assert.match(server.out, /→ check that PostgreSQL runs/)
  assert.ok(!`${server.out}${server.err}`.includes('secret-of-mine'))
  assert.ok(!(await readdir(dataDir)).includes('missing'))
})

test('forgehall doctor takes no arguments except --json', async () => {
  for (const args of [
    ['doctor', 'me'],
    ['doctor', '--xml'],
  ]) {
    const { code, err } = await runInProcess(args, environment)
    assert.equal(code, 2)
    assert.match(err, /takes no arguments except --json/)
  }
})
