import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { startRepository } from '../../support/forge/workflows.ts'

const folder = await temporaryFolder()
const app = await startApp({ DATA_DIR: join(folder, 'data') })
const { call, make } = app
const [ada, eve] = await make.people('ada', 'eve')
const GET = 'GET /api/v1/repos/{owner}/{repo}/editorconfig/{filepath...}'

const ask = (filepath: string, { repo = 'code', as = ada, ref = '' } = {}) =>
  call(GET, { as, params: { owner: 'ada', repo, filepath }, query: ref === '' ? {} : { ref } })

const repo = await startRepository({ ...app, folder, ada }, 'code')
const first = await repo.push({ a: '1' })
await repo.push({
  '.editorconfig': `\ufeffroot = true

# A comment
[*]
charset = UTF-8
end_of_line=lf
indent_style = space
Indent_Size = 2

; Another
[*.{go,mk}]
indent_style = tab
indent_size = unset

[Makefile]
indent_style = tab
indent_size = tab
tab_width = 8

[/docs/**.md]
indent_size = 4

[lib/*.js]
indent_size = 3

[file{1..3}.txt]
charset = latin1

[{single}.x]
charset = utf-16le

[[open]
charset = broken
no setting
= nothing
`,
})
await repo.git('tag', 'v1')
await repo.git('push', '-q', 'origin', 'v1')
await startRepository({ ...app, folder, ada }, 'hollow')

const plain = { charset: 'utf-8', indent_style: 'space', indent_size: '2', end_of_line: 'lf' }

test(`${GET} sends the settings for each path`, async () => {
  const { charset, end_of_line } = plain
  for (const [path, expected] of [
    ['a.ts', plain],
    ['deep/er/a.ts', plain],
    ['x.go', { charset, indent_style: 'tab', indent_size: 'tab', end_of_line }],
    ['sub/Makefile', { charset, indent_style: 'tab', indent_size: '8', end_of_line }],
    ['docs/a/b.md', { ...plain, indent_size: '4' }],
    ['other/docs/b.md', plain],
    ['lib/x.js', { ...plain, indent_size: '3' }],
    ['lib/deep/x.js', plain],
    ['file2.txt', { ...plain, charset: 'latin1' }],
    ['file4.txt', plain],
    ['{single}.x', { ...plain, charset: 'utf-16le' }],
    ['single.x', plain],
  ] as const) {
    const { status, body } = await ask(path)
    assert.deepEqual([status, body], [200, expected], path)
  }
  assert.deepEqual((await ask('a.ts', { ref: 'v1' })).body, plain)
})

test(`${GET} refuses unknown revisions, and paths that no file can have`, async () => {
  assert.equal((await ask('a.ts', { ref: first })).status, 404)
  assert.equal((await ask('a.ts', { ref: 'none' })).status, 404)
  assert.equal((await ask('a.ts', { ref: 'a\0..b' })).status, 404)
  assert.equal((await ask('a.ts', { repo: 'hollow' })).status, 404)
  for (const path of ['.git/x', 'a\0', 'x'.repeat(5000)]) assert.equal((await ask(path)).status, 400)
})

test(`${GET} accepts a file of many sections, and one that is a folder or too large`, async () => {
  const many = Array.from({ length: 20_000 }, (_, at) => `[{a,b,**}*${at}]\nindent_size=${at}\n`).join('')
  await repo.push({ '.editorconfig': `[*]\ncharset=latin1\n${many}` })
  assert.deepEqual((await ask('x1')).body, { charset: 'latin1', indent_size: '1' })
  await repo.push({ '.editorconfig': null, '.editorconfig/x': '' })
  assert.equal((await ask('x1')).status, 404)
})

test(`${GET} is for those who may read the code`, async () => {
  const body = { private: true, archived: true }
  await call('PATCH /api/v1/repos/{owner}/{repo}', { as: ada, params: { owner: 'ada', repo: 'code' }, body })
  assert.equal((await ask('a', { as: eve })).status, 404)
  assert.equal((await ask('a', { ref: 'v1' })).status, 200)
  assert.equal((await call(GET, { params: { owner: 'ada', repo: 'code', filepath: 'a' } })).status, 404)
})
