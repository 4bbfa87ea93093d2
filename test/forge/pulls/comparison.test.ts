import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commitsBetween, compared } from '../../../src/forge/pulls/comparison.ts'
import { createLauncher } from '../../../src/git/program/launcher.ts'
import { gitService } from '../../support/git.ts'
import { importHistory } from '../../support/oracle/history.ts'

/** How much git runs for pull requests whose base branch moves. */

const launcher = createLauncher()
let runs = 0
const counting: typeof launcher = {
  ...launcher,
  launch: (...args) => {
    runs++
    return launcher.launch(...args)
  },
}
const { git, repositories } = await gitService({ launcher: counting })
const directory = repositories.path({ owner: 'a', name: 'b' }) ?? ''
const at = { repositories, repository: { git, directory }, id: 1 }

const heads = 100
const moves = 5

/** A root, heads that each add a file, the last one in conflict, and a base that moves on from the root. */
async function history() {
  const script: string[] = []
  const commit = (mark: number, branch: string, from: number, file: string) =>
    script.push(
      `commit refs/heads/${branch}\nmark :${mark}\ncommitter Ada <ada@example.com> ${1_700_000_000 + mark} +0000\ndata 1\nx\n`,
      ...(from > 0 ? [`from :${from}\n`] : []),
      `M 644 inline ${file}\ndata ${String(mark).length}\n${mark}\n`,
    )
  commit(1, 'main', 0, 'README')
  for (let head = 1; head <= heads; head++)
    commit(1 + head, `head${head}`, 1, head === heads ? 'base1' : `file${head}`)
  for (let move = 1; move <= moves; move++)
    commit(1 + heads + move, 'main', move === 1 ? 1 : heads + move, `base${move}`)
  const ids = await importHistory(directory, Buffer.from(`${script.join('')}done\n`), 1 + heads + moves)
  const idsFrom = (first: number, count: number) =>
    Array.from({ length: count }, (_, place) => ids.get(first + place) ?? '')
  return { root: ids.get(1), heads: idsFrom(2, heads), bases: idsFrom(2 + heads, moves) }
}

const made = await history()

test('100 heads and a base that moves take two runs of git for each move, however many ask', async () => {
  for (const base of made.bases) {
    const pairs = made.heads.map((head) => ({ base, head }))
    runs = 0
    const asked = await Promise.all(Array.from({ length: 20 }, () => compared(at, pairs)))
    await compared(at, pairs.slice(10, 60))
    assert.equal(runs, 2)
    for (const all of asked) {
      assert.ok(all.every(({ mergeBase }) => mergeBase === made.root))
      const conflicting = all.flatMap(({ conflicts }, place) =>
        conflicts?.length !== 0 ? [[place, conflicts]] : [],
      )
      assert.deepEqual(conflicting, [[heads - 1, ['base1']]])
    }
  }
})

test('the commits between two branches are counted once for all who ask', async () => {
  const [base = '', head = ''] = [made.bases.at(-1), made.heads[0]]
  runs = 0
  const counts = await Promise.all(Array.from({ length: 20 }, () => commitsBetween(at, { base, head })))
  assert.deepEqual(counts, Array(20).fill({ ahead: 1, behind: moves }))
  assert.equal(runs, 1)
})
