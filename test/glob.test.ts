import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileGlob } from '../src/glob.ts'

const cases: readonly (readonly [pattern: string, fits: readonly string[], fitsNot: readonly string[]])[] = [
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

for (const [pattern, fits, fitsNot] of cases) {
  test(`glob ${JSON.stringify(pattern)}`, () => {
    const matches = compileGlob(pattern)
    assert.ok(matches)
    for (const text of fits) assert.equal(matches(text), true, `fits ${JSON.stringify(text)}`)
    for (const text of fitsNot) assert.equal(matches(text), false, `does not fit ${JSON.stringify(text)}`)
  })
}

for (const pattern of ['[', '[]', '[!]', '[a', '{', '{a', '{a,', '{a,{b}', '\\', '[\\', 'a[b-']) {
  test(`glob ${JSON.stringify(pattern)} is malformed`, () => assert.equal(compileGlob(pattern), undefined))
}

test('a glob made to be slow takes time in proportion to its size', () => {
  const matches = compileGlob(`${'*a'.repeat(40)}{${'*a,'.repeat(40)}*a}b`)
  // A backtracking matcher would not come back from this.
  assert.equal(matches?.('a'.repeat(2000)), false)
})
