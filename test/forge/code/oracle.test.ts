import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { serveApp } from '../../support/app.ts'
import type { Answered } from '../../support/client.ts'
import { openTestDatabase } from '../../support/database.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { clientOk } from '../../support/git.ts'
import { listed, oracleOf } from '../../support/oracle/git.ts'
import { type History, importHistory, writeHistory } from '../../support/oracle/history.ts'
import { type Asking, readings } from '../../support/oracle/readings.ts'

/**
 * Each reading operation of code says what git says on a clone, on histories that are made by chance. `ORACLE_SEED=7
 * ORACLE_SECONDS=600` tries histories from that seed on for as long.
 */

const folder = await temporaryFolder()
const settings = { DATA_DIR: join(folder, 'data') }
const database = await openTestDatabase()
const first = await serveApp(database, settings)
/** Another process on the same database and folder. */
const second = await serveApp(database, settings)
after(async () => {
  await first.close()
  await second.close()
  await database.close()
})
const [ada] = await first.make.people('ada')

let made = 0

/** An empty repository of ada. */
async function repository() {
  const name = `History-${++made}`
  const body = { name, default_branch: 'main' }
  assert.equal((await first.call('POST /api/v1/user/repos', { as: ada, body })).status, 201)
  return name
}

/** Pushes a moment of a history, with its tags at the end. */
async function push(name: string, { directory, moments }: History, at: number) {
  const { host } = new URL(first.url)
  const address = `http://${ada.name}:${ada.token}@${host}/ada/${name}.git`
  const branches = [...(moments[at] ?? [])].map(([branch, id]) => `+${id}:refs/heads/${branch}`)
  const tags = at === moments.length - 1 ? ['refs/tags/*:refs/tags/*'] : []
  await clientOk(directory, 'push', '-q', address, ...branches, ...tags)
}

/** Asks one process about a repository. */
function askingOf(app: typeof first, name: string): Asking {
  const open = async (address: string) => {
    const response = await fetch(address)
    const body = Buffer.from(await response.arrayBuffer())
    assert.equal(response.status, 200, `${address}: ${body}`)
    return { headers: response.headers, body }
  }
  const send = (path: string, query: Readonly<Record<string, string | number>> = {}) => {
    const escaped = path.split('/').map(encodeURIComponent).join('/')
    const search = new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)]))
    return open(`${app.url}/api/v1/repos/ada/${name}/${escaped}?${search}`)
  }
  return {
    json: async (path, query) => {
      const { headers, body } = await send(path, query)
      return { headers, body: JSON.parse(body.toString('utf8')) }
    },
    bytes: async (path, query) => (await send(path, query)).body,
    follow: async (address) => (await open(address.replace(/^https?:\/\/[^/]*/, app.url))).body,
  }
}

type Chosen = readonly (keyof typeof readings)[]

/** Compares readings at the commits of some names. */
async function hold(
  app: typeof first,
  name: string,
  { directory }: History,
  { refs, chosen }: { refs: ReadonlyMap<string, string>; chosen: Chosen },
) {
  const oracle = oracleOf(directory)
  for (const [ref, commit] of refs)
    for (const kind of chosen)
      await readings[kind]({ asking: askingOf(app, name), oracle, ref, commit, folder: name.toLowerCase() })
}

const moving: Chosen = ['folders', 'files', 'commits']
const all: Chosen = [...moving, 'trees', 'commit', 'refs', 'comparisons', 'archives', 'addresses']

/** One history, asked for by two processes, and beside it while it grows. */
async function tryHistory(seed: number) {
  const history = await writeHistory(join(folder, `history of ${seed}`), { seed, commits: 16 })
  const { moments, directory } = history
  const growing = await repository()
  for (const [at, branches] of moments.entries()) {
    await push(growing, history, at)
    const refs = new Map([...branches].map(([branch, id]) => [`refs/heads/${branch}`, id]))
    await hold(first, growing, history, { refs, chosen: moving })
  }
  const branches = moments.at(-1) ?? new Map<string, string>()
  const main = branches.get('main') ?? ''
  const tagged = await clientOk(directory, 'rev-parse', 'v1^{commit}')
  const cold = await repository()
  await push(cold, history, moments.length - 1)
  await hold(second, cold, history, { refs: new Map([['v1', tagged]]), chosen: all })
  await hold(first, cold, history, { refs: new Map([['refs/heads/main', main]]), chosen: all })
  // Other names of the same commit.
  const names = new Map([
    ['HEAD', main],
    [main, main],
  ])
  await hold(second, cold, history, { refs: names, chosen: ['folders', 'files', 'archives'] })
  const head = new Map([['HEAD', main]])
  await hold(second, cold, history, { refs: head, chosen: ['comparisons', 'addresses', 'commits', 'commit'] })
  // The name of a branch and of a tag.
  const older = await clientOk(directory, 'rev-parse', 'refs/tags/main')
  assert.notEqual(older, main)
  await hold(first, cold, history, {
    refs: new Map([['main', older]]),
    chosen: ['commits', 'commit', 'archives'],
  })
  await hold(first, cold, history, { refs: new Map([['main', main]]), chosen: ['folders', 'files'] })
}

const seed = Number(process.env.ORACLE_SEED ?? 1)
const until = Date.now() + 1000 * Number(process.env.ORACLE_SECONDS ?? 0)

for (const each of [seed, seed + 1])
  test(`what is read of the code is what git says, in the history of seed ${each}`, () => tryHistory(each))

/** A folder of 10,003 files, of which three commits and a merge change some. */
async function wideHistory(directory: string): Promise<string> {
  const script: string[] = []
  const commit = (mark: number, branch: string, parents: string, files: Readonly<Record<number, string>>) => {
    const name = (at: number) => `wide/${String(at).padStart(5, '0')}`
    const changes = Object.entries(files).map(([at, content]) =>
      content === ''
        ? `D ${name(Number(at))}\n`
        : `M 644 inline ${name(Number(at))}\ndata ${content.length}\n${content}\n`,
    )
    script.push(
      `commit refs/heads/${branch}\nmark :${mark}\ncommitter Ada <ada@example.com> ${1_700_000_000 + mark} +0000\n`,
    )
    script.push(`data 1\n${mark}\n${parents}`, ...changes, '\n')
  }
  commit(1, 'main', '', Object.fromEntries(Array.from({ length: 10_003 }, (_, at) => [at, `${at % 7}\n`])))
  commit(2, 'side', 'from :1\n', { 0: 'side\n', 5000: 'side\n', 10002: '' })
  commit(3, 'main', 'from :1\n', { 1: 'main\n', 5000: 'main\n' })
  commit(4, 'main', 'from :3\nmerge :2\n', { 0: 'side\n', 5000: 'both\n', 10002: '', 10003: 'new\n' })
  const ids = await importHistory(directory, Buffer.from(`${script.join('')}done\n`), 4)
  return ids.get(4) ?? ''
}

test('what is read of a folder of 10,003 files is what git says', async () => {
  const directory = join(folder, 'wide')
  const head = await wideHistory(directory)
  const name = await repository()
  await push(name, { directory, moments: [new Map([['main', head]])] }, 0)
  const oracle = oracleOf(directory)
  const files = (await listed(oracle, `${head}:wide`)).map(({ path, id }) => [path, id])
  assert.equal(files.length, 10_003)
  const changed = ['00000', '00001', '05000', '10003']
  const [root = ''] = await oracle.lines('rev-list', '--max-parents=0', head)
  const last = new Map(
    await Promise.all(
      changed.map(async (path) => {
        const [id = ''] = await oracle.lines('log', '-1', '--format=%H', head, '--', `wide/${path}`)
        return [path, id] as const
      }),
    ),
  )
  for (const app of [first, second]) {
    const asking = askingOf(app, name)
    const { body } = await asking.json('contents/wide', { ref: 'main' })
    assert.deepEqual(
      body.map((each: Answered['body']) => [each.name, each.sha, each.last_commit_sha]),
      files.map(([path = '', id]) => [path, id, last.get(path) ?? root]),
    )
    await readings.trees({ asking, oracle, ref: 'main', commit: head, folder: name.toLowerCase() })
    for (const path of changed) {
      const { body: commits } = await asking.json('commits', { path: `wide/${path}` })
      assert.deepEqual(
        commits.map(({ sha }: { sha: string }) => sha),
        await oracle.lines('rev-list', head, '--', `wide/${path}`),
      )
    }
  }
})

if (process.env.ORACLE_SECONDS)
  test('what is read of the code is what git says, in more histories', async () => {
    for (let each = seed + 2; Date.now() < until; each++) {
      process.stdout.write(`seed ${each}\n`)
      await tryHistory(each)
    }
  })
