import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { readCommitObject } from '../../../src/git/repository/commit.ts'
import { entriesOfTree, readTree } from '../../../src/git/repository/folder.ts'
import { readCommit } from '../../../src/git/repository/history.ts'
import { divideRefPath, resolveRef } from '../../../src/git/repository/revisions.ts'
import { client, clientOk, faultOf, gitService, okOf } from '../../support/git.ts'

const { git, repositories, folder } = await gitService()

/** A repository of a format, with a commit of files, a folder, a link and a module. */
async function made(format: 'sha1' | 'sha256') {
  const work = join(folder, format)
  await clientOk(folder, 'init', '-q', '-b', 'main', `--object-format=${format}`, work)
  await writeFile(join(work, 'ü a.txt'), 'text')
  await writeFile(join(work, 'run.sh'), '#!/bin/sh\n', { mode: 0o755 })
  await symlink('run.sh', join(work, 'link'))
  await clientOk(work, 'add', '-A')
  const blob = await clientOk(work, 'rev-parse', ':run.sh')
  const add = (entry: string) => clientOk(work, 'update-index', '--add', '--cacheinfo', entry)
  await add(`100644,${blob},folder/file`)
  await add(`160000,${'1'.repeat(blob.length)},module`)
  await clientOk(work, 'commit', '-qm', 'one')
  okOf(await repositories.create({ owner: 'a', name: format, branch: 'main', format }))
  const directory = repositories.path({ owner: 'a', name: format }) ?? ''
  await clientOk(work, 'push', '-q', directory, 'main')
  return { work, repository: { git, directory }, commit: await clientOk(work, 'rev-parse', 'HEAD') }
}

const plain = await made('sha1')
const { work, repository, commit } = plain

/** Writes an object into the repository, as it is; gives its id. */
function write(type: 'commit' | 'tree', content: string | Buffer): string {
  const args = ['hash-object', '-w', '--literally', '-t', type, '--stdin']
  return spawnSync('git', args, { cwd: repository.directory, input: content, encoding: 'utf8' }).stdout.trim()
}

for (const format of ['sha1', 'sha256'] as const)
  test(`a tree is read as git lists it (${format})`, async () => {
    const { work, repository, commit } = format === 'sha1' ? plain : await made(format)
    const listed = await clientOk(work, '-c', 'core.quotePath=false', 'ls-tree', commit)
    const tree = okOf(await readTree(repository, commit))
    const types = { folder: 'tree', file: 'blob', link: 'blob', module: 'commit' }
    assert.deepEqual(
      tree.map(({ mode, kind, id, name }) => `${mode} ${types[kind]} ${id}\t${name}`),
      listed.split('\n'),
    )
    const entries = okOf(
      await entriesOfTree(repository, await clientOk(work, 'rev-parse', `${commit}^{tree}`)),
    )
    assert.deepEqual(
      entries.map(({ name, kind, size }) => [name, kind, size]),
      [
        ['folder', 'folder', undefined],
        ['link', 'link', 6],
        ['module', 'module', undefined],
        ['run.sh', 'file', 10],
        ['ü a.txt', 'file', 4],
      ],
    )
  })

test('what is no tree is a fault, and an empty one has no entries', async () => {
  assert.equal(faultOf(await readTree(repository, '1'.repeat(40))), 'failed')
  assert.equal(faultOf(await readTree(repository, 'main')), 'name')
  const [file] = okOf(await readTree(repository, commit)).filter(({ kind }) => kind === 'file')
  assert.equal(faultOf(await readTree(repository, file?.id ?? '')), 'failed')
  assert.deepEqual(okOf(await readTree(repository, write('tree', ''))), [])
})

test('a commit is read as git shows it, whatever it is made of', async () => {
  const tree = await clientOk(work, 'rev-parse', 'HEAD^{tree}')
  const head = `tree ${tree}\nparent ${commit}\nparent ${commit}\n`
  const by = (author: string, committer = author) => `author ${author}\ncommitter ${committer}\n`
  const ada = 'Ada <ada@example.com> 1766000000'
  const latin = Buffer.from(
    `${head}${by('J\xf6rg <j@example.com> 1766000000 +0100')}encoding ISO-8859-1\n\n\xe4\n`,
    'latin1',
  )
  const signed = 'gpgsig -----BEGIN\n parent 1\n author Eve <e@x> 1 +0000\n -----END\n'
  const all = [
    latin,
    `${head}${by(`${ada} -0530`, `${ada} +1400`)}${signed}\nsigned\n\nauthor x\n`,
    `${head}${by(`${ada} +0000`)}\n`,
    `tree ${tree}\n${by(' <> 0 +0000')}\n\n  spaces \n\n`,
    `tree ${tree}\n${by('A  B.  < a@b > 1766000000 +0100')}\nno end of line`,
    `tree ${tree}\n${by(`${ada} +0000`)}encoding no-such\n\n\u00e4\n`,
  ].map((content) => write('commit', content))
  for (const id of [commit, ...all]) {
    const { added, removed, modified, ...shown } = okOf(await readCommit(repository, id))
    const {
      tree: read,
      signature,
      signed: bytes,
      payload,
      ...own
    } = okOf(await readCommitObject(repository, id)) ?? {}
    // Only newer releases of git write the offset zero as `Z`.
    const plain = JSON.stringify(shown).replaceAll('+00:00"', 'Z"')
    assert.deepEqual(own, JSON.parse(plain))
    assert.equal(read, tree)
    const isSigned = id === all[1]
    assert.equal(signature, isSigned ? '-----BEGIN\nparent 1\nauthor Eve <e@x> 1 +0000\n-----END' : '')
    assert.equal(bytes?.toString('utf8'), payload)
    assert.equal(
      payload,
      isSigned ? `${head}${by(`${ada} -0530`, `${ada} +1400`)}\nsigned\n\nauthor x\n` : '',
    )
  }
})

test('a commit without a time that can be read has none', async () => {
  const tree = await clientOk(work, 'rev-parse', 'HEAD^{tree}')
  for (const time of ['', ' x', ` ${'9'.repeat(30)} +0000`]) {
    const id = write('commit', `tree ${tree}\nauthor A <a@b>${time}\ncommitter A <a@b>${time}\n\nx`)
    const read = okOf(await readCommitObject(repository, id))
    assert.deepEqual([read?.author.name, read?.author.email, read?.author.at], ['A', 'a@b', ''])
  }
  assert.equal(okOf(await readCommitObject(repository, '1'.repeat(40))), undefined)
  assert.equal(faultOf(await readCommitObject(repository, 'main')), 'name')
})

test('a branch is not taken for another one whose name contains its full name', async () => {
  const push = (ref: string) => client(work, 'push', '-q', repository.directory, `HEAD:${ref}`)
  assert.equal((await push('refs/heads/refs/heads/x')).code, 0)
  assert.equal((await push('refs/tags/refs/heads/x')).code, 0)
  assert.equal(okOf(await resolveRef(repository, 'refs/heads/x')), undefined)
  assert.equal(okOf(await divideRefPath(repository, 'heads', 'x/a')), undefined)
  await clientOk(repository.directory, 'update-ref', 'refs/heads/x', commit)
  assert.equal(okOf(await resolveRef(repository, 'refs/heads/x')), commit)
  assert.equal(okOf(await resolveRef(repository, 'refs/tags/refs/heads/x')), commit)
  assert.equal(okOf(await divideRefPath(repository, 'heads', 'x/a'))?.path, 'a')
})
