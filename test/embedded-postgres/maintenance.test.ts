import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Maintenance } from '../../src/embedded-postgres/maintenance.ts'

/** A maintenance whose time has come, and its clock. */
function dueNow(): { maintenance: Maintenance; pass: (milliseconds: number) => void } {
  let now = 0
  const pass = (milliseconds: number) => {
    now += milliseconds
  }
  const maintenance = new Maintenance(() => now)
  assert.equal(maintenance.due(), undefined)
  pass(maintenance.timeout)
  assert.equal(maintenance.timeout, 0)
  return { maintenance, pass }
}

test('looks at the log first, then at the tables, then rests', () => {
  const { maintenance } = dueNow()
  assert.match(maintenance.due() ?? '', /pg_current_wal_insert_lsn/)
  maintenance.finished([['1000']])
  assert.match(maintenance.due() ?? '', /pg_stat_all_tables/)
  maintenance.finished([])
  assert.equal(maintenance.due(), undefined)
  assert.ok(maintenance.timeout > 0)
})

test('does one thing at a time: a checkpoint for a long log, each table that is due', () => {
  const { maintenance } = dueNow()
  const done: (string | undefined)[] = []
  const replies = [[['100000000']], [], [['vacuum (analyze) a'], ['analyze b']], [], []]
  for (const rows of replies) {
    done.push(maintenance.due())
    maintenance.finished(rows)
  }
  assert.deepEqual(done.slice(1, 2).concat(done.slice(3)), ['checkpoint', 'vacuum (analyze) a', 'analyze b'])
  assert.equal(maintenance.due(), undefined)
})

test('gives up a round whose statements fail, and begins the next one afresh', () => {
  const { maintenance, pass } = dueNow()
  maintenance.due()
  maintenance.finished([])
  maintenance.finished([])
  assert.equal(maintenance.due(), undefined)
  pass(maintenance.timeout)
  assert.match(maintenance.due() ?? '', /pg_current_wal_insert_lsn/)
})
