import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { serveApp, startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { gateBefore, waitsAt } from '../../support/forge/gate.ts'

const DATA_DIR = join(await temporaryFolder(), 'data')
const { call, pool, make, database } = await startApp({ DATA_DIR })
const gate = gateBefore(pool)
const gated = await serveApp({ ...database, pool: gate.pool }, { DATA_DIR })
after(() => gated.close())

test('POST /api/v1/user/repos reserves no name without the right to, though it has freed the directory before', async () => {
  const ada = await make.person({ name: 'ada' })
  await call('POST /api/v1/user/repos', { as: ada, body: { name: 'old' } })
  // As a crash leaves it between the rename and the move of the directory.
  await pool`update forge.repository set name = 'new' where owner_id = ${ada.id}`
  gate.close()
  const creating = gated.call('POST /api/v1/user/repos', { as: ada, body: { name: 'old' } })
  assert.ok(await waitsAt(gate, creating), 'it is about to move the directory')
  gate.step()
  assert.ok(await waitsAt(gate, creating), 'it is about to reserve the name')
  await pool`delete from forge.access_token where account_id = ${ada.id}`
  gate.open()
  assert.equal((await creating).status, 401)
  const rows = await pool`select name, folder_name from forge.repository where owner_id = ${ada.id}`
  assert.deepEqual([...rows], [{ name: 'new', folder_name: 'new' }])
})
