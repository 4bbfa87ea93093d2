import assert from 'node:assert/strict'
import { test } from 'node:test'
import { filterFlag, flag, integer } from '../../src/forge/parameters.ts'

for (const text of ['1', 't', 'T', 'true', 'TRUE', 'True', 'on', 'ON', 'On', 'oN']) {
  test(`"${text}" is true`, () => {
    assert.deepEqual([flag(text), filterFlag(text)], [true, true])
  })
}

for (const text of [
  '0',
  'f',
  'false',
  'off',
  'yes',
  'y',
  'tRUE',
  '2',
  '-1',
  ' true',
  'true ',
  'true\n',
  'onn',
  'null',
  '\0',
]) {
  test(`${JSON.stringify(text)} is false, and filters`, () => {
    assert.deepEqual([flag(text), filterFlag(text)], [false, false])
  })
}

for (const text of ['', undefined]) {
  test(`${JSON.stringify(text)} is false, and does not filter`, () => {
    assert.deepEqual([flag(text), filterFlag(text)], [false, undefined])
  })
}

for (const [text, number] of [
  ['0', 0],
  ['-0', 0],
  ['7', 7],
  ['+7', 7],
  ['-7', -7],
  ['007', 7],
  ['9007199254740991', 9007199254740991],
  ['9007199254740992', 0],
  ['9223372036854775807', 0],
  ['9'.repeat(400), 0],
  ['', 0],
  [undefined, 0],
  ['1.5', 0],
  ['1e3', 0],
  ['0x10', 0],
  ['1_000', 0],
  [' 1', 0],
  ['1\n', 0],
  ['--1', 0],
  ['NaN', 0],
  ['Infinity', 0],
  ['１', 0],
] as const) {
  test(`${JSON.stringify(text)?.slice(0, 30)} is ${number}`, () => {
    assert.ok(Object.is(integer(text), number))
  })
}
