import assert from 'node:assert/strict'
import { test } from 'node:test'
import { literalNeedleOf, needleOf } from '../../../src/forge/protocol/search-pattern.ts'

test('a term stands anywhere, in lower case, without the blanks around it', () => {
  assert.deepEqual(needleOf(' Ada '), { pattern: '%ada%', hasGrams: true })
  assert.deepEqual(needleOf('ad'), { pattern: '%ad%', hasGrams: false })
  assert.deepEqual(needleOf('ad%'), { pattern: 'ad%', hasGrams: false })
  for (const term of ['', '  ', '%', '%%']) assert.equal(needleOf(term), undefined)
})

test('only ASCII is folded, as the database does it', () => {
  assert.equal(needleOf('ÉLAN')?.pattern, '%Élan%')
  assert.equal(literalNeedleOf('ÉLAN')?.text, 'Élan')
})

test('in a literal term wildcards stand for themselves, and its pattern finds at least what holds it', () => {
  assert.deepEqual(literalNeedleOf('A_b%'), { text: 'a_b%', pattern: '%a_b_%', hasGrams: false })
  assert.deepEqual(literalNeedleOf('%'), { text: '%', pattern: '%_%', hasGrams: false })
  assert.deepEqual(literalNeedleOf('first_last'), {
    text: 'first_last',
    pattern: '%first_last%',
    hasGrams: true,
  })
  assert.equal(literalNeedleOf('  '), undefined)
  assert.equal(literalNeedleOf('a\0b')?.text, 'a\ufffeb')
})
