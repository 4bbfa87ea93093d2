import assert from 'node:assert/strict'
import { test } from 'node:test'
import { languageOf } from '../../src/render/formats/language-of.ts'
import { showSource } from '../../src/render/formats/source.ts'
import { html } from './request.ts'

const linesOf = (text: string, sourcePath: string) => html(showSource({ text, sourcePath })).split('\n')

test('the source of a file is as many lines of markup as the file has, each complete in itself', () => {
  const text = '/* one\n<two> */\nconst a = `x\n${b}\n`\n'
  assert.deepEqual(linesOf(text, 'src/a.ts'), [
    '<span class="c">/* one</span>',
    '<span class="c">&lt;two&gt; */</span>',
    '<span class="k">const</span> a = <span class="s">`x</span>',
    '<span class="s"><span class="si">${b}</span></span>',
    '<span class="s">`</span>',
    '',
  ])
})

test('a file of an unknown language, or too long to be highlighted, is its text', () => {
  for (const path of ['a', 'a.unknown', 'constructor', 'a.__proto__', ''])
    assert.deepEqual(linesOf('const <a>', path), ['const &lt;a&gt;'], path)
  assert.equal(linesOf('const a\n'.repeat(40_000), 'a.ts')[7], 'const a')
})

test('tokens that nest deeply neither fail nor make each line long', () => {
  const text = `${'`${'.repeat(3000)}${'\n'.repeat(3000)}`
  const shown = linesOf(text, 'a.js')
  assert.equal(shown.length, 3001)
  assert.ok(shown.join('\n').length < 3001 * 400, `${shown.join('\n').length}`)
})

test('the name of a file tells its language', () => {
  for (const [path, language] of [
    ['Makefile', 'makefile'],
    ['deploy/Dockerfile', 'dockerfile'],
    ['CMakeLists.txt', 'cmake'],
    ['a.TS', 'ts'],
    ['index.htm', 'xml'],
    ['.bashrc', 'bash'],
    ['LICENSE', undefined],
  ] as const)
    assert.equal(languageOf(path), language, path)
})
