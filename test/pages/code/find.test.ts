import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { startRepository } from '../../support/forge/workflows.ts'
import { browserOf, hostile } from '../browser.ts'

const folder = await temporaryFolder()
const app = await startApp({ DATA_DIR: join(folder, 'data') })
const { url, make } = app
const ada = await make.person({ name: 'ada' })
const repo = await startRepository({ ...app, folder, ada }, 'code')
const { page, statusOf } = browserOf(url)
const find = (path: string, q = '') => page(`/ada/code/find/${path}?${new URLSearchParams({ q })}`)
const pathsIn = (shown: string) =>
  [
    ...shown.matchAll(/<li><a href="https:\/\/forgehall\.example\/ada\/code\/src\/[a-z]+\/[^/]+\/([^"]+)">/g),
  ].map(([, path = '']) => decodeURIComponent(path.replaceAll('&#39;', "'")))

const names = ['<b>&"\'.txt', 'a b#c?d%2F.txt', '%zz', 'ü—🙂.txt', 'line\nfeed', 'back\\slash', '-x']
await repo.push({
  'README.md': '',
  'src/pages/README.md': '',
  'src/readme/other.ts': '',
  ...Object.fromEntries(names.map((name) => [`odd/${name}`, ''])),
})

test('GET /{owner}/{repo}/find/{kind}/{path...} lists the files whose paths have all words, those with the name first', async () => {
  assert.deepEqual(pathsIn(await find('branch/main', 'ReadMe')), [
    'README.md',
    'src/pages/README.md',
    'src/readme/other.ts',
  ])
  assert.deepEqual(pathsIn(await find('branch/main', 'md  pages')), ['src/pages/README.md'])
  assert.deepEqual(pathsIn(await find('branch/main')).length, 3 + names.length)
  assert.match(await find('branch/main', hostile[0]), /No path has &ldquo;&lt;script&gt;/)
  await find('branch/main', 'x'.repeat(5000))
  const home = await page('/ada/code')
  assert.ok(
    home.includes(
      'href="https://forgehall.example/ada/code/find/branch/main" aria-keyshortcuts="t">Find a file</a>',
    ),
  )
})

test('GET /{owner}/{repo}/find/{kind}/{path...} links files with odd names', async () => {
  const listed = pathsIn(await find('branch/main', 'odd/'))
  assert.deepEqual(listed.sort(), names.map((name) => `odd/${name}`).sort())
  for (const path of listed)
    assert.equal(await statusOf(`/ada/code/src/branch/main/${encodeURIComponent(path)}`), 200, path)
  for (const path of ['branch/none', 'branch/main/odd', 'wiki/main', 'branch/--all'])
    assert.equal(await statusOf(`/ada/code/find/${path}`), 404, path)
})

test('GET /{owner}/{repo}/find/{kind}/{path...} shows a bounded part of many files, and finds each of them', async () => {
  // Without files on the disk: a tree from its entries.
  const blob = await repo.git('rev-parse', 'HEAD:README.md')
  const entries = Array.from({ length: 10_003 }, (_, at) => `100644,${blob},many/file-${at}.txt`)
  for (let at = 0; at < entries.length; at += 1000)
    await repo.git(
      'update-index',
      '--add',
      ...entries.slice(at, at + 1000).flatMap((entry) => ['--cacheinfo', entry]),
    )
  await repo.git('commit', '-qm', 'many')
  await repo.git('push', '-q', 'origin', 'HEAD:refs/heads/many')
  const all = await find('branch/many')
  assert.match(all, /<h2 id="files">10013 files<\/h2>/)
  assert.equal(pathsIn(all).length, 500)
  assert.match(all, /and 9513 more/)
  assert.deepEqual(pathsIn(await find('branch/many', 'file-10002')), ['many/file-10002.txt'])
})
