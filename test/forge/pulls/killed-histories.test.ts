import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { killedAtEnd, openHome, runBinary, type Serving, stopBinary } from '../../support/binary.ts'
import { onServer } from '../../support/database.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { basic, bearer } from '../../support/forge/make.ts'
import { numbersOf } from '../../support/oracle/history.ts'
import { type Caller, openKilledRemote, send } from '../../support/oracle/killed-remote.ts'
import { type Proposal, requireModel } from '../../support/oracle/proposals.ts'
import { proposerOf } from '../../support/oracle/proposer.ts'
import { startReceiver } from '../../support/receiver.ts'
import { until } from '../../support/wait.ts'

/**
 * Eight clients open, push, review, merge, revert and delete at once, by chance, while a server is killed now and then: on a
 * PostgreSQL server one of two processes, else the only one. What has no answer has happened or not; everything else is what
 * a model says. `HISTORY_SEED=7 HISTORY_SECONDS=600 npm run histories` tries histories from that seed on for as long.
 */

const clients = 8
const home = await openHome()
const environment = {
  ...home.environment,
  ADMIN_USERNAME: 'ada',
  ADMIN_PASSWORD: 'a-password-for-tests',
  WEBHOOK_ALLOWED_HOSTS: 'loopback',
}
const admin = basic('ada', environment.ADMIN_PASSWORD)
const receiver = await startReceiver()
const folder = await temporaryFolder()

/** Those that run, or are about to. */
const servers: Promise<Serving>[] = []
const serve = killedAtEnd(environment)
for (let count = 0; count < (onServer ? 2 : 1); count++) servers.push(serve())

async function must(literal: string, body?: object, as: Caller = admin) {
  const { url } = await (servers[0] as Promise<Serving>)
  const answer = await send(url, literal, as, body)
  const isDone = answer.status !== undefined && answer.status < 300
  assert.ok(isDone, `${literal}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}

/** Makes an account unless it is there, lets it write, and gives a token. */
async function admit(login: string, repo: string): Promise<Caller> {
  const password = `${login}-password-1`
  const account = { username: login, email: `${login}@example.com`, password, must_change_password: false }
  const found = await must(`GET /users/search?q=${login}`)
  if (found.data.length === 0) await must('POST /admin/users', account)
  await must(`PUT /repos/ada/${repo}/collaborators/${login}`, { permission: 'write' })
  const token = { name: repo, scopes: ['all'] }
  return bearer((await must(`POST /users/${login}/tokens`, token, basic(login, password))).sha1)
}

/** One history, in a repository of its own. */
async function historyOf(seed: number, steps: number, kills: number) {
  const repo = `killed${seed}`
  const numbers = numbersOf(seed)
  const proposals: Proposal[] = []
  await must('POST /user/repos', { name: repo, auto_init: true })
  const config = { url: `${receiver.url}/${repo}`, content_type: 'json' }
  const hook = { type: 'gitea', active: true, events: ['pull_request'], config }
  await must(`POST /repos/ada/${repo}/hooks`, hook)
  let acts = 0

  async function clientOf(name: string, next: () => number) {
    const as = await admit(name, repo)
    const address = async () => (await (oneServer(next) as Promise<Serving>)).url
    const place = { repository: `ada/${repo}`, clone: join(folder, `${repo}-${name}`), as }
    const remote = await openKilledRemote(place, address)
    const act = proposerOf({ name, next, remote, proposals })
    return async () => {
      for (let count = 0; count < steps; count++, acts++) await act()
    }
  }

  const work: (() => Promise<void>)[] = []
  for (let count = 1; count <= clients; count++)
    work.push(await clientOf(`client${count}`, numbersOf(numbers() * 2 ** 32)))
  let isOver = false
  const working = Promise.all(work.map((begin) => begin())).finally(() => {
    isOver = true
  })
  const killing = kill(kills, numbers, (part) => isOver || acts >= part * steps * clients)
  await Promise.all([working, killing])
  const read = (literal: string) => must(`GET /repos/ada/${repo}${literal.slice('GET '.length)}`)
  const toldMerged = () => new Set(receiver.received.map(({ target, body }) => mergedIn(target, body, repo)))
  const path = join(home.dataDir, 'repositories', 'ada', `${repo}.git`)
  await requireModel({ proposals, path, read, toldMerged }, `seed ${seed}`)
}

const oneServer = (next: () => number) => servers[Math.floor(next() * servers.length)]

/** Kills a server and starts it again, each time when the clients have done some more. */
async function kill(kills: number, next: () => number, hasDone: (part: number) => boolean) {
  for (let count = 1; count <= kills; count++) {
    await until('the clients have done more', () => hasDone(count / (kills + 1)))
    const victim = Math.floor(next() * servers.length)
    const killed = await (servers[victim] as Promise<Serving>)
    const again = killed.ended.then(serve)
    servers[victim] = again
    killed.signal('SIGKILL')
    await again
  }
}

/** The number of the pull request whose merge a webhook of this repository tells; otherwise 0. */
function mergedIn(target: string, body: string, repo: string): number {
  if (target !== `/${repo}`) return 0
  const { action, pull_request: pull, number } = JSON.parse(body)
  return action === 'closed' && pull.merged ? number : 0
}

const seed = Number(process.env.HISTORY_SEED ?? 1)
const end = Date.now() + 1000 * Number(process.env.HISTORY_SECONDS ?? 0)

test(`eight clients and a killed server leave what a model says, in the history of seed ${seed}`, async () => {
  await historyOf(seed, 6, 2)
  for (let each = seed + 1; Date.now() < end; each++) await historyOf(each, 15, 4)
  for (const server of await Promise.all(servers)) assert.equal((await stopBinary(server)).code, 0)
  const checked = await runBinary(['doctor'], environment)
  assert.equal(checked.code, 0, checked.out)
})
