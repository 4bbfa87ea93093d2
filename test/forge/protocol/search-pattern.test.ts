import assert from 'node:assert/strict'
import { test } from 'node:test'
import { literalSearchPattern, searchPattern } from '../../../src/forge/protocol/search-pattern.ts'

test('a term may occur anywhere; it is in lower case and trimmed', () => {
  assert.deepEqual(searchPattern(' Ada '), { pattern: '%ada%', hasTrigram: true, isFolded: false })
  assert.deepEqual(searchPattern('ad'), { pattern: '%ad%', hasTrigram: false, isFolded: false })
  assert.deepEqual(searchPattern('ad%'), { pattern: 'ad%', hasTrigram: false, isFolded: false })
  for (const term of ['', '  ', '%', '%%']) assert.equal(searchPattern(term), undefined)
})

test('letters of all scripts are folded as in the database', () => {
  assert.deepEqual(searchPattern('ÉLAN'), { pattern: '%élan%', hasTrigram: true, isFolded: true })
  assert.equal(searchPattern('E\u0301lan')?.pattern, '%élan%')
  assert.equal(searchPattern('ΣΑΣ')?.pattern, '%σασ%')
  assert.equal(literalSearchPattern('ИВАН')?.text, 'иван')
})

test('in a literal term wildcards stand for themselves, and its pattern finds at least what holds it', () => {
  assert.deepEqual(literalSearchPattern('A_b%'), {
    text: 'a_b%',
    pattern: '%a_b_%',
    hasTrigram: false,
    isFolded: false,
  })
  assert.deepEqual(literalSearchPattern('%'), {
    text: '%',
    pattern: '%_%',
    hasTrigram: false,
    isFolded: false,
  })
  assert.deepEqual(literalSearchPattern('first_last'), {
    text: 'first_last',
    pattern: '%first_last%',
    hasTrigram: true,
    isFolded: false,
  })
  assert.equal(literalSearchPattern('  '), undefined)
  assert.equal(literalSearchPattern('a\0b')?.text, 'a\ufffeb')
})
