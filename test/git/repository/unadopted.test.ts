import assert from 'node:assert/strict'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { scanRepositories } from '../../../src/git/repository/unadopted.ts'
import { temporaryFolder } from '../../support/folder.ts'

const root = await temporaryFolder()
const folders = ['alice/doc.git', 'alice/docs-2.git', 'alice/site.git', 'bob/doc.git', 'bob.x/.profile.git']
const strange = [
  '.temporary/x.git',
  'alice/plain',
  'alice/Upper.git',
  'Alice2/x.git',
  'alice/deep/x.git',
  'alice/.git',
  'alice/...git',
  'top.git',
]
for (const name of [...folders, ...strange]) await mkdir(join(root, name), { recursive: true })
await writeFile(join(root, 'alice', 'file.git'), '')
await symlink(join(root, 'bob'), join(root, 'carol'))
await symlink(join(root, 'bob', 'doc.git'), join(root, 'alice', 'link.git'))

const names = async (filter?: string) =>
  (await scanRepositories(root, filter)).map(({ owner, name }) => `${owner}/${name}`)

test('the scan finds directories two levels deep and nothing else, in order', async () => {
  assert.deepEqual(await names(), ['alice/doc', 'alice/docs-2', 'alice/site', 'bob/doc', 'bob.x/.profile'])
})

test('a filter selects owners, or owners and names', async () => {
  const expected: Record<string, string[]> = {
    alice: ['alice/doc', 'alice/docs-2', 'alice/site'],
    'alice/': ['alice/doc', 'alice/docs-2', 'alice/site'],
    '*/doc*': ['alice/doc', 'alice/docs-2', 'bob/doc'],
    '/doc': ['alice/doc', 'bob/doc'],
    'b?b/d[a-o]c': ['bob/doc'],
    'b?b/d[!o]c': [],
    Alice: [],
    alic: [],
    '../*': [],
    '*/../*': [],
    'alice/doc/x': [],
    'alice[': [],
    'alice\\': [],
    '{bob,alice}/site': ['alice/site'],
    'alice/do\\c': ['alice/doc'],
    [`{alice,${'b'.repeat(255)}}`]: [],
    [`${'*a'.repeat(100)}b`]: [],
  }
  for (const [filter, found] of Object.entries(expected)) assert.deepEqual(await names(filter), found, filter)
})

test('a root that is not there holds nothing', async () => {
  assert.deepEqual(await scanRepositories(join(root, 'absent')), [])
})

test('ten thousand directories are one pass', async () => {
  const many = await temporaryFolder()
  for (let owner = 0; owner < 100; owner++) {
    await mkdir(join(many, `o${owner}`))
    await Promise.all(Array.from({ length: 100 }, (_, at) => mkdir(join(many, `o${owner}`, `r${at}.git`))))
  }
  assert.equal((await scanRepositories(many)).length, 10_000)
  assert.equal((await scanRepositories(many, 'o7/r*9')).length, 10)
})
