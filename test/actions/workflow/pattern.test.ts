import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { attempt } from '../../../src/actions/workflow/fault.ts'
import { compilePattern } from '../../../src/actions/workflow/pattern.ts'

const cases: readonly (readonly [pattern: string, fits: readonly string[], fitsNot: readonly string[]])[] = [
  ['main', ['main'], ['Main', 'main2', '', 'a/main']],
  ['*', ['', 'main', 'a.b'], ['a/b']],
  ['**', ['', 'main', 'a/b/c'], []],
  ['feature/*', ['feature/', 'feature/a'], ['feature/a/b', 'feature']],
  ['feature/**', ['feature/', 'feature/a/b'], ['feature', 'xfeature/a']],
  ['**/x', ['x', 'a/x', 'a/b/x'], ['ax', 'x/a']],
  ['a/**/b', ['a/b', 'a/c/b', 'a/c/d/b'], ['ab', 'a/bb', 'b']],
  ['a**/b', ['a/b', 'ax/y/b'], ['b', 'axb']],
  ['**.js', ['.js', 'a.js', 'a/b.js'], ['a.jsx']],
  ['*.jsx?', ['a.js', 'a.jsx'], ['a.jsxx', 'a/b.js']],
  ['v[12].[0-9]+.[0-9]+', ['v1.0.12', 'v2.10.1'], ['v3.0.1', 'v1..1', 'v1.0']],
  ['[!a-c]', ['d', '-'], ['a', 'b', '', 'dd']],
  ['[\\]x]', [']', 'x'], ['\\']],
  ['{a,b/{c,d}}', ['a', 'b/c', 'b/d'], ['b', 'b/', 'c']],
  ['(x)', ['(x)'], ['x']],
  ['a{b}+', ['ab', 'abb'], ['a']],
  ['a\\*', ['a*'], ['ab']],
  ['docs/**/*.md', ['docs/a.md', 'docs/a/b.md'], ['docs.md', 'a/docs/b.md']],
  ['.+$^|', ['.$^|', '..$^|'], ['$^|', 'a']],
  ['😀?x', ['x', '😀x'], ['😀😀x']],
]

for (const [pattern, fits, fitsNot] of cases) {
  test(`filter pattern ${JSON.stringify(pattern)}`, () => {
    const matches = compilePattern(pattern)
    for (const name of fits) assert.equal(matches(name), true, `fits ${JSON.stringify(name)}`)
    for (const name of fitsNot) assert.equal(matches(name), false, `does not fit ${JSON.stringify(name)}`)
  })
}

for (const pattern of ['[', '[]', '[a', '{a', '{a,', '\\', '?', '+a', '[a-', 'x'.repeat(1001)]) {
  test(`filter pattern ${JSON.stringify(pattern.slice(0, 10))} is malformed`, () => {
    assert.ok('fault' in attempt(() => compilePattern(pattern)))
  })
}

test('patterns made to be slow are not', () => {
  const name = 'a'.repeat(4000)
  for (const pattern of [
    `${'*'.repeat(1)}${'a*'.repeat(400)}b`,
    `${'a?'.repeat(400)}${'a'.repeat(100)}b`,
    `${'{'.repeat(100)}a${'}+'.repeat(100)}b`,
    `${'**a'.repeat(300)}b`,
  ]) {
    // Backtracking would take longer than the universe has lasted.
    assert.equal(compilePattern(pattern)(name), false)
  }
})

test('whatever the pattern is, it is read or refused with a sentence', () => {
  const alphabet = [...'ab/*?+[]{},!\\-^']
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...alphabet), { maxLength: 30 }),
      fc.array(fc.constantFrom(...alphabet), { maxLength: 20 }),
      (pattern, name) => {
        const compiled = attempt(() => compilePattern(pattern.join('')))
        if ('value' in compiled) compiled.value(name.join(''))
        else assert.match(compiled.fault, /^a filter pattern /)
      },
    ),
  )
})

test('a name without signs is matched by itself and by nothing else', () => {
  const plain = fc.stringMatching(/^[a-z/._-]{1,20}$/)
  fc.assert(
    fc.property(plain, plain, (pattern, name) => {
      assert.equal(compilePattern(pattern)(name), pattern === name)
    }),
  )
})
