import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { createGit } from '../../../../src/git/program/git.ts'
import { treeBytes } from '../../../../src/git/repository/files.ts'
import { changedFiles } from '../../../../src/git/repository/merging/changed-files.ts'
import { copyCommits } from '../../../../src/git/repository/merging/copy-commits.ts'
import type { Made } from '../../../../src/git/repository/merging/made.ts'
import {
  pullRef,
  readPullRef,
  removePullRef,
  setPullRef,
} from '../../../../src/git/repository/merging/pull-refs.ts'
import {
  type CommitPair,
  mergeBaseOf,
  type RelatedPair,
  relationOf,
} from '../../../../src/git/repository/merging/relation.ts'
import { conflictsOf } from '../../../../src/git/repository/merging/trial.ts'
import {
  fastForward,
  mergeCommit,
  rebaseAndMerge,
  rebaseCommits,
  squashCommit,
} from '../../../../src/git/repository/merging/ways.ts'
import { clientOk, faultOf, gitService, okOf } from '../../../support/git.ts'
import { gitBehind } from '../../../support/git-program.ts'

const { git, repositories, folder } = await gitService()
const work = join(folder, 'work')
const directory = repositories.path({ owner: 'a', name: 'b' }) ?? ''
const repository = { git, directory }
const target = { repositories, repository }
okOf(await repositories.create({ owner: 'a', name: 'b', branch: 'main' }))

const ada = { name: 'Ada Lovelace', email: 'ada@example.com', at: new Date('2026-01-31T08:00:00Z') }
const bob = { name: 'Bob', email: 'bob@example.com', at: new Date('2026-02-01T08:00:00Z') }
const text = { author: ada, committer: bob, message: 'Merge it\n\nbecause' }

/** Writes files (null removes one) and commits all; gives the id. */
async function commit(files: Record<string, string | null>, message: string, ...options: string[]) {
  for (const [name, content] of Object.entries(files)) {
    if (content === null) await clientOk(work, 'rm', '-q', name)
    else {
      await mkdir(dirname(join(work, name)), { recursive: true })
      await writeFile(join(work, name), content)
    }
  }
  await clientOk(work, 'add', '-A')
  await clientOk(work, 'commit', '-q', '--allow-empty', '-m', message, ...options)
  return clientOk(work, 'rev-parse', 'HEAD')
}

const from = (start: string, branch: string) => clientOk(work, 'checkout', '-q', '-B', branch, start)
const lines = (changed: Record<number, string> = {}) =>
  Array.from({ length: 30 }, (_, at) => `${changed[at] ?? at}\n`).join('')

await clientOk(folder, 'init', '-q', '-b', 'main', work)
const root = await commit({ 'a.txt': lines(), 'b.txt': lines(), 'sub/c.txt': lines() }, 'root')
const base = await commit({ 'a.txt': lines({ 3: 'three' }) }, 'base')
await from(root, 'clean')
const cleanFirst = await commit({ 'a.txt': lines({ 20: 'twenty' }) }, 'clean 1')
const clean = await commit({ 'b.txt': null, 'd.txt': lines({ 9: 'nine' }) }, 'clean 2\n\nbody')
await from(root, 'conflict')
const conflict = await commit({ 'a.txt': lines({ 3: 'drei' }), 'b.txt': lines({ 1: 'x' }) }, 'conflict')
await from(base, 'ahead')
const ahead = await commit({ 'e.txt': 'e' }, 'ahead')
await clientOk(work, 'checkout', '-q', '--orphan', 'unrelated')
const unrelated = await commit({ 'f.txt': 'f' }, 'unrelated')
await from(root, 'picked')
await clientOk(work, 'cherry-pick', base)
const picked = await commit({ 'g.txt': 'g' }, 'picked 2')
await from(root, 'merging')
await commit({ 'h.txt': 'h' }, 'merging 1')
await clientOk(work, 'merge', '-q', '--no-ff', '-m', 'a merge', cleanFirst)
const merging = await commit({}, 'an empty commit')
await clientOk(work, 'push', '-q', directory, '--all')

const commitOf = (made: Made) => (made.kind === 'made' ? made.commit : assert.fail(JSON.stringify(made)))
const shown = (id: string, format: string) =>
  clientOk(directory, 'log', '-1', '--date=raw', `--format=${format}`, id)
const who = 'Ada Lovelace ada@example.com 1769846400 +0000 Bob bob@example.com 1769932800 +0000'
/** A pair with its merge base, as the ways of merging take it. */
const related = async (pair: CommitPair): Promise<RelatedPair> => ({
  ...pair,
  mergeBase: okOf(await mergeBaseOf(repository, pair)),
})
const subjects = async (range: string) =>
  (await clientOk(directory, 'log', '--reverse', '--topo-order', '--format=%s', range)).split('\n')

/** The ways that make commits. */
const ways = {
  merge: (pair: RelatedPair) => mergeCommit(target, pair, text),
  squash: (pair: RelatedPair) => squashCommit(target, pair, text),
  rebase: (pair: RelatedPair) => rebaseCommits(target, pair, bob),
  rebaseMerge: (pair: RelatedPair) => rebaseAndMerge(target, pair, text),
}

test('two commits have a merge base, and commits of their own', async () => {
  const relation = (pair: { base: string; head: string }) => relationOf(repository, pair)
  assert.deepEqual(okOf(await relation({ base, head: clean })), { mergeBase: root, ahead: 2, behind: 1 })
  assert.deepEqual(okOf(await relation({ base, head: ahead })), { mergeBase: base, ahead: 1, behind: 0 })
  assert.deepEqual(okOf(await relation({ base, head: base })), { mergeBase: base, ahead: 0, behind: 0 })
  const { mergeBase } = okOf(await relation({ base, head: unrelated }))
  assert.equal(mergeBase, undefined)
  assert.equal(faultOf(await relation({ base, head: '--all' })), 'name')
  assert.equal(faultOf(await relation({ base, head: '1'.repeat(40) })), 'failed')
})

test('changed files have their lines, renames and kinds', async () => {
  const { files, isCut } = okOf(await changedFiles(repository, { before: root, after: clean }))
  assert.equal(isCut, false)
  assert.deepEqual(
    files.map(({ path, previous, status, additions, deletions }) => ({
      path,
      previous,
      status,
      additions,
      deletions,
    })),
    [
      { path: 'a.txt', previous: undefined, status: 'modified', additions: 1, deletions: 1 },
      { path: 'd.txt', previous: 'b.txt', status: 'renamed', additions: 1, deletions: 1 },
    ],
  )
  const all = okOf(await changedFiles(repository, { before: clean, after: conflict }))
  assert.deepEqual(
    all.files.map(({ path, status }) => `${status} ${path}`),
    ['modified a.txt', 'renamed b.txt'],
  )
})

test('changed files can ignore white space, and binary files have no lines', async () => {
  await from(root, 'space')
  const space = await commit({ 'a.txt': lines({ 3: '  3 ' }), 'tab\t ü.bin': '\0\0' }, 'space')
  await clientOk(work, 'push', '-q', directory, 'space')
  const counted = async (ignored: 'none' | 'all') =>
    okOf(await changedFiles(repository, { before: root, after: space, ignored })).files.map(
      ({ path, additions, isBinary }) => [path, additions, isBinary],
    )
  assert.deepEqual(await counted('none'), [
    ['a.txt', 1, false],
    ['tab\t ü.bin', 0, true],
  ])
  assert.deepEqual((await counted('all'))[0], ['a.txt', 0, false])
})

test('a trial names the paths that conflict, and writes nothing', async () => {
  const before = await clientOk(directory, 'count-objects', '-v')
  const pairs = [clean, conflict, ahead, base].map((head) => ({ base, head }))
  assert.deepEqual(okOf(await conflictsOf(repositories, repository, pairs)), [[], ['a.txt'], [], []])
  assert.equal(await clientOk(directory, 'count-objects', '-v'), before)
  assert.deepEqual(okOf(await conflictsOf(repositories, repository, [])), [])
})

test('a merge commit has both parents, its author and committer, and follows renames', async () => {
  const id = commitOf(okOf(await mergeCommit(target, await related({ base, head: clean }), text)))
  assert.equal(
    await shown(id, '%P|%an %ae %ad %cn %ce %cd|%B'),
    `${base} ${clean}|${who}|Merge it\n\nbecause`,
  )
  assert.equal(await clientOk(directory, 'show', `${id}:a.txt`), lines({ 3: 'three', 20: 'twenty' }).trim())
  await clientOk(directory, 'fsck', '--strict')
  const noFastForward = commitOf(okOf(await mergeCommit(target, await related({ base, head: ahead }), text)))
  assert.equal(await shown(noFastForward, '%P'), `${base} ${ahead}`)
})

test('a squashed commit has all changes and one parent', async () => {
  const id = commitOf(okOf(await squashCommit(target, await related({ base, head: clean }), text)))
  assert.equal(await shown(id, '%P|%an %ae %ad %cn %ce %cd|%B'), `${base}|${who}|Merge it\n\nbecause`)
  const merged = commitOf(okOf(await mergeCommit(target, await related({ base, head: clean }), text)))
  assert.equal(await shown(id, '%T'), await shown(merged, '%T'))
})

test('rebased commits keep their authors and messages, and git makes the same', async () => {
  const id = commitOf(okOf(await rebaseCommits(target, await related({ base, head: clean }), bob)))
  await clientOk(work, 'checkout', '-q', '--detach', clean)
  await clientOk(work, 'rebase', '-q', base)
  const theirs = await clientOk(work, 'rev-parse', 'HEAD')
  assert.equal(await shown(id, '%T'), await clientOk(work, 'log', '-1', '--format=%T', theirs))
  assert.deepEqual(await subjects(`${base}..${id}`), ['clean 1', 'clean 2'])
  assert.equal(
    await shown(id, '%an %ad|%cn %cd|%B'),
    `${await shown(clean, '%an %ad')}|Bob 1769932800 +0000|clean 2\n\nbody`,
  )
  await clientOk(directory, 'fsck', '--strict')
})

test('a rebase leaves out merges and what the base has already, and keeps what follows on it', async () => {
  const onBase = commitOf(okOf(await rebaseCommits(target, await related({ base, head: picked }), bob)))
  assert.deepEqual(await subjects(`${base}..${onBase}`), ['picked 2'])
  const linear = commitOf(okOf(await rebaseCommits(target, await related({ base, head: merging }), bob)))
  assert.deepEqual((await subjects(`${base}..${linear}`)).sort(), ['an empty commit', 'clean 1', 'merging 1'])
  assert.equal(commitOf(okOf(await rebaseCommits(target, await related({ base, head: ahead }), bob))), ahead)
  const twice = commitOf(okOf(await squashCommit(target, await related({ base, head: clean }), text)))
  // Git's comparison of patches does not find these, as one commit has the change of two.
  assert.equal(
    commitOf(okOf(await rebaseCommits(target, await related({ base: twice, head: cleanFirst }), bob))),
    twice,
  )
})

test('a merge of rebased commits has the base and them as parents', async () => {
  const id = commitOf(okOf(await rebaseAndMerge(target, await related({ base, head: clean }), text)))
  const [first, second = ''] = (await shown(id, '%P')).split(' ')
  assert.equal(first, base)
  assert.deepEqual(await subjects(`${base}..${second}`), ['clean 1', 'clean 2'])
  assert.equal(await shown(id, '%T'), await shown(second, '%T'))
})

test('each way adds the objects of its commit, no others, and says how many bytes they take', async () => {
  const objects = join(directory, 'objects')
  const loose = async () => {
    const listed = await clientOk(directory, 'count-objects', '-v')
    return Number(/^count: (\d+)/.exec(listed)?.[1])
  }
  for (const [name, way] of Object.entries(ways)) {
    // Files of its own for each way, and changes on both sides of one of them.
    await from(base, 'ours')
    const ours = await commit({ 'new/file.txt': lines({ 1: `${name} one` }) }, 'ours 1')
    const head = await commit({ 'new/file.txt': lines({ 1: `${name} one`, 25: `${name} two` }) }, 'ours 2')
    await from(ours, 'theirs')
    const theirs = await commit(
      { 'new/file.txt': lines({ 1: `${name} one`, 10: `${name} three` }) },
      'theirs',
    )
    await clientOk(
      work,
      'push',
      '-q',
      '-f',
      directory,
      `${theirs}:refs/heads/theirs`,
      `${head}:refs/heads/ours`,
    )
    const [bytes, count] = [await treeBytes(objects), await loose()]
    const made = okOf(await way(await related({ base: theirs, head })))
    assert.ok(made.kind === 'made', name)
    assert.equal(made.written, (await treeBytes(objects)) - bytes, name)
    const added = await clientOk(directory, 'rev-list', '--objects', made.commit, '--not', theirs, head)
    assert.equal((await loose()) - count, added.split('\n').length, name)
  }
  await clientOk(directory, 'fsck', '--strict')
})

test('a branch moves forward only to a head that has all of its commits', async () => {
  assert.equal(commitOf(okOf(await fastForward(await related({ base, head: ahead })))), ahead)
  assert.equal(okOf(await fastForward(await related({ base, head: clean }))).kind, 'diverged')
})

test('no way merges conflicts or unrelated histories, and a merged head changes nothing', async () => {
  for (const [name, way] of Object.entries({ ...ways, fastForward })) {
    assert.deepEqual(okOf(await way(await related({ base, head: unrelated }))), { kind: 'unrelated' }, name)
    assert.deepEqual(
      okOf(await way(await related({ base, head: root }))),
      { kind: 'made', commit: base, written: 0 },
      name,
    )
    if (name === 'fastForward') continue
    assert.deepEqual(
      okOf(await way(await related({ base, head: conflict }))),
      { kind: 'conflict', paths: ['a.txt'], commit: conflict },
      name,
    )
  }
})

test('a commit of another repository is copied with its history, once, and needs that one no more', async () => {
  okOf(await repositories.create({ owner: 'a', name: 'copy', branch: 'main' }))
  const copy = { git, directory: repositories.path({ owner: 'a', name: 'copy' }) ?? '' }
  await clientOk(work, 'push', '-q', copy.directory, `${base}:refs/heads/main`)
  assert.equal(okOf(await readPullRef(copy, 7)), undefined)
  okOf(await copyCommits(repository, copy, { commit: clean, known: [base] }))
  okOf(await setPullRef(copy, 7, clean))
  assert.equal(okOf(await readPullRef(copy, 7)), clean)
  await clientOk(copy.directory, 'fsck', '--strict', '--connectivity-only')
  assert.equal(
    await clientOk(copy.directory, 'cat-file', '-e', `${conflict}^{commit}`).catch(() => 'missing'),
    'missing',
  )
  const packs = await clientOk(copy.directory, 'count-objects', '-v')
  okOf(await copyCommits(repository, copy, { commit: clean, known: [base, clean] }))
  assert.equal(await clientOk(copy.directory, 'count-objects', '-v'), packs)
  assert.equal(await clientOk(work, 'ls-remote', copy.directory, pullRef(7)), `${clean}\t${pullRef(7)}`)
  okOf(await removePullRef(copy, 7))
  okOf(await removePullRef(copy, 7))
  assert.equal(await clientOk(copy.directory, 'for-each-ref', 'refs/pull'), '')
})

test('an older git is told apart from a failure', async () => {
  const bin = await gitBehind(
    folder,
    'case "$*" in *merge-tree*) echo "usage: git merge-tree" >&2; exit 129;; esac',
  )
  const old = createGit({ home: join(folder, 'old-home'), command: join(bin.split(':')[0] ?? '', 'git') })
  const tried = await conflictsOf(repositories, { git: old, directory }, [{ base, head: clean }])
  old.close()
  assert.equal(faultOf(tried), 'old')
})
