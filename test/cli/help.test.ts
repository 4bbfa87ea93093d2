import assert from 'node:assert/strict'
import { test } from 'node:test'
import manifest from '../../package.json'
import { commands } from '../../src/cli/run.ts'
import { configure, variables } from '../../src/config.ts'
import { runBinary } from '../support/binary.ts'
import { runInProcess } from '../support/in-process.ts'

test('--help lists every environment variable and every command, and nothing else is done', async () => {
  const { code, out, err } = await runBinary(['--help'], { PORT: 'not looked at' })
  assert.equal(code, 0)
  assert.equal(err, '')
  assert.ok(variables.length >= 8)
  for (const name of variables) assert.match(out, new RegExp(`^ {2}${name} `, 'm'), name)
  for (const { name } of commands) assert.match(out, new RegExp(`^ {2}${name} `, 'm'), name)
  for (const name of ['serve', 'migrate']) assert.match(out, new RegExp(`^ {2}${name} `, 'm'), name)
  const listed = out.split('Environment:')[1]?.match(/^ {2}[A-Z][A-Z\d_]+ /gm)
  assert.equal(listed?.length, variables.length, 'no variable is listed that is not read')
})

test('help and -h say the same as --help', async () => {
  const { out } = await runInProcess(['--help'], {})
  for (const word of ['help', '-h'])
    assert.deepEqual(await runInProcess([word], {}), { code: 0, out, err: '' })
})

test('--help behind the words of a command is about that command alone, and nothing is done', async () => {
  const { code, out, err } = await runInProcess(['stat', 'set', 'version', '--help'], {})
  assert.deepEqual([code, err], [0, ''])
  assert.match(out, /^Usage: forgehall stat set <key> <value>\n\n {2}set a figure [^\n]+\n$/)
  const server = await runInProcess(['serve', '--help'], {})
  assert.match(server.out, /^Usage: forgehall serve\n\n[^\n]+\n$/)
})

test('--help behind the first word of several commands lists those', async () => {
  const { code, out } = await runInProcess(['stat', '--help'], {})
  assert.equal(code, 0)
  assert.deepEqual(out.match(/^ {2}\w+ \w+/gm), ['  stat set', '  stat list', '  stat unset'])
})

for (const args of [
  ['nonsense', '--help'],
  ['stat', 'nonsense', '--help'],
])
  test(`${args.join(' ')} is refused with exit code 2`, async () => {
    const { code, out, err } = await runInProcess(args, {})
    const name = args.slice(0, -1).join(' ')
    assert.deepEqual([code, out], [2, ''])
    assert.equal(err, `forgehall: there is no command "${name}"; see forgehall --help\n`)
  })

test('--version says the version of the package', async () => {
  assert.deepEqual(await runBinary(['--version']), { code: 0, out: `${manifest.version}\n`, err: '' })
})

for (const args of [['nonsense'], ['--nonsense'], ['servee']]) {
  test(`${args.join(' ')} is no command: one sentence and exit code 2`, async () => {
    const { code, out, err } = await runInProcess(args, {})
    assert.equal(code, 2)
    assert.equal(out, '')
    assert.equal(err, `forgehall: there is no command "${args.join(' ')}"; see forgehall --help\n`)
  })
}

for (const [args, said] of [
  [['stat'], '"stat" needs one more word: stat set, stat list, stat unset; see forgehall stat --help'],
  [
    ['stat', 'nonsense'],
    '"stat" has no command "nonsense": stat set, stat list, stat unset; see forgehall stat --help',
  ],
] as const)
  test(`${args.join(' ')} is no command: one sentence names those of its group, and exit code 2`, async () => {
    assert.deepEqual(await runInProcess(args, {}), { code: 2, out: '', err: `forgehall: ${said}\n` })
  })

test('all faults of the environment are said at once, each naming its variable, with exit code 1', async () => {
  const faulty = {
    PORT: '70000',
    PUBLIC_URL: 'forgehall',
    DATABASE_URL: 'mysql://x',
    LOG_LEVEL: 'loud',
    POOL_SIZE: '0',
    QUEUE_LIMIT: 'many',
    BODY_LIMIT: '-1m',
    SESSION_MAX_AGE: 'soon',
    SECRET_KEY: 'too-short-for-a-key',
    WEBHOOK_ALLOWED_HOSTS: 'external,10.0.0.0/99',
    WEBHOOK_TIMEOUT: '2h',
    DATABASE_TIMEOUT: '30d',
    ACTIONS_LOGS_KEPT: '99999999999d',
    WEBHOOK_HISTORY: 'a while',
    CRON: 'git_gc_repos=often',
  }
  for (const args of [[], ['serve'], ['migrate'], ['stat', 'list']]) {
    const { code, out, err } = await runInProcess(args, faulty)
    assert.equal(code, 2)
    assert.equal(out, '')
    const lines = err.trimEnd().split('\n')
    assert.equal(lines.length, Object.keys(faulty).length, err)
    for (const [name, value] of Object.entries(faulty)) {
      const line = lines.find((each) => each.startsWith(`forgehall: ${name} `))
      assert.ok(line, `${name}=${value} in ${err}`)
    }
  }
})

test('WORKERS, which is gone, is refused unless it is 1', async () => {
  assert.ok('config' in configure({ WORKERS: '1' }))
  const { code, err } = await runInProcess([], { WORKERS: '4', DATABASE_URL: 'postgres://127.0.0.1:1/none' })
  assert.equal(code, 2)
  assert.equal(
    err,
    'forgehall: WORKERS is no longer supported: start one process for each port, see docs/scaling.md\n',
  )
})

test('a fault of SECRET_KEY does not repeat it', async () => {
  const { code, err } = await runInProcess([], { SECRET_KEY: `${'k'.repeat(40)},too-short-for-a-key` })
  assert.equal(code, 2)
  assert.equal(err.includes('too-short') || err.includes('kkk'), false)
})

test('a password with a bare percent sign is said to be a fault of DATABASE_URL', async () => {
  const { code, err } = await runInProcess(['stat', 'list'], { DATABASE_URL: 'postgres://ada:s%3cr%3t@db/x' })
  assert.equal(code, 2)
  assert.match(err, /^forgehall: DATABASE_URL must be a postgres address, in which % is written %25\n$/)
})

test('DATABASE_URL names one host', async () => {
  const { code, err } = await runInProcess(['stat', 'list'], {
    DATABASE_URL: 'postgres://ada@one,two:5433/x',
  })
  assert.equal(code, 2)
  assert.equal(err, 'forgehall: DATABASE_URL must name one host\n')
})

test('a fault of DATABASE_URL does not repeat it, for it may hold a password', async () => {
  const { code, err } = await runInProcess([], { DATABASE_URL: 'mysql://ada:s3cr3t@db/x' })
  assert.equal(code, 2)
  assert.equal(err.includes('s3cr3t'), false)
})
