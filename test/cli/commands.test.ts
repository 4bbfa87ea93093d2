import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import {
  binary,
  openHome,
  type Ran,
  runBinary,
  type Serving,
  serveBinary,
  stopBinary,
} from '../support/binary.ts'
import { fillFromTemplate, onServer } from '../support/database.ts'
import { startDistrusted } from '../support/distrusted.ts'
import { runInProcess } from '../support/in-process.ts'
import { compileQuickly } from '../support/suite/engine.ts'
import { until } from '../support/wait.ts'
import { folderForBackups } from './archives.ts'

let server: Serving | undefined
after(() => server && stopBinary(server))
const own = await openHome({ empty: true })
const { environment } = own

/** Gives the lines of a command that has succeeded. */
function linesOf({ code, out, err }: Ran): string[] {
  assert.deepEqual([code, err], [0, ''])
  return out.split('\n').slice(0, -1)
}

/** Runs a command that must succeed; gives its lines. */
const run = async (args: string[], where = environment) => linesOf(await runInProcess(args, where))

/** The same with the built file, where a process of its own can make a difference. */
const runBuilt = async (args: string[], where = environment) => linesOf(await runBinary(args, where))

/** Gives what is said to words that make no sense. */
async function misuse(args: string[], where = environment): Promise<string> {
  const { code, out, err } = await runInProcess(args, where)
  assert.deepEqual([code, out], [2, ''], args.join(' '))
  assert.match(err, /^forgehall: [^\n]+\n$/)
  return err.slice('forgehall: '.length, -1)
}

const defaults = [
  'build_pipeline = unknown',
  'build_number = 0',
  'version = 0.0.0',
  'reports_named = 0',
  'reports_associated = 0',
  'reports_logged = 0',
]

test('migrate and other commands work on a database that no server holds', async () => {
  assert.deepEqual(await runBuilt(['migrate']), ['the schema is up to date'])
  assert.deepEqual(await run(['migrate']), ['the schema is up to date'])
  assert.deepEqual(await runBuilt(['stat', 'list']), defaults)
})

/** Starts a server; gives its folder as soon as it holds the database, before it accepts commands. */
async function startHolding() {
  const { environment: starting } = await openHome()
  const started = serveBinary(starting)
  await until('it holds the folder', async () =>
    (await readdir(join(starting.DATA_DIR ?? '', 'lock')).catch(() => [])).some((name) =>
      name.endsWith('.sock'),
    ),
  )
  return { starting, started }
}

test('a command that meets a server which is starting is run by it', {
  skip: onServer && 'embedded only',
}, async () => {
  const { starting, started } = await startHolding()
  assert.deepEqual(await runBuilt(['stat', 'list'], starting), defaults)
  await stopBinary(await started)
})

test('a backup that meets a server which is starting is sent by it', {
  skip: onServer && 'embedded only',
}, async () => {
  const { starting, started } = await startHolding()
  const file = join(await folderForBackups(), 'beside-start')
  const [line = ''] = await runBuilt(['backup', file], starting)
  assert.match(line, /beside-start: /)
  await stopBinary(await started)
  assert.deepEqual((await run(['restore', '--verify', file], starting)).length > 0, true)
})

test('a server starts on that database; from here on the embedded one is its, and commands run inside it', async () => {
  server = await serveBinary(environment)
})

test('stat list shows all figures, stat set sets one, stat unset gives it back to its default', async () => {
  assert.deepEqual(await run(['stat', 'list']), defaults)
  assert.deepEqual(await runBuilt(['stat', 'set', 'version', '1.4.2']), ['version = 1.4.2'])
  assert.deepEqual(await run(['stat', 'set', 'build_pipeline', 'all is well 𝄞']), [
    'build_pipeline = all is well 𝄞',
  ])
  const [pipeline, , version] = await run(['stat', 'list'])
  assert.deepEqual([pipeline, version], ['build_pipeline = all is well 𝄞', 'version = 1.4.2'])
  assert.deepEqual(await run(['stat', 'unset', 'version']), ['version = 0.0.0'])
  assert.deepEqual(await run(['stat', 'unset', 'version']), ['version = 0.0.0'])
  assert.deepEqual(await run(['stat', 'unset', 'build_pipeline']), ['build_pipeline = unknown'])
  assert.deepEqual(await run(['stat', 'list']), defaults)
})

test('stat refuses what is no figure, and values that are missing or too many', async () => {
  for (const args of [
    ['stat', 'set'],
    ['stat', 'set', 'versoin', '1'],
    ['stat', 'set', 'toString', '1'],
    ['stat', 'set', 'version'],
    ['stat', 'set', 'version', '1', '2'],
    ['stat', 'unset'],
    ['stat', 'unset', 'x'],
    ['stat', 'unset', 'version', 'build_number'],
    ['stat', 'list', 'version'],
    ['stat', 'set', 'version', '1', '--force'],
  ]) {
    await misuse(args)
  }
  assert.match(await misuse(['stat', 'set', 'versoin', '1']), /versoin.*build_pipeline.*reports_logged/)
  assert.match(await misuse(['stat', 'set']), /^stat set takes a key and one value.*build_pipeline/)
  assert.match(await misuse(['stat', 'unset']), /^stat unset takes one key.*build_pipeline/)
  assert.deepEqual(await run(['stat', 'list']), defaults)
})

test('activity add notes an entry, activity list shows the newest first', async () => {
  const [first = ''] = await run(['activity', 'add', 'Build', '1042', 'passed'])
  assert.match(first, /^\d+ {2}\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z {2}Build 1042 passed$/)
  const [second = ''] = await run(['activity', 'add', 'Ada published a post 𝄞'])
  assert.deepEqual(await run(['activity', 'list']), [second, first])
  assert.deepEqual(await run(['activity', 'list', '--limit', '1']), [second])
})

test('activity refuses an empty description and limits that are none', async () => {
  await misuse(['activity', 'add'])
  await misuse(['activity', 'add', ''])
  for (const limit of ['0', '-1', '1.5', 'x', '', '99999999999999999999'])
    await misuse(['activity', 'list', `--limit=${limit}`])
  await misuse(['activity', 'list', '--limit'])
  await misuse(['activity', 'list', '5'])
  assert.equal((await run(['activity', 'list'])).length, 2)
})

test('seed adds a demonstration data set that the server shows, and session end ends its sessions', async () => {
  const { environment: where } = await openHome()
  const [said] = await run(['seed'], where)
  assert.match(said ?? '', /^added 3 news posts, 2 media items, 3 users online, 3 activity entries$/)
  assert.match(await misuse(['seed'], where), /demonstration data set is there already; nothing was added/)
  const server = await serveBinary(where)
  const get = async (path: string) => (await fetch(server.url + path)).json()
  assert.equal((await get('/api/news')).length, 3)
  assert.equal((await get('/api/media')).length, 2)
  const overview = await get('/api/stats/overview')
  assert.equal(overview.currentUsers.length, 3)
  assert.equal(overview.recentActivity.length, 3)
  assert.equal(overview.general.build.version, '1.4.0')

  // On the embedded database these run inside the server, because it alone may open the folder.
  assert.deepEqual(await run(['session', 'end', '--older-than', '1h'], where), ['0 ended'])
  assert.deepEqual(await run(['session', 'end', '--older-than', '0ms'], where), ['3 ended'])
  assert.deepEqual(await get('/api/stats/users'), [])
  assert.deepEqual(await run(['stat', 'set', 'version', '2.0.0'], where), ['version = 2.0.0'])
  assert.equal((await get('/api/stats/overview')).general.build.version, '2.0.0')
  await run(['activity', 'add', 'while it runs'], where)
  assert.equal((await get('/api/stats/overview')).recentActivity[0].description, 'while it runs')
  for (const args of [
    ['stat', 'set', 'versoin', '1'],
    ['session', 'end'],
  ]) {
    assert.deepEqual(await runBinary(args, where), await runInProcess(args, where))
    await misuse(args, where)
  }
  assert.equal((await stopBinary(server)).code, 0)
  assert.match((await run(['stat', 'list'], where)).join(), /version = 2\.0\.0/)
})

test('session end refuses ages that are none', async () => {
  for (const age of ['', '2', 'h', '-2h', '2 weeks', 'forever', '99999999999d'])
    await misuse(['session', 'end', `--older-than=${age}`])
  await misuse(['session', 'end'])
  await misuse(['session', 'end', '--older-than'])
  await misuse(['session', 'end', '--older-than', '-2h'])
  await misuse(['session', 'end', '--older-than', '2h', '3h'])
  assert.deepEqual(await run(['session', 'end', '--older-than', '1.5h']), ['0 ended'])
})

test('commands reach the server in a folder whose path is too long for a socket', {
  skip: onServer && 'embedded only',
}, async () => {
  const { dataDir } = await openHome()
  const long = join(dataDir, 'x'.repeat(120), 'y'.repeat(120))
  await mkdir(long, { recursive: true })
  fillFromTemplate(long)
  const where = { DATA_DIR: long }
  const server = await serveBinary(where)
  assert.deepEqual(await run(['stat', 'set', 'version', '3'], where), ['version = 3'])
  const overview = (await (await fetch(`${server.url}/api/stats/overview`)).json()) as {
    general: { build: { version: string } }
  }
  assert.equal(overview.general.build.version, '3')
  assert.equal((await stopBinary(server)).code, 0)
  assert.ok((await run(['stat', 'list'], where)).includes('version = 3'))
})

test('a command in a folder without a database says so with exit code 2 and makes nothing; migrate makes one', {
  skip: onServer && 'embedded only',
}, async () => {
  const { dataDir } = await openHome()
  const where = { DATA_DIR: join(dataDir, 'elsewhere') }
  for (const args of [['stat', 'list'], ['admin', 'create', 'ada'], ['secret', 'rekey'], ['seed']]) {
    const { code, out, err } = await runInProcess(args, where)
    assert.deepEqual([code, out], [2, ''])
    assert.match(err, /^forgehall: there is no database in [^\n]*elsewhere: set DATA_DIR [^\n]*\n$/)
    await assert.rejects(readdir(where.DATA_DIR), { code: 'ENOENT' })
  }
  await run(['migrate'], where)
  assert.deepEqual(await run(['stat', 'list'], where), defaults)
})

test('migrate makes a folder whose path is too long for a socket', {
  skip: onServer && 'embedded only',
}, async () => {
  const { dataDir } = await openHome()
  const where = { DATA_DIR: join(dataDir, 'x'.repeat(120)) }
  await run(['migrate'], where)
  assert.deepEqual(await run(['stat', 'set', 'version', '3'], where), ['version = 3'])
})

test('a server that was killed leaves nothing that stops commands or the next start', async () => {
  const { environment: where } = await openHome()
  const killed = await serveBinary(where)
  await run(['stat', 'set', 'version', '4'], where)
  killed.signal('SIGKILL')
  await killed.ended
  assert.ok((await runBuilt(['stat', 'list'], where)).includes('version = 4'))
  const server = await serveBinary(where)
  assert.ok((await run(['stat', 'list'], where)).includes('version = 4'))
  assert.equal((await stopBinary(server)).code, 0)
})

test('a word too many is refused, and nothing is done', async () => {
  const { environment: where } = await openHome()
  for (const args of [
    ['seed', '--', '--dry-run'],
    ['migrate', '--dry-run'],
    ['serve', 'quietly'],
    ['admin', 'list', 'ada'],
  ])
    assert.match(await misuse(args, where), /takes no arguments/)
  assert.deepEqual(await run(['activity', 'list'], where), [])
})

test('a folder that is a file is said in one sentence, with exit code 2', {
  skip: onServer && 'embedded only',
}, async () => {
  const { dataDir } = await openHome()
  const file = join(dataDir, 'file')
  await writeFile(file, '')
  for (const args of [['serve'], ['stat', 'list'], ['migrate']]) {
    const { code, out, err } = await runInProcess(args, { DATA_DIR: file })
    assert.deepEqual([code, out], [2, ''])
    assert.match(err, /^forgehall: DATA_DIR cannot be used: E[^\n]*file'\n$/)
  }
})

test('a disk that takes nothing more is said in one sentence, with exit code 1', {
  skip: onServer && 'embedded only',
}, async () => {
  const { dataDir } = await openHome()
  for (const args of ['', 'stat list']) {
    // A file may have no byte; Node is told so by the write, as it is of a full disk.
    const script = `ulimit -f 0; "$0" ${compileQuickly} "$1" ${args}; echo $? >&2`
    const { stdout, stderr } = await promisify(execFile)('sh', ['-c', script, process.execPath, binary], {
      env: { ...process.env, DATA_DIR: dataDir },
    })
    assert.equal(stdout, '')
    assert.match(stderr, /^forgehall: DATA_DIR cannot be used: EFBIG[^\n]*\n1\n$/)
  }
})

test('a database that does not know us is said in one sentence, with exit code 2', {
  skip: !onServer && 'on a server only',
}, async () => {
  const { dataDir } = await openHome()
  const address = new URL(process.env.DATABASE_URL ?? '')
  address.pathname = '/nowhere'
  for (const args of [[], ['stat', 'list'], ['migrate']]) {
    const { code, err } = await runBinary(args, { DATABASE_URL: address.href, DATA_DIR: dataDir })
    assert.equal(code, 2)
    assert.match(err, /^forgehall: the database does not accept the connection: 3D000 [^\n]+\n$/)
  }
})

test('a parameter that the database does not know is said in one sentence, with exit code 2', {
  skip: !onServer && 'on a server only',
}, async () => {
  const { dataDir, environment: where } = await openHome()
  const wrong = { 'nonsense=1': '42704', 'work_mem=much': '22023', 'jit_provider=none': '55P02' }
  for (const [parameter, state] of Object.entries(wrong))
    for (const args of [[], ['stat', 'list']]) {
      const DATABASE_URL = `${where.DATABASE_URL}?${parameter}`
      const { code, err } = await runBinary(args, { DATABASE_URL, DATA_DIR: dataDir })
      assert.equal(code, 2, parameter)
      assert.match(
        err,
        new RegExp(`^forgehall: the database does not accept the connection: (${state}) [^\\n]+\\n$`),
      )
    }
})

test('a certificate of the database that is not to be trusted is said in one sentence, with exit code 2', async (t) => {
  const { dataDir } = await openHome()
  const port = await startDistrusted(t)
  const where = { DATABASE_URL: `postgres://ada:s3cr3t@127.0.0.1:${port}/none?sslmode=verify-full` }
  for (const args of [[], ['stat', 'list']]) {
    const { code, out, err } = await runBinary(args, { ...where, DATA_DIR: dataDir })
    assert.deepEqual([code, out], [2, ''])
    assert.match(err, /^forgehall: the database cannot be trusted: \w*CERT\w* [^\n]+\n$/)
    assert.equal(err.includes('s3cr3t'), false)
  }
})

test('a database that is away is said in one sentence, with exit code 1', async () => {
  const where = { DATABASE_URL: 'postgres://ada:s3cr3t@127.0.0.1:1/none' }
  for (const args of [['stat', 'list'], ['migrate']]) {
    const { code, out, err } = await runInProcess(args, where)
    assert.deepEqual([code, out], [1, ''])
    assert.match(err, /^forgehall: the database is away: [^\n]*ECONNREFUSED[^\n]*\n$/)
    assert.equal(err.includes('s3cr3t'), false)
  }
})
