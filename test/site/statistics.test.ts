import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  allStatistics,
  deleteStatistic,
  isStatisticKey,
  upsertStatistics,
} from '../../src/site/statistic-store.ts'
import { startApp } from '../support/app.ts'

const { call, pool } = await startApp()

const general = async () => {
  const { reports, build } = (await call('GET /api/stats/overview')).body.general
  return { reports, build }
}

const untouched = {
  reports: { named: '0', associated: '0', logged: '0' },
  build: { pipeline: 'unknown', buildNumber: '0', version: '0.0.0' },
}

test('GET /api/stats/overview shows the default of every statistic that is not set', async () => {
  assert.deepEqual(await general(), untouched)
})

for (const [key, room, name] of [
  ['build_pipeline', 'build', 'pipeline'],
  ['build_number', 'build', 'buildNumber'],
  ['version', 'build', 'version'],
  ['reports_named', 'reports', 'named'],
  ['reports_associated', 'reports', 'associated'],
  ['reports_logged', 'reports', 'logged'],
] as const) {
  test(`GET /api/stats/overview surfaces ${key} as general.${room}.${name}`, async () => {
    await upsertStatistics(pool, { [key]: 'set' })
    await upsertStatistics(pool, { [key]: '𝄞 1.4.2 ' })
    const set = { ...untouched[room], [name]: '𝄞 1.4.2 ' }
    assert.deepEqual(await general(), { ...untouched, [room]: set })
    assert.equal(await deleteStatistic(pool, key), true)
    assert.equal(await deleteStatistic(pool, key), false)
    assert.deepEqual(await general(), untouched)
  })
}

test('an empty value is a value', async () => {
  await upsertStatistics(pool, { version: '' })
  assert.equal((await allStatistics(pool)).version, '')
  await deleteStatistic(pool, 'version')
})

test('only the keys of the specification are keys', async () => {
  for (const word of ['', 'Version', 'toString', '__proto__', 'constructor'])
    assert.equal(isStatisticKey(word), false)
  await assert.rejects(pool`insert into site.statistic (key, value) values ('versoin', '1')`, {
    constraint_name: 'statistic_key_known',
  })
})
