import assert from 'node:assert/strict'
import { client, clientOk } from '../git.ts'
import { until } from '../wait.ts'

/** What pull requests of one repository are by a model, and the comparison of a server and its repository with it. */

/** A pull request that adds files, or takes some away again. */
export interface Proposal {
  number: number
  branch: string
  files: string[]
  /** Whether it takes its files away. */
  reverts: boolean
  state: 'open' | 'closed' | 'merged'
  /** Whether a merge of it had no answer, so that it is open or merged. */
  isUnsure: boolean
  /** The way of its merge, and its commit. */
  merged?: { style: string; commit: string }
  hasBranch: boolean
  isReverted: boolean
  comments: Set<string>
  reviews: Set<string>
}

/** One repository as the comparison sees it. */
export interface Compared {
  proposals: readonly Proposal[]
  /** The bare repository. */
  path: string
  // biome-ignore lint/suspicious/noExplicitAny: a test says by its assertions what it expects
  read: (literal: string) => Promise<any>
  /** Numbers of the pull requests of which a webhook has told that they are merged. */
  toldMerged: () => Set<number>
}

/** Waits until everything that was begun is finished and agrees with the model. */
export async function requireModel(compared: Compared, about: string): Promise<void> {
  let found: string[] = []
  const agrees = async () => {
    found = await differences(compared)
    return found.length === 0
  }
  await until('everything agrees', agrees, 300_000).catch(() => {})
  assert.deepEqual(found, [], about)
  const { code, stdout, stderr } = await client(compared.path, 'fsck', '--strict', '--full')
  assert.deepEqual([code, `${stdout}${stderr}`.replace(/^dangling .*\n/gm, '')], [0, ''], about)
}

async function differences({ proposals, path, read, toldMerged }: Compared): Promise<string[]> {
  const git = async (...args: string[]) => (await clientOk(path, ...args)).split('\n').filter(Boolean)
  const found: string[] = []
  const same = (what: string, actual: unknown, expected: unknown) => {
    const [is, should] = [JSON.stringify(actual), JSON.stringify(expected)]
    if (is !== should) found.push(`${what}: ${is}, not ${should}`)
  }
  const texts = async (literal: string): Promise<string[]> =>
    (await read(`${literal}?limit=50`)).map(({ body }: { body: string }) => body).toSorted()

  const refs = new Map((await git('for-each-ref', '--format=%(refname) %(objectname)')).map(inTwo))
  const files = new Set(['README.md'])
  const merged: number[] = []
  let open = 0
  for (const proposal of proposals) {
    const { number, branch, state, isUnsure } = proposal
    const pull = await read(`GET /pulls/${number}`)
    const is = pull.merged ? 'merged' : pull.state
    if (!isUnsure || !['open', 'merged'].includes(is)) same(`state of #${number}`, is, state)
    const types = (await read(`GET /issues/${number}/timeline?limit=50`)).map(
      ({ type }: { type: string }) => type,
    )
    const merges = types.filter((type: string) => type === 'merge_pull').length
    same(`merges of #${number}`, merges, is === 'merged' ? 1 : 0)
    same(
      `comments on #${number}`,
      await texts(`GET /issues/${number}/comments`),
      [...proposal.comments].toSorted(),
    )
    same(
      `reviews of #${number}`,
      await texts(`GET /pulls/${number}/reviews`),
      [...proposal.reviews].toSorted(),
    )
    same(`head of #${number}`, pull.head.sha, refs.get(`refs/pull/${number}/head`))
    const tip = refs.get(`refs/heads/${branch}`)
    if (!isUnsure) same(`branch of #${number}`, tip !== undefined, proposal.hasBranch)
    if (is === 'open' && tip !== undefined) same(`tip of #${number}`, tip, pull.head.sha)
    if (is === 'open') open++
    if (is !== 'merged') continue
    merged.push(number)
    const { code } = await client(path, 'merge-base', '--is-ancestor', pull.merge_commit_sha, 'main')
    same(`merge of #${number} on main`, code, 0)
    if (!proposal.reverts) for (const file of proposal.files) files.add(file)
  }
  for (const { number, reverts, files: gone } of proposals)
    if (reverts && merged.includes(number)) for (const file of gone) files.delete(file)
  same('files', (await git('ls-tree', '-r', '--name-only', 'main')).toSorted(), [...files].toSorted())
  const repository = await read('GET ')
  same('open pull requests', repository.open_pr_counter, open)
  const kept = [...refs.keys()].filter((ref) => ref.startsWith('refs/pull/')).toSorted()
  same('refs of pull requests', kept, proposals.map(({ number }) => `refs/pull/${number}/head`).toSorted())
  const branches = [...refs.keys()].filter((ref) => ref.startsWith('refs/heads/')).length
  same('refs', refs.size, kept.length + branches)
  same('branches', (await read('GET /branches?limit=50')).length, Math.min(branches, 50))
  same(
    'told',
    merged.filter((number) => !toldMerged().has(number)),
    [],
  )
  return found
}

function inTwo(line: string): [string, string] {
  const [first = '', second = ''] = line.split(' ')
  return [first, second]
}
