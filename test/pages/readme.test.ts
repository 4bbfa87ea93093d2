import assert from 'node:assert/strict'
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../support/app.ts'
import { temporaryFolder } from '../support/folder.ts'
import { makersFor } from '../support/forge/make.ts'
import { startRepository } from '../support/forge/workflows.ts'
import { browserOf } from './browser.ts'

const folder = await temporaryFolder()
const app = await startApp({ DATA_DIR: join(folder, 'data') })
const ada = await makersFor(app).person({ name: 'ada' })
const repo = await startRepository({ ...app, folder, ada }, 'introduced')
const { page } = browserOf(app.url)

const at = (path: string) => join(repo.path, path)

async function put(path: string, content: string | Buffer) {
  await mkdir(dirname(at(path)), { recursive: true })
  await writeFile(at(path), content)
}

async function link(path: string, target: string) {
  await mkdir(dirname(at(path)), { recursive: true })
  await symlink(target, at(path))
}

/** What introduces a folder of the default branch after a push of what has changed. */
async function readme(path = ''): Promise<string | undefined> {
  await repo.push({})
  const shown = await page(path === '' ? '/ada/introduced' : `/ada/introduced/src/branch/main/${path}`)
  return /aria-label="README">(.*?)<\/section>/s.exec(shown)?.[1]?.trim()
}

test('the README of the root may be in docs, .gitea or .github, the root before them', async () => {
  await put('.github/README.md', 'from github')
  assert.equal(await readme(), '<p dir="auto">from github</p>')
  await put('.gitea/readme.txt', 'from gitea')
  assert.equal(await readme(), '<pre>from gitea</pre>')
  await put('Docs/README.md', '[from docs](a.md)')
  await put('Docs/.github/README.md', 'deeper')
  assert.equal(
    await readme(),
    '<p dir="auto"><a href="https://forgehall.example/ada/introduced/src/branch/main/Docs/a.md" rel="nofollow">from docs</a></p>',
  )
  await put('docs/empty.txt', '')
  assert.equal(await readme(), '<pre>from gitea</pre>')
  await put('README', 'from the root')
  assert.equal(await readme(), '<pre>from the root</pre>')
  await put('other/docs/README.md', 'not of this folder')
  await put('other/a.txt', '')
  assert.equal(await readme('other'), undefined)
})

test('a README is found through symbolic links that lead to a file of the commit', async () => {
  await put('long/text.txt', 'the *target*')
  await link('long/middle', 'text.txt')
  await link('linked/README.md', '../long/middle')
  assert.equal(await readme('linked'), '<p dir="auto">the <em>target</em></p>')
  for (const [path, target] of [
    ['README.md', '../../etc/passwd'],
    ['Readme.md', '/etc/passwd'],
    ['readme.org', 'readme.org'],
    ['readme.markdown', 'gone\nmore'],
    ['readme.rst', '../long'],
  ] as const)
    await link(`broken/${path}`, target)
  assert.equal(await readme('broken'), undefined)
  await put('broken/readme.txt', 'the file')
  assert.equal(await readme('broken'), '<pre>the file</pre>')
})

test('a README, a file, its lines and its changes are read in the charset that they have', async () => {
  await put('latin/README.md', Buffer.from('*caf\xe9*\n', 'latin1'))
  assert.equal(await readme('latin'), '<p dir="auto"><em>café</em></p>')
  assert.match(await page('/ada/introduced/src/branch/main/latin/README.md?plain=1'), /\*café\*/)
  await rm(at('latin/README.md'))
  await put('latin/README.md', '*ÿ*\n')
  assert.equal(await readme('latin'), '<p dir="auto"><em>ÿ</em></p>')
  const japanese =
    '\x82\xb1\x82\xea\x82\xcd\x93\xfa\x96{\x8c\xea\x82\xcc\x95\xb6\x8f\xcd\x82\xc5\x82\xb7\x81B\x83e\x83X\x83g\x82\xf0\x93\xc7\x82\xf1\x82\xc5\x82\xad\x82\xbe\x82\xb3\x82\xa2\x81B\n'
  await put('japanese/README.txt', Buffer.from(japanese, 'latin1'))
  await put('japanese/wide.txt', Buffer.from('\ufeffgrüße\n', 'utf16le'))
  const commit = await repo.push({})
  for (const [path, text] of [
    ['src/branch/main/japanese', 'これは日本語の文章です。'],
    ['src/branch/main/japanese/README.txt', 'これは日本語の文章です。'],
    ['src/branch/main/japanese/wide.txt', 'grüße'],
    ['blame/branch/main/japanese/README.txt', 'これは日本語の文章です。'],
    [`commit/${commit}`, 'これは日本語の文章です。'],
  ] as const)
    assert.ok((await page(`/ada/introduced/${path}`)).includes(text), path)
})
