import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isVisibility, visibilityRule } from '../../../src/forge/accounts/visibility.ts'
import { brokenRule } from '../../../src/forge/protocol/rules.ts'

for (const word of ['public', 'limited', 'private']) {
  test(`${word} is a visibility`, () => {
    assert.equal(isVisibility(word), true)
    assert.equal(visibilityRule.holds(word), true)
  })
}

for (const word of ['Public', 'PRIVATE', ' public', 'internal', 'hidden', 'toString', '0']) {
  test(`${JSON.stringify(word)} is no visibility`, () => {
    assert.equal(isVisibility(word), false)
    assert.equal(brokenRule('Visibility', word, [visibilityRule]), '[Visibility]: In')
  })
}

test('an empty visibility counts as absent: it is no visibility, and no fault of a body', () => {
  assert.equal(isVisibility(''), false)
  assert.equal(visibilityRule.holds(''), true)
})
