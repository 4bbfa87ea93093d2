import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  pullRef,
  readPullRef,
  removePullRef,
  setPullRef,
} from '../../../../src/git/repository/merging/pull-refs.ts'
import { listRefs } from '../../../../src/git/repository/refs.ts'
import { client, clientOk, faultOf, gitService, okOf, serveGit } from '../../../support/git.ts'

const { git, repositories, folder } = await gitService()
const directory = repositories.path({ owner: 'ada', name: 'engine' }) ?? ''
const repository = { git, directory }
okOf(await repositories.create({ owner: 'ada', name: 'engine', branch: 'main' }))
const { url } = await serveGit({ git, repositories })
const address = `${url}/ada/engine.git`
const work = join(folder, 'work')
await clientOk(folder, 'init', '-q', '-b', 'main', work)
await writeFile(join(work, 'a.txt'), 'a')
await clientOk(work, 'add', '.')
await clientOk(work, 'commit', '-qm', 'first')
await clientOk(work, 'push', '-q', address, 'main')
const commit = await clientOk(work, 'rev-parse', 'HEAD')

test('the head of a pull request can be fetched, and is in no list of branches', async () => {
  okOf(await setPullRef(repository, 3, commit))
  await clientOk(work, 'fetch', '-q', address, pullRef(3))
  assert.equal(await clientOk(work, 'rev-parse', 'FETCH_HEAD'), commit)
  assert.deepEqual(
    okOf(await listRefs(repository)).map(({ name }) => name),
    ['refs/heads/main'],
  )
  await clientOk(folder, 'clone', '-q', address, 'clone')
  assert.equal(await clientOk(join(folder, 'clone'), 'for-each-ref', 'refs/pull'), '')
})

test('a push can neither move, remove nor make the head of a pull request', async () => {
  await writeFile(join(work, 'b.txt'), 'b')
  await clientOk(work, 'add', '.')
  await clientOk(work, 'commit', '-qm', 'second')
  for (const refspec of ['+HEAD:refs/pull/3/head', ':refs/pull/3/head', 'HEAD:refs/pull/4/head'])
    assert.notEqual((await client(work, 'push', '-q', address, refspec)).code, 0, refspec)
  assert.equal(okOf(await readPullRef(repository, 3)), commit)
  assert.equal(okOf(await readPullRef(repository, 4)), undefined)
})

test('the ref of a pull request is removed once, and points to commits only', async () => {
  assert.equal(faultOf(await setPullRef(repository, 3, 'main')), 'name')
  okOf(await removePullRef(repository, 3))
  okOf(await removePullRef(repository, 3))
  assert.equal(okOf(await readPullRef(repository, 3)), undefined)
})
