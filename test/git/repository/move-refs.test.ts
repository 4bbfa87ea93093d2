import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { moveRefs } from '../../../src/git/repository/move-refs.ts'
import { listRefs } from '../../../src/git/repository/refs.ts'
import { faultOf, gitService, okOf } from '../../support/git.ts'
import { commitOf } from '../../support/watched.ts'

/** Git does not wait for the lock of packed refs. */
const settings = { 'core.packedRefsTimeout': '0' }
const { git, repositories } = await gitService({ settings })
const place = { owner: 'ada', name: 'code' }
const id = okOf(await repositories.createWithCommit(place, commitOf([{ path: 'a', content: 'a' }])))
const repository = { git, directory: repositories.path(place) ?? '' }
const update = (ref: string) => [{ ref: `refs/heads/${ref}`, before: '0'.repeat(40), after: id }]
const names = async () => okOf(await listRefs(repository)).map(({ name }) => name)

test('refs move, and a sentence refuses the move', async () => {
  assert.deepEqual(okOf(await moveRefs(repository, update('moved'), async () => undefined)), {
    kind: 'moved',
  })
  const refused = okOf(await moveRefs(repository, update('refused'), async () => 'no'))
  assert.deepEqual(refused, { kind: 'refused', sentence: 'no' })
  assert.deepEqual(await names(), ['refs/heads/main', 'refs/heads/moved'])
})

test('a check that fails is no refusal: its error is thrown, and nothing has moved', async () => {
  const outage = new Error('the database is away')
  const moving = moveRefs(repository, update('failed'), () => Promise.reject(outage))
  await assert.rejects(moving, outage)
  assert.deepEqual(await names(), ['refs/heads/main', 'refs/heads/moved'])
})

test('who finds the lock of all packed refs held is told that git is busy', async () => {
  const lock = join(repository.directory, 'packed-refs.lock')
  await writeFile(lock, '')
  const none = '0'.repeat(40)
  const deletion = [{ ref: 'refs/heads/moved', before: id, after: none }]
  assert.equal(faultOf(await moveRefs(repository, deletion, async () => undefined)), 'busy')
  await rm(lock)
  assert.deepEqual(okOf(await moveRefs(repository, deletion, async () => undefined)), { kind: 'moved' })
})
