import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EPOCH, parseTime, printDate, printTime, ZERO_TIME } from '../../../src/forge/protocol/time.ts'

for (const [text, instant] of [
  ['2026-11-21T08:09:10Z', '2026-11-21T08:09:10.000Z'],
  ['2026-11-21T08:09:10.5Z', '2026-11-21T08:09:10.500Z'],
  ['2026-11-21T08:09:10.123456789Z', '2026-11-21T08:09:10.123Z'],
  ['2026-11-21T08:09:10.9999Z', '2026-11-21T08:09:10.999Z'],
  ['2026-11-21T08:09:10+02:00', '2026-11-21T06:09:10.000Z'],
  ['2026-11-21T08:09:10-03:30', '2026-11-21T11:39:10.000Z'],
  ['2026-11-21T08:09:10-00:00', '2026-11-21T08:09:10.000Z'],
  ['2026-11-21T08:09:10+23:59', '2026-11-20T08:10:10.000Z'],
  ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
  ['2000-02-29T23:59:59.001+00:00', '2000-02-29T23:59:59.001Z'],
  ['1970-01-01T00:00:00Z', '1970-01-01T00:00:00.000Z'],
  ['0001-01-01T00:00:01Z', '0001-01-01T00:00:01.000Z'],
  ['0001-01-01T00:00:00.001Z', '0001-01-01T00:00:00.001Z'],
  ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59.000Z'],
  ['0000-06-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ['0001-01-01T00:00:00+01:00', '0001-01-01T00:00:00.000Z'],
  ['9999-12-31T23:59:59-01:00', '9999-12-31T23:59:59.999Z'],
] as const) {
  test(`parseTime("${text}") is ${instant}`, () => {
    assert.deepEqual(parseTime(text), { ok: true, value: new Date(instant) })
  })
}

for (const text of [undefined, '', ZERO_TIME, '0001-01-01T00:00:00.000Z', '0001-01-01T01:00:00+01:00']) {
  test(`parseTime(${JSON.stringify(text)}) is not given`, () => {
    assert.deepEqual(parseTime(text), { ok: true, value: undefined })
  })
}

for (const text of [
  '2026-11-21',
  '2026-11-21T08:09Z',
  '2026-11-21T08:09:10',
  '2026-11-21 08:09:10Z',
  '2026-11-21t08:09:10Z',
  '2026-11-21T08:09:10z',
  '2026-11-21T08:09:10 02:00',
  '2026-11-21T08:09:10+0200',
  '2026-11-21T08:09:10+02',
  '2026-11-21T08:09:10+24:00',
  '2026-11-21T08:09:10+02:60',
  '2026-11-21T08:09:10.Z',
  '2026-11-21T08:09:10,5Z',
  '2026-11-21T8:09:10Z',
  '2026-1-21T08:09:10Z',
  '26-11-21T08:09:10Z',
  '+02026-11-21T08:09:10Z',
  '-2026-11-21T08:09:10Z',
  '2026-00-21T08:09:10Z',
  '2026-13-21T08:09:10Z',
  '2026-11-00T08:09:10Z',
  '2026-11-31T08:09:10Z',
  '2026-02-29T08:09:10Z',
  '1900-02-29T08:09:10Z',
  '2026-11-21T24:00:00Z',
  '2026-11-21T08:60:10Z',
  '2026-11-21T08:09:60Z',
  '2026-11-21T08:09:10Z ',
  ' 2026-11-21T08:09:10Z',
  '2026-11-21T08:09:10Z\n',
  '٢٠٢٦-11-21T08:09:10Z',
  '1700000000',
  'now',
  'null',
  '\0',
]) {
  test(`parseTime(${JSON.stringify(text)}) is a fault`, () => {
    assert.deepEqual(parseTime(text), { ok: false, fault: text })
  })
}

test('printTime() cuts to whole seconds', () => {
  assert.equal(printTime('2026-11-21T08:09:10.999Z', ZERO_TIME), '2026-11-21T08:09:10Z')
})

test('printTime() prints null as the time for absent values', () => {
  assert.deepEqual(
    [printTime(null, ZERO_TIME), printTime(null, EPOCH)],
    ['0001-01-01T00:00:00Z', '1970-01-01T00:00:00Z'],
  )
})

for (const text of ['', '2026-11-21T08:09:10Z', '2026-11-21 08:09:10.000+00', '2026-11-21T08:09:10.000Z\n']) {
  test(`printTime() throws for ${JSON.stringify(text)}, which the database never gives`, () => {
    assert.throws(() => printTime(text, ZERO_TIME), RangeError)
  })
}

test('printDate() prints a date in the same form', () => {
  assert.equal(printDate(new Date('2026-11-21T08:09:10.999Z')), '2026-11-21T08:09:10Z')
})

test('parseTime() reads what printTime() prints', () => {
  const printed = printTime('2026-11-21T08:09:10.000Z', EPOCH)
  assert.deepEqual(parseTime(printed), { ok: true, value: new Date(printed) })
})
