import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { hasDuplicateKey } from '../../../src/forge/protocol/duplicate-keys.ts'

for (const json of [
  '{"a":1,"a":1}',
  '{"a":{"b":[{"c":1,"c":2}]}}',
  '[[{"a":1},{"b":1,"\\u0062":2}]]',
  '{"":1,"":2}',
  '{ "a" : {} , "a" : [] }',
  '{"a\\"":1,"a\\"":2}',
]) {
  test(`hasDuplicateKey() sees a name that stands twice in ${json}`, () =>
    assert.equal(hasDuplicateKey(json), true))
}

for (const json of [
  '{}',
  '{"a":"a"}',
  '{"a":{"a":{"a":1}},"b":[{"a":1},{"a":2}]}',
  '["a","a"]',
  '{"a":"{\\"a\\":1"}',
  '"a"',
  '1',
]) {
  test(`hasDuplicateKey() sees none in ${json}`, () => assert.equal(hasDuplicateKey(json), false))
}

test('hasTwin() sees none in whatever an object is written as', () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => !hasDuplicateKey(JSON.stringify(value))))
})

test('hasTwin() takes a long text in one pass', () => {
  assert.equal(hasDuplicateKey(`[${'{"a":[{"b":"\\\\"}]},'.repeat(50_000)}0]`), false)
})
