import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { openEmbedded } from '../../src/db/embedded.ts'
import { LockedError } from '../../src/db/lock.ts'
import { openPool } from '../../src/db/open.ts'
import { temporaryFolder } from '../support/folder.ts'
import { longest } from '../support/wait.ts'

test('an open database holds its folder until it is closed, and stops writing when it loses it', {
  timeout: longest,
}, async () => {
  const dataDir = await temporaryFolder()
  const embedded = await openEmbedded(dataDir)
  await assert.rejects(openEmbedded(dataDir), LockedError)
  const pool = openPool({ connect: () => embedded.connect(), poolSize: 1 })
  await pool`select 1`
  // Another process, which took this one for dead.
  await writeFile(join(dataDir, 'lock', '99'), '')
  await assert.rejects(
    async () => {
      for (;;) await pool`select pg_sleep(0.05)`
    },
    { code: /CONNECTION_CLOSED|ECONNRESET/ },
  )
  await assert.rejects(pool`select 1`, { code: 'ECONNREFUSED', message: /Another process has taken/ })
  await pool.end({ timeout: 0 })
  await embedded.close()
})
