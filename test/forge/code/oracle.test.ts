import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { serveApp } from '../../support/app.ts'
import { openTestDatabase } from '../../support/database.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { clientOk } from '../../support/git.ts'
import { oracleOf } from '../../support/oracle/git.ts'
import { type History, writeHistory } from '../../support/oracle/history.ts'
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
  const send = async (path: string, query: Readonly<Record<string, string | number>> = {}) => {
    const escaped = path.split('/').map(encodeURIComponent).join('/')
    const search = new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)]))
    const response = await fetch(`${app.url}/api/v1/repos/ada/${name}/${escaped}?${search}`)
    const body = Buffer.from(await response.arrayBuffer())
    assert.equal(response.status, 200, `${path} ${search}: ${body}`)
    return { headers: response.headers, body }
  }
  return {
    json: async (path, query) => {
      const { headers, body } = await send(path, query)
      return { headers, body: JSON.parse(body.toString('utf8')) }
    },
    bytes: async (path, query) => (await send(path, query)).body,
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
const all: Chosen = [...moving, 'trees', 'commit', 'refs', 'comparisons', 'archives']

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
  const refs = new Map([
    ['HEAD', main],
    ['v1', tagged],
    [main, main],
  ])
  await hold(second, cold, history, { refs, chosen: all })
  await hold(first, cold, history, { refs: new Map([['refs/heads/main', main]]), chosen: all })
  // The name of a branch and of a tag.
  const older = await clientOk(directory, 'rev-parse', 'refs/tags/main')
  assert.notEqual(older, main)
  await hold(first, cold, history, { refs: new Map([['main', older]]), chosen: ['commits', 'archives'] })
  await hold(first, cold, history, { refs: new Map([['main', main]]), chosen: ['folders', 'files'] })
}

const seed = Number(process.env.ORACLE_SEED ?? 1)
const until = Date.now() + 1000 * Number(process.env.ORACLE_SECONDS ?? 0)

for (const each of [seed, seed + 1])
  test(`what is read of the code is what git says, in the history of seed ${each}`, () => tryHistory(each))

if (process.env.ORACLE_SECONDS)
  test('what is read of the code is what git says, in more histories', async () => {
    for (let each = seed + 2; Date.now() < until; each++) {
      process.stdout.write(`seed ${each}\n`)
      await tryHistory(each)
    }
  })
