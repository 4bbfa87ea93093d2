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
