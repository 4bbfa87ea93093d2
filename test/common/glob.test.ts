import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { compileGlob } from '../../src/common/glob.ts'

type Cases = readonly (readonly [pattern: string, fits: readonly string[], fitsNot: readonly string[]])[]

const names: Cases = [
  ['', [''], ['a']],
  ['main', ['main'], ['Main', 'main2', 'amain', '']],
  ['*', ['', 'a', 'a/b/c'], []],
  ['**', ['', 'a/b'], []],
  ['release/*', ['release/', 'release/1', 'release/1/2'], ['release', 'arelease/1']],
  [
    '*.example.com',
    ['a.example.com', 'a.b.example.com', '.example.com'],
    ['example.com', 'a.example.com.evil'],
  ],
  ['v?.?', ['v1.2', 'vä.😀'], ['v1.', 'v1.22', 'v12']],
  ['{main,release/*}', ['main', 'release/1'], ['mainrelease/1', 'dev', '']],
  ['{a,b{c,d}}x', ['ax', 'bcx', 'bdx'], ['bx', 'cx', 'x']],
  ['{,un}stable', ['stable', 'unstable'], ['table']],
  ['[a-c]1', ['a1', 'b1', 'c1'], ['d1', '-1', 'A1']],
  ['[!a-c]', ['d', '-', '!'], ['a', 'b', '']],
  ['[^a]', ['b', '^'], ['a']],
  ['[a-]', ['a', '-'], ['b']],
  ['[\\]x]', [']', 'x'], ['\\']],
  ['\\*', ['*'], ['a', '\\*']],
  ['a\\{b', ['a{b'], ['ab']],
  ['a,b}', ['a,b}'], ['a', 'b}']],
  ['.+(x)$^|', ['.+(x)$^|'], ['x']],
]

/** Filters of workflows. */
const paths: Cases = [
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

/** Names of protected branches, whose segments a slash separates. */
const segments: Cases = [
  ['release/*', ['release/', 'release/1.2'], ['release/1/2', 'release']],
  ['release/**', ['release/1', 'release/1/2'], ['release', 'a/release/1']],
  ['**/x', ['a/x', 'a/b/x', '/x'], ['x']],
  ['v?', ['v1', 'v.'], ['v/', 'v', 'v12']],
  ['{main,release/*}', ['main', 'release/1'], ['release/1/2']],
  ['a+', ['a+'], ['aa']],
]

/** Files that a protected branch protects: dots separate too. */
const files: Cases = [
  ['*.lock', ['a.lock'], ['a.b.lock', 'b/a.lock']],
  ['**.lock', ['a.b.lock', 'b/a.lock'], ['lock']],
  ['docs/?', ['docs/a'], ['docs/.', 'docs/ab']],
]

for (const [name, dialect, cases] of [
  ['names', 'names', names],
  ['paths', 'paths', paths],
  ['segments', { separators: '/' }, segments],
  ['files', { separators: './' }, files],
] as const)
  for (const [pattern, fits, fitsNot] of cases) {
    test(`glob of ${name} ${JSON.stringify(pattern)}`, () => {
      const matches = compileGlob(pattern, dialect)
      assert.ok(matches)
      for (const text of fits) assert.equal(matches(text), true, `fits ${JSON.stringify(text)}`)
      for (const text of fitsNot) assert.equal(matches(text), false, `does not fit ${JSON.stringify(text)}`)
    })
  }

for (const pattern of [
  '[',
  '[]',
  '[!]',
  '[a',
  '[a-',
  '{',
  '{a',
  '{a,',
  '{a,{b}',
  '\\',
  '[\\',
  'a[b-',
  '[b-a]',
]) {
  test(`glob ${JSON.stringify(pattern)} is malformed`, () => {
    assert.equal(compileGlob(pattern), undefined)
    assert.equal(compileGlob(pattern, 'paths'), undefined)
  })
}

for (const pattern of ['?', '+a'])
  test(`glob of paths ${JSON.stringify(pattern)} is malformed`, () =>
    assert.equal(compileGlob(pattern, 'paths'), undefined))

// A backtracking matcher would not come back from these.
for (const pattern of [
  `${'*a'.repeat(40)}{${'*a,'.repeat(40)}*a}b`,
  `${'a*'.repeat(400)}b`,
  `${'a?'.repeat(400)}${'a'.repeat(100)}b`,
  `${'{'.repeat(100)}a${'}+'.repeat(100)}b`,
  `${'**a'.repeat(300)}b`,
])
  test(`glob ${pattern.slice(0, 6)}… takes time in proportion to its size`, () => {
    assert.equal(compileGlob(pattern)?.('a'.repeat(2000)), false)
    assert.equal(compileGlob(pattern, 'paths')?.('a'.repeat(2000)), false)
  })

test('whatever a glob is, it is read or refused', () => {
  const text = fc.array(fc.constantFrom(...'ab/*?+[]{},!\\-^'), { maxLength: 30 }).map((all) => all.join(''))
  fc.assert(
    fc.property(text, text, (pattern, name) => {
      compileGlob(pattern)?.(name)
      compileGlob(pattern, 'paths')?.(name)
    }),
  )
})

test('a glob without signs is matched by itself and by nothing else', () => {
  const plain = fc.stringMatching(/^[a-z/._-]{1,20}$/)
  fc.assert(
    fc.property(plain, plain, (pattern, name) => {
      assert.equal(compileGlob(pattern)?.(name), pattern === name)
      assert.equal(compileGlob(pattern, 'paths')?.(name), pattern === name)
    }),
  )
})
