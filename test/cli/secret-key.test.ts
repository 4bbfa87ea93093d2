import assert from 'node:assert/strict'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type Environment, openHome, runBinary, serveBinary, stopBinary } from '../support/binary.ts'
import { onServer } from '../support/database.ts'
import { basic } from '../support/forge/make.ts'
import { runInProcess } from '../support/in-process.ts'
import { openProxy } from '../support/proxy.ts'
import { until } from '../support/wait.ts'

const [first, second] = ['the first key which is long enough', 'the second key which is long enough']
const administrator = { ADMIN_USERNAME: 'root', ADMIN_PASSWORD: 'wished for it' }

async function home() {
  const opened = await openHome()
  const environment: Environment = { ...opened.environment, ...administrator }
  return { dataDir: opened.dataDir, environment }
}

/** Starts and stops a server, which `meanwhile` calls. */
async function startOnce(environment: Environment, meanwhile = async (_url: string) => {}) {
  const server = await serveBinary(environment)
  await meanwhile(server.url)
  const lines = server.lines()
  assert.equal((await stopBinary(server)).code, 0)
  return lines
}

const putSecret = async (url: string) => {
  const response = await fetch(`${url}/api/v1/user/actions/secrets/A`, {
    method: 'PUT',
    headers: { ...basic('root', 'wished for it'), 'content-type': 'application/json' },
    body: '{"data":"what A holds"}',
  })
  assert.equal(response.status, 201)
}

/** Holds that a server and every command refuse, with one sentence and exit code 2. */
async function mapConstraints(environment: Environment, args: RegExp) {
  for (const command of [[], ['stat', 'list'], ['migrate'], ['secret', 'rekey']]) {
    // A server prints its log on the standard output of its process.
    const runIt = command.length === 0 ? runBinary : runInProcess
    const { code, out, err } = await runIt(command, { PORT: '0', HOST: '127.0.0.1', ...environment })
    assert.equal(code, 2, `${command}: ${err}`)
    assert.doesNotMatch(out, /ready|listening|up to date|=/)
    assert.match(err, args)
    assert.equal(err.split('\n').length, 2, err)
    for (const key of [first, second]) assert.equal(`${out}${err}`.includes(key), false)
  }
}

test('a server and every command refuse a key that is not the one of the database', async () => {
  const { environment } = await home()
  await startOnce({ ...environment, SECRET_KEY: first })
  await mapConstraints(
    { ...environment, SECRET_KEY: second },
    /is not the key of this database.*SECRET_KEY_LOST/,
  )
  assert.equal((await runBinary(['stat', 'list'], { ...environment, SECRET_KEY: first })).code, 0)
  await startOnce({ ...environment, SECRET_KEY: `${second},${first}` })
  await mapConstraints({ ...environment, SECRET_KEY: second }, /lacks a previous key.*secret rekey/)
  const rekeyed = await runBinary(['secret', 'rekey'], { ...environment, SECRET_KEY: `${second},${first}` })
  assert.deepEqual([rekeyed.code, rekeyed.err], [0, ''])
  await startOnce({ ...environment, SECRET_KEY: second })
  await mapConstraints({ ...environment, SECRET_KEY: first }, /is not the key of this database/)
})

test('a key file that is lost is not made anew until the loss is accepted, and what cannot be read is reported', async () => {
  const { environment, dataDir } = await home()
  await startOnce(environment, putSecret)
  const path = join(dataDir, 'secret.key')
  const before = await readFile(path, 'utf8')
  await rm(path)
  await mapConstraints(environment, /./)
  await assert.rejects(readFile(path), { code: 'ENOENT' })
  const lines = await startOnce({ ...environment, SECRET_KEY_LOST: 'accept' })
  const warnings = lines.filter(({ level }) => level === 'warn')
  assert.deepEqual(
    warnings.map(({ message, what, count }) => ({ message, what, count })),
    [{ message: 'encrypted with a key that SECRET_KEY does not hold', what: 'secrets of Actions', count: 1 }],
  )
  assert.notEqual(await readFile(path, 'utf8'), before)
  const again = await startOnce(environment)
  assert.deepEqual(
    again.filter(({ level }) => level === 'warn'),
    [],
  )
})

test('a command reports on standard error what cannot be read after a loss that is accepted', async () => {
  const { environment } = await home()
  await startOnce({ ...environment, SECRET_KEY: first }, putSecret)
  const accepted = { ...environment, SECRET_KEY: second, SECRET_KEY_LOST: 'accept' }
  const { code, err } = await runBinary(['stat', 'list'], accepted)
  assert.equal(code, 0)
  assert.equal(err, 'forgehall: secrets of Actions: 1 encrypted with a key that SECRET_KEY does not hold\n')
})

test('SECRET_KEY_LOST is accept or not set', async () => {
  const { code, err } = await runInProcess(['stat', 'list'], { SECRET_KEY_LOST: 'yes' })
  assert.deepEqual([code, err], [2, 'forgehall: SECRET_KEY_LOST must be accept, or not be set\n'])
})

test('a server that waits for its database ends when that turns out to have another key', {
  skip: !onServer && 'on a server only',
}, async () => {
  const { environment } = await home()
  await startOnce({ ...environment, SECRET_KEY: first })
  const proxy = await openProxy(environment.DATABASE_URL ?? '')
  after(() => proxy.close())
  await proxy.cut()
  const server = await serveBinary({ ...environment, DATABASE_URL: proxy.url, SECRET_KEY: second })
  await until('it listens', () => server.lines().some(({ message }) => message === 'listening'))
  await proxy.mend()
  const { code, err } = await server.ended
  assert.equal(code, 2)
  assert.match(err, /^forgehall: SECRET_KEY[^\n]* is not the key of this database[^\n]*\n$/)
})
