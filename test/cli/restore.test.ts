import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, constants, createWriteStream, existsSync, openSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { openDatabase } from '../../src/db/database.ts'
import { migrate } from '../../src/db/migrate/migrate.ts'
import { migrations } from '../../src/db/migrate/migrations.ts'
import { openPool } from '../../src/db/open.ts'
import {
  type Environment,
  launchBinary,
  openHome,
  runBinary,
  serveBinary,
  stopBinary,
} from '../support/binary.ts'
import { onlyOnce, onServer } from '../support/database.ts'
import { basic } from '../support/forge/make.ts'
import { runInProcess } from '../support/in-process.ts'
import { until, untilLocked } from '../support/wait.ts'
import {
  emptyPlace,
  folderForBackups,
  membersOf,
  secretKey,
  type TarMember,
  writeArchiveOf,
} from './archives.ts'

const kind = onServer ? 'postgresql' : 'embedded'
const administrator = { ADMIN_USERNAME: 'root', ADMIN_PASSWORD: 'wished for it', SECRET_KEY: secretKey }

const folder = await folderForBackups()
const good = join(folder, 'good')
await makeBackup()
const members = await membersOf(good)

async function makeBackup() {
  const place = { ...(await emptyPlace(kind)), ...administrator }
  const server = await serveBinary(place)
  const made = await fetch(`${server.url}/api/v1/user/repos`, {
    method: 'POST',
    headers: { ...basic('root', 'wished for it'), 'content-type': 'application/json' },
    body: '{"name":"one","auto_init":true}',
  })
  assert.equal(made.status, 201)
  const content = 'y'.repeat(2_000_000)
  const put = await fetch(`${server.url}/api/packages/root/generic/tool/1/f`, {
    method: 'PUT',
    headers: basic('root', 'wished for it'),
    body: content,
  })
  assert.equal(put.status, 201)
  await stopBinary(server)
  const { code, err } = await runInProcess(['backup', good], place)
  assert.equal(code, 0, err)
}

const edited = (name: RegExp, edit: (member: TarMember) => TarMember[]) =>
  members.flatMap((member) => (name.test(member.name) ? edit(member) : [member]))

/** Archives that no backup writes, made of one that does. */
const hostile: readonly (readonly [what: string, members: () => TarMember[], message: RegExp])[] = [
  ['a path out of the folder', () => extra('repositories/1-0/../../../evil'), /does not belong in a backup/],
  ['an absolute path', () => extra('/tmp/evil'), /does not belong in a backup/],
  ['a path with a zero byte in a ref', () => extra('repositories/1-0/refs/..'), /does not belong/],
  [
    'objects of others',
    () => extra('repositories/1-0/objects/info/alternates'),
    /does not belong in a backup/,
  ],
  ['a hook', () => extra('repositories/1-0/hooks/post-update'), /does not belong in a backup/],
  [
    'a symbolic link',
    () => extra('repositories/1-0/refs/heads/x', { type: 'symlink', linkname: '/etc/passwd' }),
    /does not belong in a backup/,
  ],
  [
    'a header that is larger than memory',
    () => extra('a-large-header', { typeflag: 'x', size: 8 ** 9 }),
    /is damaged, incomplete or not a backup/,
  ],
  ['a folder', () => extra('repositories/7-0/', { type: 'directory' }), /does not belong in a backup/],
  [
    'another content',
    () => edited(/forge\.account\//, (m) => [{ ...m, content: m.content.replace('root', 'rood') }]),
    /checksums do not match: "database\/forge.account\/000000" is damaged/,
  ],
  ['no end', () => members.slice(0, -1), /incomplete/],
  ['a member less', () => edited(/objects\/pack\/.*idx$/, () => []), /a member is missing/],
  ['no manifest', () => members.slice(1), /does not begin with a manifest/],
  ['no contents', () => summed(edited(/^contents\.json$/, () => [])), /lacks contents\.json/],
  ['no sequences', () => summed(edited(/sequences\.json$/, () => [])), /lacks database\/sequences\.json/],
  ['no rows of a table', () => summed(edited(/forge\.team\//, () => [])), /has no rows of forge\.team/],
  [
    'rows without their first part',
    () => summed(renamed(/forge\.team\//, /0$/, '1')),
    /forge\.team out of place/,
  ],
  [
    'rows of an unknown table',
    () => summed(renamed(/forge\.team\//, 'team', 'pets')),
    /forge\.pets out of place/,
  ],
  ['a repository without HEAD', () => summed(edited(/\/HEAD$/, () => [])), /lacks the repository 1-0/],
  [
    'a package twice',
    () => summed(edited(/^packages\//, (m) => [m, m])),
    /has "packages\/[0-9a-f]{64}" twice/,
  ],
  ['two schemas', () => summed(edited(/schema\.json$/, (m) => [m, m])), /has "database\/schema.json" twice/],
  [
    'a table that is not ours',
    () => extra('database/pg_catalog.pg_class/000000'),
    /rows of pg_catalog.pg_class/,
  ],
  ['the same file twice', () => edited(/HEAD$/, (member) => [member, member]), /HEAD" twice/],
  ['a second manifest', () => summed(edited(/^manifest/, (m) => [m, m])), /has "manifest.json" twice/],
  [
    'a version that a terminal obeys',
    () => summed(edited(/^manifest/, (m) => [replaced(m, '"version":"', '"version":"\\u001b[2J\\u202e')])),
    /manifest\.json of the backup is damaged: .*\\u\{1b\}\[2J\\u\{202e\}/,
  ],
  [
    'a name that a terminal obeys',
    () => extra('repositories/\u001b[2J\u009b\u202e'),
    /"repositories\/\\u001b\[2J.*does not belong in a backup/,
  ],
  ['another format', () => edited(/^manifest/, (m) => [replaced(m, '"format":1', '"format":2')]), /format 2/],
  [
    'columns that are statements',
    () => edited(/schema\.json$/, (m) => [replaced(m, '"created_at"', '"created_at) from program \'x\'--"')]),
    /schema.json of the backup is damaged/,
  ],
]

/** Archives whose checksums nobody has looked at when the restore sees what is wrong. */
const unfit: readonly (readonly [what: string, members: () => TarMember[], message: RegExp])[] = [
  ['a path out of the folder', () => extra('repositories/1-0/../../../evil'), /does not belong in a backup/],
  [
    'a size beyond the disk',
    () => extra('repositories/1-0/objects/pack/x.pack', { size: 8 ** 11 - 1 }),
    /disk of DATA_DIR is too small|damaged, incomplete/,
  ],
  [
    'a newer schema',
    () => edited(/schema\.json$/, (m) => [replaced(m, '"0002_forge"', '"0002_forge","9999_later"')]),
    /schema 9999_later of a newer version/,
  ],
  [
    'another content',
    () => edited(/forge\.account\//, (m) => [{ ...m, content: m.content.replace('root', 'rood') }]),
    /checksums do not match/,
  ],
]

/**
 * Archives whose checksums are right, and which the database refuses at one step after another. What it says may quote
 * them.
 */
const refused: readonly (readonly [what: string, members: () => TarMember[], message: RegExp])[] = [
  [
    'a value that a terminal obeys',
    () =>
      summed(edited(/forge\.account\//, (m) => [{ ...m, content: m.content.replace(/^-?\d+/, '\x1b[2J') }])),
    /: .*"\\u\{1b\}\[2J"/,
  ],
  [
    'many rows that have too few columns',
    () => summed(edited(/forge\.account\//, (m) => [{ ...m, content: 'x\n'.repeat(3_000_000) }])),
    /(?:cannot be stored|PostgreSQL reports): /,
  ],
  [
    'a row that refers to nothing',
    () => summed(edited(/forge\.account\//, (m) => [{ ...m, content: '' }])),
    /: .*violates foreign key/,
  ],
  [
    'a number beyond the sequence',
    () =>
      summed(
        edited(/sequences\.json$/, (m) => [
          { ...m, content: m.content.replace(/"value":"\d+"/, `"value":"${'9'.repeat(19)}"`) },
        ]),
      ),
    /: .*out of range/,
  ],
]

/** With the checksums that belong to them. */
function summed(changed: readonly TarMember[]): TarMember[] {
  const others = changed.filter(({ name }) => name !== 'SHA256SUMS')
  const sumOf = ({ content }: TarMember) => createHash('sha256').update(content, 'latin1').digest('hex')
  const content = others.map((member) => `${sumOf(member)}  ${member.name}\n`).join('')
  return [...others, { name: 'SHA256SUMS', content }]
}

const renamed = (name: RegExp, from: RegExp | string, to: string) =>
  edited(name, (member) => [{ ...member, name: member.name.replace(from, to) }])

function extra(name: string, rest: Partial<TarMember> = {}): TarMember[] {
  const last = members.findIndex((member) => member.name === 'contents.json')
  return members.toSpliced(last, 0, { name, content: '', ...rest })
}

function replaced(member: TarMember, from: string, to: string): TarMember {
  assert.ok(member.content.includes(from), `${member.name} has ${from}`)
  return { ...member, content: member.content.replace(from, to) }
}

test('forgehall restore --verify refuses archives that no backup writes', onlyOnce, async () => {
  for (const [number, [what, made, message]] of hostile.entries()) {
    const file = join(folder, `hostile-${number}`)
    await writeArchiveOf(file, made())
    const { code, err } = await runInProcess(['restore', '--verify', file], {})
    assert.equal(code, 1, what)
    assert.match(err, message, what)
    assert.equal(err.trim().split('\n').length, 1, err)
  }
})

/** What a restore has left, but for the folder in which it has held its lock. */
const leftIn = async (dataDir: string) => (await readdir(dataDir)).filter((name) => name !== 'lock')

test('forgehall restore ends when the database refuses what is in an archive, and leaves nothing', async () => {
  const target = await emptyPlace(kind)
  for (const [number, [what, made, message]] of refused.entries()) {
    const file = join(folder, `refused-${number}`)
    await writeArchiveOf(file, made())
    assert.equal((await runInProcess(['restore', '--verify', file], {})).code, 0, what)
    const { code, err } = await runInProcess(['restore', file], target)
    assert.equal(code, 1, what)
    assert.match(err, message, what)
    assert.equal(err.trim().split('\n').length, 1, err)
    assert.deepEqual(await leftIn(target.DATA_DIR), [], what)
  }
})

test(
  'forgehall restore takes over no configuration that has git run programs or read other files',
  onlyOnce,
  async () => {
    const target = await emptyPlace(kind)
    const file = join(folder, 'configured')
    const settings = '[core]\n\tfsmonitor = /bin/touch\n[include]\n\tpath = /etc/passwd\n'
    const member = (m: TarMember) => [{ ...m, content: m.content + settings }]
    await writeArchiveOf(file, summed(edited(/^repositories\/.*\/config$/, member)))
    const { code, err } = await runInProcess(['restore', file], target)
    assert.equal(code, 0, err)
    assert.equal(
      await readFile(join(target.DATA_DIR, 'repositories', 'root', 'one.git', 'config'), 'utf8'),
      '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n',
    )
  },
)

test('forgehall restore brings a backup with an earlier schema up to date', async () => {
  const source = await emptyPlace(kind)
  await makeEarlier(source)
  const file = join(folder, 'earlier')
  assert.equal((await runInProcess(['backup', file], source)).code, 0)
  const target = await emptyPlace(kind)
  const { code, err } = await runInProcess(['restore', file], target)
  assert.equal(code, 0, err)
  const again = join(folder, 'up-to-date')
  assert.equal((await runInProcess(['backup', again], target)).code, 0)
  const schemaIn = (all: readonly TarMember[]) =>
    all.find(({ name }) => name.endsWith('schema.json'))?.content
  assert.notEqual(schemaIn(await membersOf(file)), schemaIn(members))
  assert.equal(schemaIn(await membersOf(again)), schemaIn(members))
})

/** Creates a database that lacks the last migration. A new embedded one has them all, so its schemas go first. */
async function makeEarlier({ DATABASE_URL: url, DATA_DIR: dataDir }: Awaited<ReturnType<typeof emptyPlace>>) {
  const { pool, opened, close } = await openDatabase({ url, dataDir, poolSize: 1 })
  await opened
  const schemas = await pool<{ name: string }[]>`
    select nspname as name
    from pg_namespace
    where nspname !~ '^pg_' and nspname not in ('information_schema', 'public')`
  for (const { name } of schemas) await pool`drop schema ${pool(name)} cascade`
  await migrate(pool, migrations.slice(0, -1))
  await close(1)
}

test('forgehall restore says in a sentence of its own that there is no such file', async () => {
  const target = await emptyPlace('embedded')
  for (const name of ['missing', 'good/below']) {
    const file = join(folder, name)
    assert.deepEqual(await runInProcess(['restore', file], target), {
      code: 2,
      out: '',
      err: `forgehall: there is no file ${file}\n`,
    })
  }
  assert.ok(!existsSync(target.DATA_DIR))
})

test('forgehall restore leaves nothing of an archive that it refuses', async () => {
  const { SECRET_KEY: _, ...target } = await emptyPlace(kind)
  for (const [number, [what, made, message]] of unfit.entries()) {
    const file = join(folder, `unfit-${number}`)
    await writeArchiveOf(file, made())
    const { code, err } = await runInProcess(['restore', file], target)
    assert.equal(code, 1, what)
    assert.match(err, message, what)
    assert.equal(err.trim().split('\n').length, 1, err)
    assert.deepEqual(await leftIn(target.DATA_DIR), [], what)
  }
  assert.ok(!existsSync(join(folder, '..', 'evil')))
  const { code, err } = await runInProcess(['restore', good], target)
  assert.equal(code, 0, err)
  assert.match(err, /does not have the key [0-9a-f]{16}, which encrypts secrets/)
  const again = await runInProcess(['restore', good], target)
  assert.equal(again.code, 1)
  assert.match(again.err, /the database is not empty/)
})

test('forgehall restore --verify reads every byte and changes nothing', onlyOnce, async () => {
  const environment = { DATA_DIR: join(folder, 'untouched') }
  const verified = await runInProcess(['restore', '--verify', good], environment)
  assert.equal(verified.code, 0, verified.err)
  assert.match(verified.out, /complete and undamaged: made .* by Forgehall/)
  const bytes = await readFile(good)
  const file = join(folder, 'damaged')
  const places = [0, 11, ...[0.2, 0.5, 0.9, 0.999].map((part) => contentFrom(bytes, part * bytes.length))]
  for (const at of places) {
    const flipped = Buffer.from(bytes)
    flipped.writeUInt8(bytes.readUInt8(at) ^ 0xff, at)
    await writeFile(file, flipped)
    const { code, err } = await runInProcess(['restore', '--verify', file], environment)
    assert.equal(code, 1, `byte ${at}`)
    assert.match(err, /damaged|incomplete|not a backup|checksum/i)
    if (at === 0) continue
    await writeFile(file, bytes.subarray(0, at))
    const cut = await runInProcess(['restore', '--verify', file], environment)
    assert.equal(cut.code, 1, `cut at ${at}`)
    assert.match(cut.err, /damaged|incomplete|not a backup/)
  }
  assert.ok(!existsSync(environment.DATA_DIR))
})

/** The first byte from `at` on behind a header of gzip, whose time and system no checksum covers (RFC 1952, 2.3). */
function contentFrom(bytes: Buffer, at: number): number {
  const header = bytes.lastIndexOf(Buffer.from([0x1f, 0x8b, 8]), at)
  return Math.max(Math.floor(at), header + 10)
}

test('a terminal shows how far it is, until it is done', async () => {
  const drawn: string[] = []
  const draw = (text: string) => drawn.push(text)
  const { code, err } = await runInProcess(['restore', '--verify', good], {}, { draw })
  assert.equal(code, 0, err)
  assert.match(drawn[0] ?? '', /^\[#*\.*\] \d+ % {2}[\d.]+ k?B {2}[\d.]+ [kM]?B\/s$/)
  assert.equal(drawn.at(-1), '')
})

test('forgehall restore refuses a DATA_DIR that holds repositories', async () => {
  const target = await emptyPlace(kind)
  const kept = join(target.DATA_DIR, 'repositories', 'ada', 'one.git')
  await mkdir(kept, { recursive: true })
  const { code, err } = await runInProcess(['restore', good], target)
  assert.equal(code, 1)
  assert.match(err, /repositories is not empty/)
  assert.ok(existsSync(kept))
})

/** Starts a restore of a file that pauses after `begin` bytes, or before its last ones, and waits until it writes. */
async function startRestore(target: Environment & { DATA_DIR: string }, begin = -100) {
  const slow = join(folder, `slow-${randomUUID()}`)
  execFileSync('mkfifo', [slow])
  const running = launchBinary(['restore', slow], target)
  after(() => {
    running.signal('SIGKILL')
    // Whoever still waits for a reader to open it goes on.
    closeSync(openSync(slow, constants.O_RDONLY | constants.O_NONBLOCK))
  })
  const bytes = await readFile(good)
  const writer = createWriteStream(slow)
  writer.on('error', () => {})
  writer.write(bytes.subarray(0, begin))
  await until('files are being restored', () =>
    existsSync(join(target.DATA_DIR, 'restore.unfinished', 'packages')),
  )
  return { running, writer, rest: bytes.subarray(begin) }
}

test('a restore that is stopped says so in one sentence and leaves nothing', async () => {
  const target = await emptyPlace(kind)
  const { running, writer, rest } = await startRestore(target)
  running.signal('SIGHUP')
  writer.end(rest)
  assert.deepEqual(await running.ended, { code: 129, out: '', err: 'forgehall: stopped by SIGHUP\n' })
  assert.deepEqual(await leftIn(target.DATA_DIR), [])
})

test('a restore that gets no more bytes ends at the first signal', async () => {
  const target = await emptyPlace(kind)
  const { running, writer } = await startRestore(target)
  // What it has not read yet would be there for its next read.
  await until('it waits for more', () => writer.writableLength === 0)
  await pause(300)
  running.signal('SIGTERM')
  assert.deepEqual(await running.ended, { code: 143, out: '', err: 'forgehall: stopped by SIGTERM\n' })
  writer.destroy()
  assert.deepEqual(await leftIn(target.DATA_DIR), [])
})

test('a restore that waits for the database ends at the first signal', { skip: !onServer }, async () => {
  const { environment } = await openHome()
  const other = openPool({ url: environment.DATABASE_URL ?? '', poolSize: 2 })
  const ending = new AbortController()
  const holding = other.begin(async (sql) => {
    await sql`select from forge.account`
    await once(ending.signal, 'abort')
  })
  const running = launchBinary(['restore', good], environment)
  await untilLocked(other, 'it waits for the lock of a table')
  running.signal('SIGTERM')
  assert.deepEqual(await running.ended, { code: 143, out: '', err: 'forgehall: stopped by SIGTERM\n' })
  await until('the database has noticed', async () => {
    const [row] = await other<{ count: number }[]>`
      select count(*) as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    return row?.count === 0
  })
  ending.abort()
  await holding
  await other.end()
})

test('a restore keeps its database from others, however long the file takes', {
  skip: !onServer,
}, async () => {
  const target = await emptyPlace(kind)
  const other = openPool({ url: target.DATABASE_URL ?? '', poolSize: 1 })
  // As docs/scaling.md sets it for the role, behind a pooler.
  await other`do 'begin execute format(''alter database %I set idle_in_transaction_session_timeout = 1000'', current_database()); end'`
  // It reads packages before the rows.
  const { running, writer, rest } = await startRestore(target, 1000)
  await until('the transaction has been idle for longer', async () => {
    const [row] = await other<{ isOver: boolean }[]>`
      select coalesce(bool_and(state = 'idle in transaction' and clock_timestamp() - state_change > '1500 ms'), true)
        as "isOver"
      from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`
    return row?.isOver
  })
  const second = await runInProcess(['restore', good], { ...target, DATA_DIR: `${target.DATA_DIR}-2` })
  assert.match(second.err, /another restore or a starting server is using this database/)
  assert.equal(second.code, 1)
  writer.end(rest)
  const { code, err } = await running.ended
  assert.equal(code, 0, err)
  await other.end()
})

test('a restore that is killed is refused by the server, and can be repeated', async () => {
  const target = { ...(await emptyPlace(kind)), ...administrator }
  const { running: killed, writer } = await startRestore(target)
  killed.signal('SIGKILL')
  await killed.ended
  writer.destroy()
  const refused = await runBinary([], { PORT: '0', HOST: '127.0.0.1', ...target })
  assert.equal(refused.code, 1)
  assert.match(refused.err, /a restore into DATA_DIR was not finished/)
  const repeated = await runInProcess(['restore', good], target)
  assert.equal(repeated.code, 0, repeated.err)
  assert.ok(!existsSync(join(target.DATA_DIR, 'restore.unfinished')))
  const server = await serveBinary(target)
  const found = await fetch(`${server.url}/api/v1/repos/root/one`, {
    headers: basic('root', 'wished for it'),
  })
  assert.equal(found.status, 200)
  await stopBinary(server)
})
