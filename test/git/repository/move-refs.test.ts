import assert from 'node:assert/strict'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createGit } from '../../../src/git/program/git.ts'
import { moveRefs } from '../../../src/git/repository/move-refs.ts'
import { listRefs } from '../../../src/git/repository/refs.ts'
import { faultOf, gitService, okOf } from '../../support/git.ts'
import { until } from '../../support/wait.ts'
import { commitOf } from '../../support/watched.ts'

/** Git does not wait for the lock of packed refs. */
const settings = { 'core.packedRefsTimeout': '0' }
const { git, repositories, folder } = await gitService({ settings })
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

/** A git that writes down its processes. */
async function watched(name: string, milliseconds = 60_000) {
  const command = join(folder, name)
  await writeFile(command, `#!/bin/sh\necho $$ >> ${command}.pids\nexec git "$@"\n`, { mode: 0o755 })
  const limits = { short: milliseconds, long: milliseconds }
  const git = createGit({ home: join(folder, 'home'), command, milliseconds: limits })
  after(() => git.close())
  const pids = async () => (await readFile(`${command}.pids`, 'utf8')).trim().split('\n').map(Number)
  return { repository: { ...repository, git }, pids }
}

const allow = async () => undefined
const locks = async () =>
  (await readdir(join(repository.directory, 'refs', 'heads'))).filter((file) => file.endsWith('.lock'))

test('one process makes many moves, and another one follows a refusal, a conflict or an outage', async () => {
  const { repository, pids } = await watched('many')
  for (let at = 0; at < 20; at++)
    assert.deepEqual(okOf(await moveRefs(repository, update(`many${at}`), allow)), { kind: 'moved' })
  assert.equal((await pids()).length, 1)
  assert.equal(okOf(await moveRefs(repository, update('more'), async () => 'no')).kind, 'refused')
  assert.equal(okOf(await moveRefs(repository, update('more'), allow)).kind, 'moved')
  assert.equal(okOf(await moveRefs(repository, update('more'), allow)).kind, 'outdated')
  assert.equal(okOf(await moveRefs(repository, update('more/below'), allow)).kind, 'outdated')
  await assert.rejects(moveRefs(repository, update('last'), () => Promise.reject(new Error('away'))))
  assert.equal(okOf(await moveRefs(repository, update('last'), allow)).kind, 'moved')
  assert.deepEqual(await locks(), [])
})

test('a process sees what others have done to the refs since its last move', async () => {
  const { repository: mine, pids } = await watched('others')
  const deletion = (ref: string) => update(ref).map((one) => ({ ...one, before: id, after: one.before }))
  assert.equal(okOf(await moveRefs(mine, update('a'), allow)).kind, 'moved')
  okOf(await git.run(repository.directory, ['pack-refs', '--all']))
  assert.equal(okOf(await moveRefs(repository, deletion('a'), allow)).kind, 'moved')
  assert.equal(okOf(await moveRefs(mine, update('a/b'), allow)).kind, 'moved')
  okOf(await git.run(repository.directory, ['pack-refs', '--all']))
  assert.equal(okOf(await moveRefs(mine, deletion('a/b'), allow)).kind, 'moved')
  assert.equal(okOf(await moveRefs(mine, update('a'), allow)).kind, 'moved')
  assert.equal((await pids()).length, 1)
})

test('a process that is killed before it has the locks is replaced, and one killed after it moves nothing', async () => {
  const { repository, pids } = await watched('killed')
  assert.equal(okOf(await moveRefs(repository, update('k0'), allow)).kind, 'moved')
  const [first = 0] = await pids()
  process.kill(first, 'SIGKILL')
  assert.equal(okOf(await moveRefs(repository, update('k1'), allow)).kind, 'moved')
  const [, second = 0] = await pids()
  const kill = async () => {
    process.kill(second, 'SIGTERM')
    await until('git has released its locks', async () => (await locks()).length === 0)
    return undefined
  }
  assert.equal(faultOf(await moveRefs(repository, update('k2'), kill)), 'failed')
  assert.equal((await names()).includes('refs/heads/k2'), false)
  assert.equal(okOf(await moveRefs(repository, update('k2'), allow)).kind, 'moved')
})

test('a decision that takes too long moves nothing', async () => {
  const { repository } = await watched('late', 1000)
  const never = new Promise<undefined>((resolve) => setTimeout(resolve, 3000))
  assert.equal(faultOf(await moveRefs(repository, update('late'), () => never)), 'late')
  assert.deepEqual(await locks(), [])
  assert.equal((await names()).includes('refs/heads/late'), false)
})
