import assert from 'node:assert/strict'
import { test } from 'node:test'
import { filterFlag, flag, integer, integerLiteral } from '../../../src/forge/protocol/parameters.ts'

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

for (const [text, number] of [
  ['1', 1],
  ['+7', 7],
  ['-3', -3],
  ['0x1F', 31],
  ['0b101', 5],
  ['0o17', 15],
  ['017', 15],
  ['9007199254740991', 9007199254740991],
  ['9007199254740992', -1],
  ['0', undefined],
  ['00', undefined],
  ['08', undefined],
  ['', undefined],
  ['1.5', undefined],
  ['1e3', undefined],
  ['0x', undefined],
  ['laptop', undefined],
  [' 1', undefined],
  ['1\n', undefined],
] as const) {
  test(`as a program writes it ${JSON.stringify(text)} is ${number}`, () => {
    assert.equal(integerLiteral(text), number)
  })
}
