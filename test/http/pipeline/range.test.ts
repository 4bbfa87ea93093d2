import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rangeOf } from '../../../src/http/pipeline/range.ts'

test('a range is one span of bytes within the content', () => {
  const asked: readonly [string | undefined, ReturnType<typeof rangeOf>][] = [
    [undefined, 'whole'],
    ['bytes=0-3', { first: 0, last: 3 }],
    ['bytes=4-', { first: 4, last: 9 }],
    ['bytes=9-9', { first: 9, last: 9 }],
    ['bytes=5-999999999999', { first: 5, last: 9 }],
    ['bytes=-3', { first: 7, last: 9 }],
    ['bytes=-99', { first: 0, last: 9 }],
    ['Bytes=0-0', { first: 0, last: 0 }],
    ['bytes=10-', 'unsatisfiable'],
    ['bytes=10-12', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=3-2', 'whole'],
    ['bytes=0-1,4-5', 'whole'],
    ['bytes=-', 'whole'],
    ['bytes=a-b', 'whole'],
    ['items=0-1', 'whole'],
    ['bytes=0-99999999999999999999', 'whole'],
  ]
  for (const [header, wanted] of asked) assert.deepEqual(rangeOf(header, 10), wanted, header)
})

test('every range of an empty content is unsatisfiable', () => {
  for (const header of ['bytes=0-', 'bytes=0-5', 'bytes=-1'])
    assert.equal(rangeOf(header, 0), 'unsatisfiable')
  assert.equal(rangeOf(undefined, 0), 'whole')
})
