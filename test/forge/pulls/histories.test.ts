import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { serveApp } from '../../support/app.ts'
import type { Answered } from '../../support/client.ts'
import { openTestDatabase } from '../../support/database.ts'
import { temporaryFolder } from '../../support/folder.ts'
import type { Somebody } from '../../support/forge/make.ts'
import { client, clientOk } from '../../support/git.ts'
import { numbersOf } from '../../support/oracle/history.ts'

/**
 * Clients of two processes open, push to, review, merge, close, retarget and delete by chance, and what is there is what a model
 * says. `HISTORY_SEED=7 HISTORY_SECONDS=600 npm run histories` tries histories from that seed on for as long.
 */

const folder = await temporaryFolder()
const settings = { DATA_DIR: folder }
const database = await openTestDatabase()
const apps = [await serveApp(database, settings), await serveApp(database, settings)]
after(async () => {
  for (const app of apps) await app.close()
  await database.close()
})
const [ada, bob, cyd] = await (apps[0] as Served).make.people('ada', 'bob', 'cyd')
type Served = Awaited<ReturnType<typeof serveApp>>

/** A pull request as it must be. */
interface Expected {
  number: number
  head: string
  base: string
  state: 'open' | 'closed' | 'merged'
  comments: number
  reviews: number
  /** The issue that its text closes. */
  issue: number
}

const styles = ['merge', 'squash', 'rebase', 'rebase-merge', 'fast-forward-only']

/** One repository, the model of it, and the actions that clients take. */
async function historyOf(seed: number, steps: number) {
  const next = numbersOf(seed)
  const below = (count: number) => Math.floor(next() * count)
  const oneOf = <Value>(all: readonly Value[]) => all[below(all.length)] as Value
  const repo = `history${seed}`
  const path = join(folder, 'repositories', 'ada', `${repo}.git`)
  const git = (...args: string[]) => clientOk(path, ...args)
  const pulls: Expected[] = []
  const branches = new Set(['main'])
  const closed = new Set<number>()
  /** Those whose merge was refused. */
  const refused = new Set<Expected>()
  let names = 0
  let issues = 0

  const ask = (
    literal: string,
    params: object = {},
    body?: object,
    as: Somebody = ada,
  ): Promise<Answered> => {
    const [method, rest] = literal.split(' ')
    const given = { as, params: { owner: 'ada', repo, ...params }, ...(body && { body }) }
    return oneOf(apps).call(`${method} /api/v1/repos/{owner}/{repo}${rest}`, given)
  }
  /** The status of an answer, which must be one of these. */
  const status = async (answer: Promise<Answered>, ...allowed: number[]) => {
    const { status: got, body } = await answer
    assert.ok(allowed.includes(got), `seed ${seed}: ${got} ${JSON.stringify(body)}`)
    return got
  }
  const isOpen = ({ state }: Expected) => state === 'open'
  const pairIsOpen = (head: string, base: string) =>
    pulls.some((pull) => isOpen(pull) && pull.head === head && pull.base === base)

  const write = (branch: string, more: object = {}) =>
    ask(
      'POST /contents/{filepath...}',
      { filepath: `file${++names}` },
      { content: '', message: 'Write', branch, ...more },
    )

  async function open() {
    const base = oneOf([...branches])
    const head = `branch${++names}`
    await status(write(base, { new_branch: head }), 201)
    branches.add(head)
    const issue = (await ask('POST /issues', {}, { title: 'To do' })).body.number
    issues++
    const body = { title: head, body: `Closes #${issue}`, head, base }
    const opened = await ask('POST /pulls', {}, body, oneOf([ada, bob]))
    assert.equal(opened.status, 201, `seed ${seed}: ${JSON.stringify(opened.body)}`)
    const { number } = opened.body
    pulls.push({ number, head, base, state: 'open', comments: 0, reviews: 0, issue })
  }

  const push = async ({ head }: Expected) => status(write(head), branches.has(head) ? 201 : 404)

  async function discuss(pull: Expected) {
    const index = { index: pull.number }
    await status(ask('POST /issues/{index}/comments', index, { body: 'Well.' }, bob), 201)
    pull.comments++
    const review = { event: oneOf(['APPROVED', 'COMMENT']), body: 'So.' }
    if ((await status(ask('POST /pulls/{index}/reviews', index, review, cyd), 200, 422)) === 200)
      pull.reviews++
    // Somebody has merged it meanwhile.
    else assert.equal((await ask('GET /pulls/{index}', index)).body.state, 'closed', `seed ${seed}`)
  }

  async function merge(pull: Expected, deletes = false) {
    const body = { Do: oneOf(styles), delete_branch_after_merge: deletes }
    const other = pulls.some((each) => each !== pull && isOpen(each) && each.head === pull.head)
    const asked = ask('POST /pulls/{index}/merge', { index: pull.number }, body, oneOf([ada, bob]))
    if ((await status(asked, 200, 404, 405, 409)) !== 200) return void refused.add(pull)
    // Two that make the same commit at the same moment have both merged, and `verifyPull` counts one merge.
    take(pull)
    if (deletes && !other && branches.has(pull.head)) await forget(pull.head)
  }

  /** What the deletion of a branch does to the others. */
  async function forget(branch: string) {
    branches.delete(branch)
    for (const pull of pulls.filter(isOpen)) if (pull.head === branch) pull.state = 'closed'
    for (const pull of pulls.filter((each) => isOpen(each) && each.base === branch)) {
      let base: string | undefined = branch
      while (base !== undefined && !branches.has(base)) base = mergedInto(base)
      const isThere = base !== undefined && !pairIsOpen(pull.head, base)
      const adds =
        isThere &&
        (await git('rev-list', '--max-count=1', `refs/pull/${pull.number}/head`, `^${base}`)) !== ''
      if (base !== undefined && adds) pull.base = base
      else pull.state = 'closed'
    }
  }
  const mergedInto = (branch: string) =>
    pulls.findLast(({ head, state }) => state === 'merged' && head === branch)?.base

  async function remove() {
    const branch = oneOf([...branches].filter((name) => name !== 'main'))
    if (branch === undefined) return
    await status(ask('DELETE /branches/{branch...}', { branch }), 204)
    await forget(branch)
  }

  async function turn(pull: Expected) {
    const state = isOpen(pull) ? 'closed' : 'open'
    const edited = ask('PATCH /pulls/{index}', { index: pull.number }, { state })
    const got = await status(edited, 201, 404, 409, 412, 422)
    if (got === 201 && pull.state !== 'merged') pull.state = state
  }

  async function retarget(pull: Expected) {
    const base = oneOf([...branches])
    const edited = ask('PATCH /pulls/{index}', { index: pull.number }, { base })
    if ((await status(edited, 201, 404, 409, 412, 422)) === 201) pull.base = base
  }

  /** Several clients at once, each at a pull request of its own; or two that merge the same one. */
  async function together() {
    const some = pulls.filter(isOpen).slice(-3)
    const acts = some.map((pull) => oneOf([push, merge, discuss, turn])(pull))
    const [first] = some
    await Promise.all(first ? [...acts, merge(first)] : acts)
  }

  /** Several clients at the same pull request at once, in any order: the model takes over what the server says after that. */
  async function race(pull: Expected) {
    const index = { index: pull.number }
    const edit = (body: object) => () => ask('PATCH /pulls/{index}', index, body)
    const mergeIt = () => ask('POST /pulls/{index}/merge', index, { Do: oneOf(styles) }, oneOf([ada, bob]))
    const acts = [
      mergeIt,
      edit({ state: 'closed' }),
      edit({ base: oneOf([...branches]) }),
      () => ask('DELETE /branches/{branch...}', { branch: pull.head }),
      () => write(pull.head),
      () => ask('POST /pulls/{index}/update', index),
    ]
    const begun = [mergeIt, oneOf(acts), oneOf(acts)].map(async (act) => ({ act, answer: await act() }))
    const ended = await Promise.all(begun)
    for (const { answer } of ended) assert.ok(answer.status < 500, `seed ${seed}: ${answer.status}`)
    if (ended.some(({ act, answer }) => act === mergeIt && answer.status === 200)) take(pull)
    else refused.add(pull)
    if ((await git('for-each-ref', `refs/heads/${pull.head}`)) === '') branches.delete(pull.head)
    for (const each of pulls.filter(isOpen)) {
      const { body } = await ask('GET /pulls/{index}', { index: each.number })
      each.state = body.state
      each.base = body.base.ref
    }
  }

  function take(pull: Expected) {
    pull.state = 'merged'
    closed.add(pull.issue)
  }

  /** Another merge of the same moment may have brought the commit of one that is refused: it is merged then, too. */
  async function settle() {
    for (const pull of refused)
      if ((await ask('GET /pulls/{index}', { index: pull.number })).body.merged) take(pull)
    refused.clear()
  }

  async function verify() {
    for (const pull of pulls) await verifyPull(pull)
    const { body } = await ask('GET ')
    const open = issues - closed.size
    assert.deepEqual(
      [body.open_pr_counter, body.open_issues_count],
      [pulls.filter(isOpen).length, open],
      `seed ${seed}`,
    )
    const listed = (await git('for-each-ref', '--format=%(refname:lstrip=2)', 'refs/heads')).split('\n')
    assert.deepEqual(listed.toSorted(), [...branches].toSorted())
    const [left] = await database.pool`select count(*)::integer as merges from forge.pull_merge`
    assert.equal(left?.merges, 0)
  }

  async function verifyPull({ number, head, base, state, comments, reviews, issue }: Expected) {
    const { body: pull } = await ask('GET /pulls/{index}', { index: number })
    const { body: entries } = await ask('GET /issues/{index}/timeline', { index: number })
    const types = entries.map(({ type }: { type: string }) => type)
    const kept = await git('rev-parse', `refs/pull/${number}/head`)
    const about = `seed ${seed}: #${number}`
    assert.deepEqual(
      [
        pull.state,
        pull.merged,
        pull.base.ref,
        pull.comments,
        types.filter((type: string) => type === 'review').length,
      ],
      [state === 'open' ? 'open' : 'closed', state === 'merged', base, comments, reviews],
      about,
    )
    assert.equal(
      types.filter((type: string) => type === 'merge_pull').length,
      state === 'merged' ? 1 : 0,
      about,
    )
    assert.equal(pull.head.sha, kept, about)
    if (state === 'open' && branches.has(head))
      assert.equal(await git('rev-parse', `refs/heads/${head}`), kept, about)
    if (state === 'merged' && branches.has(base))
      await git('merge-base', '--is-ancestor', pull.merge_commit_sha, base)
    const done = (await ask('GET /issues/{index}', { index: issue })).body.state
    assert.equal(done, closed.has(issue) ? 'closed' : 'open', about)
  }

  async function restart() {
    const [, second] = apps
    await second?.close()
    apps[1] = await serveApp(database, settings)
  }

  async function step(at: number) {
    if (at % 15 === 14) await restart()
    const chance = next()
    const some = pulls.filter(isOpen)
    if (some.length < 3 || chance < 0.2) return open()
    const pull = oneOf(some)
    if (chance < 0.3) return push(pull)
    if (chance < 0.38) return discuss(pull)
    if (chance < 0.5) return merge(pull, next() < 0.5)
    if (chance < 0.58) return turn(oneOf(pulls))
    if (chance < 0.68) return retarget(pull)
    if (chance < 0.78) return remove()
    return chance < 0.9 ? together() : race(pull)
  }

  assert.equal(
    (
      await (apps[0] as Served).call('POST /api/v1/user/repos', {
        as: ada,
        body: { name: repo, auto_init: true },
      })
    ).status,
    201,
  )
  for (const { name: collaborator } of [bob, cyd])
    await status(ask('PUT /collaborators/{collaborator}', { collaborator }, { permission: 'write' }), 204)
  for (let at = 0; at < steps; at++) {
    await step(at)
    await settle()
    if (at % 10 === 9) await verify()
  }
  await verify()
  const { code, stdout, stderr } = await client(path, 'fsck', '--strict', '--full')
  assert.deepEqual([code, `${stdout}${stderr}`.replace(/^dangling .*\n/gm, '')], [0, ''])
}

const seed = Number(process.env.HISTORY_SEED ?? 1)
const end = Date.now() + 1000 * Number(process.env.HISTORY_SECONDS ?? 0)

test(`pull requests, branches and counters are what a model says, in the history of seed ${seed}`, async () => {
  await historyOf(seed, 40)
  for (let each = seed + 1; Date.now() < end; each++) await historyOf(each, 60)
})
