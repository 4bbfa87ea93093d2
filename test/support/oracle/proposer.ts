import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { clientOk } from '../git.ts'
import type { KilledRemote } from './killed-remote.ts'
import type { Proposal } from './proposals.ts'

/** A client that opens, pushes, reviews, merges, reverts and deletes by chance, and keeps the model of what it does. */

const styles = ['merge', 'squash', 'rebase', 'rebase-merge', 'fast-forward-only']

interface Proposer {
  name: string
  /** Numbers from 0 to 1. */
  next: () => number
  remote: KilledRemote
  /** Those of all clients. */
  proposals: Proposal[]
}

/** Gives a function that does one act. */
export function proposerOf({ name, next, remote, proposals }: Proposer): () => Promise<void> {
  const { clone, once, read, isThere } = remote
  const oneOf = <Value>(all: readonly Value[]) => all[Math.floor(next() * all.length)]
  const mine: Proposal[] = []
  let names = 0
  const newName = () => `${name}-${++names}`

  async function commit(file: string) {
    await writeFile(join(clone, file), file)
    await clientOk(clone, 'add', file)
    await clientOk(clone, 'commit', '-q', '-m', `Add ${file}`)
  }

  /** Pushes what is checked out to a new branch, and proposes it until it is there. */
  async function propose(branch: string, files: string[], reverts: boolean) {
    await remote.push(branch)
    const body = { title: branch, head: branch, base: 'main' }
    let pull: { number: number } | undefined
    do {
      await once('POST /pulls', body, 201, 409)
      pull = await read(`GET /pulls/main/${branch}`)
    } while (!pull)
    const proposal: Proposal = {
      number: pull.number,
      branch,
      files,
      reverts,
      state: 'open',
      isUnsure: false,
      hasBranch: true,
      isReverted: false,
      comments: new Set(),
      reviews: new Set(),
    }
    mine.push(proposal)
    proposals.push(proposal)
  }

  async function open() {
    const branch = newName()
    await remote.checkedOut('main')
    await commit(branch)
    await propose(branch, [branch], false)
  }

  async function push({ branch, hasBranch, files }: Proposal) {
    if (!hasBranch || !(await remote.checkedOut(branch))) return
    const file = newName()
    await commit(file)
    await remote.push(branch)
    files.push(file)
  }

  async function comment({ number, comments }: Proposal) {
    const body = newName()
    const list = `/issues/${number}/comments`
    const status = await once(`POST ${list}`, { body }, 201)
    if (status === 201 || (await isIn(list, body))) comments.add(body)
  }

  async function review(proposal: Proposal) {
    const body = newName()
    const event = mine.includes(proposal) ? 'COMMENT' : 'APPROVED'
    const list = `/pulls/${proposal.number}/reviews`
    const status = await once(`POST ${list}`, { body, event }, 200, 422)
    if (status === 200 || (await isIn(list, body))) proposal.reviews.add(body)
  }

  const isIn = async (list: string, text: string) =>
    (await read(`GET ${list}?limit=50`)).some(({ body }: { body: string }) => body === text)

  async function merge(proposal: Proposal) {
    const style = oneOf(styles) ?? 'merge'
    const body = { Do: style, delete_branch_after_merge: next() < 0.3 }
    const status = await once(`POST /pulls/${proposal.number}/merge`, body, 200, 405, 409)
    proposal.isUnsure = status === undefined
    if (status !== 200) return
    assert.equal(proposal.state, 'open', `#${proposal.number} is merged`)
    proposal.state = 'merged'
    const { merge_commit_sha: id } = await read(`GET /pulls/${proposal.number}`)
    proposal.merged = { style, commit: id }
    proposal.hasBranch &&= await isThere(proposal.branch)
  }

  async function turn(proposal: Proposal) {
    const state = proposal.state === 'open' ? 'closed' : 'open'
    await once(`PATCH /pulls/${proposal.number}`, { state }, 201, 412, 422)
    proposal.state = (await read(`GET /pulls/${proposal.number}`)).state
  }

  async function remove(proposal: Proposal) {
    await once(`DELETE /branches/${proposal.branch}`, undefined, 204, 404)
    proposal.hasBranch = await isThere(proposal.branch)
    if (!proposal.hasBranch && proposal.state === 'open') proposal.state = 'closed'
  }

  /** Proposes to take back what was merged. */
  async function revert(proposal: Proposal) {
    const { merged, files } = proposal
    if (!merged || !(await remote.checkedOut('main'))) return
    const hasMerge = merged.style === 'merge' || merged.style === 'rebase-merge'
    const from = merged.style === 'squash' ? 1 : files.length
    const what = hasMerge ? ['-m', '1', merged.commit] : [`${merged.commit}~${from}..${merged.commit}`]
    await clientOk(clone, 'revert', '--no-edit', ...what)
    proposal.isReverted = true
    await propose(newName(), files, true)
  }

  return async () => {
    const sure = mine.filter(({ isUnsure }) => !isUnsure)
    const opened = oneOf(sure.filter(({ state }) => state === 'open'))
    const unmerged = oneOf(sure.filter(({ state, hasBranch }) => state !== 'merged' && hasBranch))
    const merged = oneOf(sure.filter((each) => each.merged && !each.reverts && !each.isReverted))
    const chance = next()
    if (!opened || chance < 0.15) await open()
    else if (chance < 0.25) await (opened.reverts ? comment(opened) : push(opened))
    else if (chance < 0.35) await comment(opened)
    else if (chance < 0.5) await review(oneOf(proposals) ?? opened)
    else if (chance < 0.75) await merge(opened)
    else if (chance < 0.85) await (merged && revert(merged))
    else if (chance < 0.93) await (unmerged && turn(unmerged))
    else await (unmerged && remove(unmerged))
  }
}
