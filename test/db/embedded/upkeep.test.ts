import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Upkeep } from '../../../src/db/embedded/upkeep.ts'

/** An upkeep whose time has come, and its clock. */
function dueNow(): { upkeep: Upkeep; pass: (milliseconds: number) => void } {
  let now = 0
  const pass = (milliseconds: number) => {
    now += milliseconds
  }
  const upkeep = new Upkeep(() => now)
  assert.equal(upkeep.due(), undefined)
  pass(upkeep.patience)
  assert.equal(upkeep.patience, 0)
  return { upkeep, pass }
}

test('looks at the log first, then at the tables, then rests', () => {
  const { upkeep } = dueNow()
  assert.match(upkeep.due() ?? '', /pg_current_wal_insert_lsn/)
  upkeep.finished([['1000']])
  assert.match(upkeep.due() ?? '', /pg_stat_all_tables/)
  upkeep.finished([])
  assert.equal(upkeep.due(), undefined)
  assert.ok(upkeep.patience > 0)
})

test('does one thing at a time: a checkpoint for a long log, each table that is due', () => {
  const { upkeep } = dueNow()
  const done: (string | undefined)[] = []
  const replies = [[['100000000']], [], [['vacuum (analyze) a'], ['analyze b']], [], []]
  for (const rows of replies) {
    done.push(upkeep.due())
    upkeep.finished(rows)
  }
  assert.deepEqual(done.slice(1, 2).concat(done.slice(3)), ['checkpoint', 'vacuum (analyze) a', 'analyze b'])
  assert.equal(upkeep.due(), undefined)
})

test('gives up a round whose statements fail, and begins the next one afresh', () => {
  const { upkeep, pass } = dueNow()
  upkeep.due()
  upkeep.finished([])
  upkeep.finished([])
  assert.equal(upkeep.due(), undefined)
  pass(upkeep.patience)
  assert.match(upkeep.due() ?? '', /pg_current_wal_insert_lsn/)
})
