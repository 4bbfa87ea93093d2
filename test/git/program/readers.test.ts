import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createGit, type Git, type GitOptions } from '../../../src/git/program/git.ts'
import { objectsNamed, readBlobs, readObject } from '../../../src/git/repository/objects.ts'
import { objectAt } from '../../../src/git/repository/revisions.ts'
import { faultOf, gitService, okOf } from '../../support/git.ts'
import { until } from '../../support/wait.ts'
import { commitOf } from '../../support/watched.ts'

const { repositories, folder } = await gitService()
let scripts = 0

/** A git that writes down its processes. */
async function watched(options: Partial<GitOptions> = {}) {
  const command = join(folder, `git-${scripts++}`)
  await writeFile(command, `#!/bin/sh\necho $$ >> ${command}.pids\nexec git "$@"\n`, { mode: 0o755 })
  const git = createGit({ home: join(folder, 'home'), command, ...options })
  after(() => git.close())
  const pids = async () =>
    (await readFile(`${command}.pids`, 'utf8').catch(() => '')).split('\n').filter(Boolean).map(Number)
  return { git, pids, alive: async () => (await pids()).filter(isAlive) }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** A repository with these files; gives its directory and first commit. */
async function made(name: string, files: Record<string, string | Buffer>) {
  const list = Object.entries(files).map(([path, content]) => ({ path, content }))
  const commit = okOf(await repositories.createWithCommit({ owner: 'a', name }, commitOf(list)))
  return { commit, directory: repositories.path({ owner: 'a', name }) ?? '' }
}

const large = Buffer.alloc(3 * 1024 * 1024, 'x')
const files = { 'a.txt': 'one\n', empty: '', 'half.txt': 'y'.repeat(600_000), large }
const { commit, directory } = await made('plain', files)

const textAt = async (git: Git, path: string, maxBytes = 1_000_000, from = directory, at = commit) =>
  okOf(await readObject({ git, directory: from }, `${at}:${path}`, maxBytes))?.content.toString()

test('questions of all kinds are answered by one process each', async () => {
  const { git, pids } = await watched()
  for (let round = 0; round < 20; round++) {
    assert.equal(await textAt(git, 'a.txt'), 'one\n')
    assert.equal(await textAt(git, 'empty'), '')
    assert.equal(await textAt(git, 'no such file'), undefined)
    assert.equal(okOf(await objectAt({ git, directory }, commit, 'large'))?.size, large.length)
  }
  assert.equal((await pids()).length, 2)
})

test('many questions at once get their own answers', async () => {
  const { git } = await watched()
  const names = Array.from({ length: 200 }, (_, at) => Object.keys(files)[at % 3] ?? '')
  const texts = await Promise.all(names.map((name) => textAt(git, name)))
  assert.deepEqual(
    texts,
    names.map((name) => files[name as 'a.txt']),
  )
})

test('a content is cut at the requested size, and the next answer is complete', async () => {
  const { git, pids } = await watched()
  assert.equal(await textAt(git, 'half.txt', 10), 'y'.repeat(10))
  assert.equal(await textAt(git, 'a.txt'), 'one\n')
  assert.equal((await pids()).length, 1)
  // The rest of this one is not read: another process answers from then on.
  assert.equal(await textAt(git, 'large', 10), 'x'.repeat(10))
  assert.equal(await textAt(git, 'a.txt'), 'one\n')
  assert.equal((await pids()).length, 2)
})

test('blobs have a limit together, and missing ones are left out', async () => {
  const { git } = await watched()
  const paths = ['a.txt', 'half.txt', 'large', 'a.txt']
  const objects = okOf(
    await objectsNamed(
      { git, directory },
      paths.map((path) => `${commit}:${path}`),
    ),
  )
  const ids = objects.map((object) => object?.id ?? '')
  assert.equal(faultOf(await readBlobs({ git, directory }, ids, 1_000_000)), 'large')
  const missing = '1'.repeat(40)
  const blobs = okOf(await readBlobs({ git, directory }, [ids[0] ?? '', missing, ids[1] ?? ''], 1_000_000))
  assert.deepEqual([...blobs.keys()], [ids[0], ids[1]])
})

test('a name of several lines is no question', async () => {
  const { git, pids } = await watched()
  for (const name of [`${commit}:a\n${commit}:b`, `${commit}:a\0`, `${commit}:a.txt\r`])
    assert.equal(faultOf(await readObject({ git, directory }, name, 10)), 'name')
  assert.deepEqual(await pids(), [])
})

test('the repository is the one in the directory now, whatever was there before', async () => {
  const { git } = await watched()
  const [first, second] = [await made('first', { x: 'first' }), await made('second', { x: 'second' })]
  const read = (directory: string, { commit }: { commit: string }) => textAt(git, 'x', 100, directory, commit)
  assert.equal(await read(first.directory, first), 'first')
  assert.equal(await read(second.directory, second), 'second')
  await rename(first.directory, `${first.directory}.away`)
  assert.equal(faultOf(await readObject({ git, ...first }, `${first.commit}:x`, 100)), 'gone')
  await rename(second.directory, first.directory)
  assert.equal(await read(first.directory, first), undefined)
  assert.equal(await read(first.directory, second), 'second')
  assert.equal(await read(`${first.directory}.away`, first), 'first')
  rmSync(first.directory, { recursive: true })
  assert.equal(faultOf(await readObject({ git, ...first }, `${first.commit}:x`, 100)), 'gone')
})

test('the number of processes is bounded for all repositories, and unused ones end', async () => {
  const { git, pids, alive } = await watched({ readers: { processes: 8, idle: 200 } })
  const all = await Promise.all(Array.from({ length: 200 }, (_, at) => made(`r${at}`, { x: `text ${at}` })))
  let most = 0
  const count = async () => {
    most = Math.max(most, (await alive()).length)
  }
  const texts = await Promise.all(
    all.map(async ({ directory, commit }) => {
      const text = await textAt(git, 'x', 100, directory, commit)
      await count()
      return text
    }),
  )
  assert.deepEqual(
    texts,
    all.map((_, at) => `text ${at}`),
  )
  assert.equal((await pids()).length, 200)
  // Some that were ended have not gone yet.
  assert.ok(most > 1 && most < 40, `${most} processes`)
  await until('all have ended', async () => (await alive()).length === 0)
  assert.equal(await textAt(git, 'a.txt'), 'one\n')
})

test('a process that was killed is replaced, also in the middle of an answer', async () => {
  const { git, pids } = await watched()
  assert.equal(await textAt(git, 'a.txt'), 'one\n')
  const [first = 0] = await pids()
  process.kill(first, 'SIGSTOP')
  const asking = textAt(git, 'half.txt')
  process.kill(first, 'SIGKILL')
  assert.equal(await asking, files['half.txt'])
  const [, second = 0] = await pids()
  process.kill(second, 'SIGKILL')
  assert.equal(await textAt(git, 'a.txt'), 'one\n')
  assert.equal((await pids()).length, 3)
})

test('who leaves does not wait, and leaves no answer to the next', async () => {
  const { git, pids } = await watched()
  assert.equal(await textAt(git, 'a.txt'), 'one\n')
  const [pid = 0] = await pids()
  process.kill(pid, 'SIGSTOP')
  const leaving = new AbortController()
  const question = { names: [`${commit}:half.txt`], maxBytes: 1_000_000 }
  const asking = git.ask(directory, 'content', question, { signal: leaving.signal })
  leaving.abort()
  assert.equal(faultOf(await asking), 'cancelled')
  process.kill(pid, 'SIGCONT')
  const texts = await Promise.all(Array.from({ length: 5 }, () => textAt(git, 'a.txt')))
  assert.deepEqual(new Set(texts), new Set(['one\n']))
})

test('an answer that takes too long is ended', async () => {
  const { git, pids } = await watched({ milliseconds: { short: 300, long: 300 } })
  assert.equal(await textAt(git, 'a.txt'), 'one\n')
  const [pid = 0] = await pids()
  process.kill(pid, 'SIGSTOP')
  assert.equal(faultOf(await readObject({ git, directory }, `${commit}:a.txt`, 10)), 'late')
  assert.equal(await textAt(git, 'a.txt'), 'one\n')
  await until('it has ended', () => !isAlive(pid))
})

test('closing ends the processes and starts no more, and so does removing their repository', async () => {
  const { git, alive } = await watched()
  const gone = await made('removed', { x: 'x' })
  assert.equal(await textAt(git, 'x', 10, gone.directory, gone.commit), 'x')
  assert.equal(await textAt(git, 'a.txt'), 'one\n')
  assert.equal((await alive()).length, 2)
  await git.leave(gone.directory)
  assert.equal((await alive()).length, 1)
  git.close()
  await until('all have ended', async () => (await alive()).length === 0)
  assert.equal(faultOf(await readObject({ git, directory }, `${commit}:a.txt`, 10)), 'cancelled')
})
