import assert from 'node:assert/strict'
import { test } from 'node:test'
import { prepare, type ServerState } from '../../../src/cli/serve/prepare.ts'
import { openDatabase } from '../../../src/db/database.ts'
import { DatabaseLimiter } from '../../../src/http/reads/database-limiter.ts'
import { createLog } from '../../../src/log.ts'
import { openHome } from '../../support/binary.ts'
import { testSecrets } from '../../support/forge/make.ts'
import { keepLines } from '../../support/sink.ts'
import { turns } from '../../support/wait.ts'

const home = await openHome()
const { DATA_DIR: dataDir = '', DATABASE_URL: url } = home.environment

/** Prepares on a database that is closed before. */
async function prepareOnClosed(isStopping: boolean) {
  const database = await openDatabase({ url, dataDir, poolSize: 1 })
  await database.opened
  await database.close(1)
  const sink = keepLines()
  const log = createLog('info', sink)
  const means = {
    database,
    limiter: new DatabaseLimiter(1, 1),
    log,
    secrets: testSecrets,
    isStopping: () => isStopping,
    giveUp: assert.fail,
  }
  const first = async () => void (await database.pool`select 1`)
  const messages = () => sink.lines().map(({ message }) => message)
  return { prepared: prepare(means, { first, afterwards: async () => {} }), messages }
}

test('what a stop cuts short is not taken for a database that is away', async () => {
  const { prepared, messages } = await prepareOnClosed(true)
  await assert.rejects(prepared, { code: 'CONNECTION_ENDED' })
  await turns()
  assert.deepEqual(messages(), [])
})

test('a server whose database is away is listening, and not ready', async () => {
  const { prepared, messages } = await prepareOnClosed(false)
  const said: ServerState[] = []
  await (await prepared)((standing) => said.push(standing)).stop()
  await turns()
  assert.deepEqual(said, ['listening'])
  assert.deepEqual(messages(), ['the database is unavailable; waiting for it'])
})

test('requests during the first preparations are told that the server is starting', async () => {
  const { environment } = await openHome()
  const database = await openDatabase({
    url: environment.DATABASE_URL,
    dataDir: environment.DATA_DIR ?? '',
    poolSize: 1,
  })
  await database.opened
  const limiter = new DatabaseLimiter(1, 1000)
  const log = createLog('info', keepLines())
  const means = { database, limiter, log, secrets: testSecrets, isStopping: () => false, giveUp: assert.fail }
  const first = () =>
    assert.rejects(
      limiter.run(async () => assert.fail('must not run')),
      { status: 503, message: 'the server is starting' },
    )
  const startRest = await prepare(means, { first, afterwards: async () => {} })
  assert.equal(await limiter.run(async () => 'well'), 'well')
  const said: ServerState[] = []
  await startRest((state) => said.push(state)).stop()
  assert.deepEqual(said, ['ready'])
  await database.close(1)
})
