import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../support/app.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { pullMakers } from '../../../support/forge/pulls.ts'

/** Comments on lines that a pull request does not change show the lines before. */

const app = await startApp({ DATA_DIR: await temporaryFolder() })
const [ada] = await app.make.people('ada')
const { on, repository, commit, propose } = pullMakers(app, ada)

const CREATE = 'POST /api/v1/repos/{owner}/{repo}/pulls/{index}/reviews'

const counted = (count: number) => Array.from({ length: count }, (_, at) => `line ${at + 1}`)
const before = {
  'long.txt': `${counted(60).join('\n')}\n`,
  'open.txt': 'one\ntwo',
  'binary.dat': 'a\0b\nc\n',
  'wide.txt': `${'x'.repeat(70_000)}\nshort\n`,
}
/** Two lines more at line 5, and one less at line 30. */
const after = counted(60).toSpliced(29, 1).toSpliced(4, 1, 'new', 'lines', 'here').join('\n')

const repo = await repository()
await commit(repo, 'main', before)
const { number: index } = await propose(repo, 'topic', { files: { 'long.txt': `${after}\n` } })

/** The part that a comment on a line shows. */
async function hunkOf(path: string, position: object): Promise<string> {
  const body = { event: 'COMMENT', comments: [{ path, body: 'Why?', ...position }] }
  const made = await on(repo)('POST /pulls/{index}/reviews', { index }, { body })
  assert.equal(made.status, 200, JSON.stringify(made.body))
  const shown = await on(repo)('GET /pulls/{index}/reviews/{id}/comments', { index, id: made.body.id })
  return shown.body[0].diff_hunk
}

const lines = (...numbers: number[]) => numbers.map((each) => `\n line ${each}`).join('')

test(`${CREATE} shows the lines before one that has not changed, with their numbers on both sides`, async () => {
  for (const [position, expected] of [
    [{ new_position: 1 }, `@@ -1,1 +1,1 @@${lines(1)}`],
    [{ new_position: 20 }, `@@ -15,4 +17,4 @@${lines(15, 16, 17, 18)}`],
    [{ old_position: 20 }, `@@ -17,4 +19,4 @@${lines(17, 18, 19, 20)}`],
    [{ new_position: 50 }, `@@ -46,4 +47,4 @@${lines(46, 47, 48, 49)}`],
    [{ old_position: 60 }, `@@ -57,4 +58,4 @@${lines(57, 58, 59, 60)}`],
    // Git shows three lines behind a change; what is shown begins behind them.
    [{ new_position: 11 }, `@@ -9,1 +11,1 @@${lines(9)}`],
    [{ old_position: 10 }, `@@ -9,2 +11,2 @@${lines(9, 10)}`],
  ] as const)
    assert.equal(await hunkOf('long.txt', position), expected, JSON.stringify(position))
})

test(`${CREATE} shows lines of a file that the pull request does not change, if it is a text`, async () => {
  assert.equal(await hunkOf('open.txt', { new_position: 2 }), '@@ -1,2 +1,2 @@\n one\n two')
  assert.equal(await hunkOf('open.txt', { old_position: 1 }), '@@ -1,1 +1,1 @@\n one')
  assert.equal(await hunkOf('binary.dat', { new_position: 2 }), '')
  assert.equal(await hunkOf('wide.txt', { new_position: 2 }), '')
})
