import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileRegularExpression } from '../../src/common/regular-expression.ts'

for (const [pattern, fits, fitsNot] of [
  ['', ['', 'a'], []],
  ['v', ['v', 'av1'], ['', 'V']],
  ['^v', ['v1'], ['av']],
  ['v$', ['av'], ['va']],
  ['^v[0-9]+\\.\\d+$', ['v1.2', 'v12.34'], ['v1', 'v1x2', 'v.2']],
  ['^(a|bc)*$', ['', 'abca'], ['b', 'ac']],
  ['^(?:a|b)(?P<name>c)(?<more>d)$', ['acd', 'bcd'], ['cd']],
  ['^a{2}$', ['aa'], ['a', 'aaa']],
  ['^a{2,}$', ['aa', 'aaaa'], ['a']],
  ['^a{1,3}$', ['a', 'aaa'], ['', 'aaaa']],
  ['a{x', ['a{x'], ['ax']],
  ['^a+?b*?c??$', ['a', 'aabbc'], ['b']],
  ['^[^a-c]$', ['d', '-'], ['a', 'dd']],
  ['^[]a-]$', [']', 'a', '-'], ['b']],
  ['^[\\d\\]_]$', ['1', ']', '_'], ['a']],
  ['^\\D\\W\\S\\s\\w$', ['a-b 1'], ['1-b 1']],
  ['(?i)^release/[a-z]$', ['Release/X'], ['release/1']],
  ['\\Aa\\z', ['a'], ['ab']],
  ['^.$', ['😀'], ['ab']],
  ['a^', [], ['a', 'a^']],
  ['^[[:alpha:]]\\pL$', ['aä'], ['1a']],
  ['\\bv1\\b', ['v1', 'a/v1'], ['v12']],
] as const)
  test(`regular expression ${JSON.stringify(pattern)}`, () => {
    const matches = compileRegularExpression(pattern)
    assert.ok(matches)
    for (const text of fits) assert.ok(matches(text), text)
    for (const text of fitsNot) assert.ok(!matches(text), text)
  })

for (const pattern of [
  '(',
  ')',
  '[',
  '[a',
  '[b-a]',
  '*',
  'a**',
  'a{3,2}',
  'a{1001}',
  '(a{1000}){1000}',
  '('.repeat(2000) + ')'.repeat(2000),
  '(?=a)',
  '(?<!a)',
  '\\1',
  '\\',
])
  test(`no regular expression: ${JSON.stringify(pattern)}`, () => {
    assert.equal(compileRegularExpression(pattern), undefined)
  })

test('a regular expression that would take exponential time takes little', () => {
  const matches = compileRegularExpression('^(a+)+$')
  assert.ok(matches)
  const begun = performance.now()
  assert.ok(!matches(`${'a'.repeat(250)}!`))
  assert.ok(performance.now() - begun < 1000)
})
