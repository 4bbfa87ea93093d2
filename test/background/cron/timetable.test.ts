import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseTimetable, parseTimetables } from '../../../src/background/cron/timetable.ts'

const after = (text: string, from = '2026-01-31T08:00:00.500Z') => {
  const read = parseTimetable(text)
  return read.ok ? read.value.next(new Date(from)).toISOString() : read.fault
}

test('intervals count from the moment given', () => {
  assert.equal(after('@every 72h'), '2026-02-03T08:00:00.500Z')
  assert.equal(after('@every 1h30m'), '2026-01-31T09:30:00.500Z')
  assert.equal(after(' @every  10s '), '2026-01-31T08:00:10.500Z')
})

test('words and five fields name moments in UTC, never the one given', () => {
  for (const word of ['@midnight', '@daily', '0 0 * * *'])
    assert.equal(after(word), '2026-02-01T00:00:00.000Z')
  assert.equal(after('@midnight', '2026-02-01T00:00:00.000Z'), '2026-02-02T00:00:00.000Z')
  assert.equal(after('@hourly'), '2026-01-31T09:00:00.000Z')
  assert.equal(after('@weekly'), '2026-02-01T00:00:00.000Z')
  assert.equal(after('@monthly'), '2026-02-01T00:00:00.000Z')
  for (const word of ['@annually', '@yearly']) assert.equal(after(word), '2027-01-01T00:00:00.000Z')
  assert.equal(after('*/5 1-3 * * MON-FRI'), '2026-02-02T01:00:00.000Z')
  assert.equal(after('0 0 29 2 *'), '2028-02-29T00:00:00.000Z')
})

test('what is no timetable is told apart from one', () => {
  const broken = [
    '',
    '@',
    '@never',
    '* * * *',
    '* * * * * *',
    '61 * * * *',
    '* * 0 * *',
    'a b c d e',
    '@every',
  ]
  for (const text of broken) assert.match(after(text), /^must be /, text)
  for (const text of ['@every 0s', '@every 5', '@every -1h', '@every 1h30', '@every 1d', '@every 999999999h'])
    assert.match(after(text), /^must have an interval/, text)
  assert.equal(after('0 0 30 2 *'), 'names a time that never occurs')
})

test('schedules of tasks are read from one text, and a fault names its task', () => {
  const read = parseTimetables(' a=@every 1h ; b_c = 5 4 * * * ;c=-;')
  assert.ok(read.ok)
  assert.deepEqual(
    [...read.value].map(([name, timetable]) => [name, timetable?.text]),
    [
      ['a', '@every 1h'],
      ['b_c', '5 4 * * *'],
      ['c', undefined],
    ],
  )
  assert.deepEqual(parseTimetables(''), { ok: true, value: new Map() })
  for (const text of ['a', 'a b=@daily', '=@daily', 'a;b']) assert.ok(!parseTimetables(text).ok, text)
  const fault = parseTimetables('a=@daily;b=@often')
  assert.match(fault.ok ? '' : fault.fault, /^has a schedule for b that must be/)
  for (const text of ['a=@daily;a=@weekly', 'a=-;b=@daily;a=-'])
    assert.deepEqual(parseTimetables(text), { ok: false, fault: 'has two schedules for a' })
})
