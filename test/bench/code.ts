import { join } from 'node:path'
import {
  atLeast,
  atMost,
  type Bench,
  type BenchContext,
  median,
  type Report,
  type Table,
} from './support/bench.ts'
import { rounded, withSpread } from './support/figures.ts'
import { type Forge, startForge, tokenOf } from './support/forge.ts'
import { commitOf, git, importHistory, push } from './support/git.ts'
import type { Load } from './support/load.ts'
import { inRounds, loadColumns, loadFigures, measure, middle, ratios } from './support/measure.ts'
import { forgetPeak, processMemory } from './support/process.ts'

const amounts = { commits: 20_000, branches: 1_000, entries: 200, fileBytes: 10_000 }

/** Connections that read, writers into one branch or into repositories of their own, commits one after another, and pushes. */
const clients = { readers: 32, writers: 20, commits: 20, pushes: 10 }

/** Bytes of the archive. */
const archiveBytes = 100_000_000

const base = '/api/v1/repos/bench/code'

/** What is read, by its name in the report. */
const reads: Readonly<Record<string, string>> = {
  'GET …/contents of a file of 10 kB': `${base}/contents/file.txt`,
  'GET …/raw of a file of 10 kB': `${base}/raw/file.txt`,
  'GET …/contents of a folder of 200 entries': `${base}/contents/folder`,
  'GET …/commits, the newest 30': `${base}/commits?limit=30`,
  'GET …/branches of 1,000': `${base}/branches`,
}
const reference = 'GET /api/v1/orgs/{org}'

export const code: Bench = {
  name: 'code',
  about: `Code over the API, in a repository of ${amounts.commits.toLocaleString('en')} commits and \
${amounts.branches.toLocaleString('en')} branches: reads over ${clients.readers} connections while nothing is pushed, beside \
${reference} in the same rounds; the first answer after a push; commits of one file, one after another and by \
${clients.writers} writers into as many repositories and into one branch; an archive of 100 MB. On a PostgreSQL server with fsync.`,
  async run(context) {
    const forge = await startForge(context, 'code')
    try {
      const folder = await prepare(context, forge)
      const report: Report = { tables: [], targets: [], notes: [] }
      await measureReads(context, forge, report)
      await measureFirstAnswers(forge, folder, report)
      await measureCommits(forge, report)
      await measureArchive(context, forge, report)
      return report
    } finally {
      await forge.child.kill()
    }
  },
}

async function prepare(context: BenchContext, forge: Forge): Promise<string> {
  const folder = join(context.folder, 'code-work')
  await importHistory(folder, amounts)
  await forge.call('POST', '/api/v1/user/repos', 201, { name: 'code' })
  await push(folder, forge, 'code', 'refs/heads/*:refs/heads/*')
  await forge.call('POST', '/api/v1/orgs', 201, { username: 'guild' })
  return folder
}

async function measureReads(context: BenchContext, forge: Forge, report: Report): Promise<void> {
  const authorization = await tokenOf(forge)
  const all = [[reference, '/api/v1/orgs/guild'], ...Object.entries(reads)] as [string, string][]
  const loads = await inRounds(context, all, (short, [, path]) =>
    measure(short, forge.child, { method: 'GET', path, authorization, status: 200 }, clients.readers),
  )
  const [peer] = [...loads.values()]
  const rows: string[][] = []
  for (const [[name], each] of loads) {
    const share = ratios(each, peer)
    rows.push([name, withSpread(share), ...loadFigures(middle(each))])
    if (name !== reference) report.targets.push(readTarget(name, each, share))
  }
  report.tables.push({ columns: ['Read', `of ${reference}`, ...loadColumns], rows })
}

/** So many in a second, or so large a share of the reference: whichever is reached. */
function readTarget(name: string, loads: readonly Load[], share: readonly number[]) {
  const rates = loads.map(({ perSecond }) => perSecond)
  return median(rates) >= 5_000
    ? atLeast(name, 5_000, rates, 'requests/s')
    : atLeast(`${name}, against ${reference}`, 0.2, share, '×')
}

async function measureFirstAnswers(forge: Forge, folder: string, report: Report): Promise<void> {
  const rows: string[][] = []
  for (const [name, path] of Object.entries(reads)) {
    const times: number[] = []
    for (let each = 0; each < clients.pushes; each++) {
      await git(folder, 'commit', '-q', '--allow-empty', '-m', 'Next')
      await push(folder, forge, 'code')
      times.push(await forge.call('GET', path, 200))
    }
    rows.push([name, rounded(median(times)), rounded(Math.max(...times))])
    report.targets.push(atMost(`first answer after a push, ${name}`, 30, median(times), 'ms'))
  }
  report.tables.push({ columns: ['First answer after a push', 'median ms', 'slowest ms'], rows })
}

async function measureCommits(forge: Forge, report: Report): Promise<void> {
  const names = Array.from({ length: clients.writers }, (_, at) => `written-${at}`)
  for (const name of names)
    await forge.call('POST', '/api/v1/user/repos', 201, { name, auto_init: true, default_branch: 'main' })
  const content = Buffer.from('text\n').toString('base64')
  const commit = (name: string, file: string) =>
    forge.call('POST', `/api/v1/repos/bench/${name}/contents/${file}.txt`, 201, { content })
  const times: number[] = []
  for (let at = 0; at < clients.commits; at++) times.push(await commit('written-0', `file-${at}`))
  const perSecond = async (write: (writer: number, at: number) => Promise<unknown>) => {
    const began = performance.now()
    await Promise.all(
      names.map(async (_, writer) => {
        for (let at = 0; at < clients.commits; at++) await write(writer, at)
      }),
    )
    return (names.length * clients.commits * 1000) / (performance.now() - began)
  }
  const apart = await perSecond((writer, at) => commit(`written-${writer}`, `apart-${at}`))
  const together = await perSecond((writer, at) => commit('written-0', `together-${writer}-${at}`))
  const row = [median(times), Math.max(...times), apart, together].map(rounded)
  const writers = `commits/s of ${clients.writers} writers`
  const columns = ['Commit by API: median ms', 'slowest ms', writers, `${writers} of one branch`]
  report.tables.push({ columns, rows: [row] } satisfies Table)
  report.targets.push(atMost('a commit by API', 30, median(times), 'ms'))
  report.targets.push(atLeast(`commits by API of ${clients.writers} writers`, 40, apart, 'commits/s'))
  report.targets.push(
    atLeast(`commits by API of ${clients.writers} writers of one branch`, 40, together, 'commits/s'),
  )
}

async function measureArchive(context: BenchContext, forge: Forge, report: Report): Promise<void> {
  const folder = join(context.folder, 'code-archive')
  await commitOf(folder, 10, archiveBytes / 10)
  await forge.call('POST', '/api/v1/user/repos', 201, { name: 'large' })
  await push(folder, forge, 'large')
  forgetPeak(forge.child.pid)
  const before = processMemory(forge.child.pid)?.now ?? Number.NaN
  const { authorization } = forge
  const answer = await fetch(`${forge.url}/api/v1/repos/bench/large/archive/main.zip`, {
    headers: { authorization },
  })
  let bytes = 0
  for await (const chunk of answer.body ?? []) bytes += chunk.length
  if (bytes < archiveBytes)
    throw new Error(`The archive has ${bytes} bytes, and the status is ${answer.status}`)
  const growth = (processMemory(forge.child.pid)?.peak ?? Number.NaN) - before
  report.targets.push(atMost('growth of memory by an archive of 100 MB', 20, growth, 'MB'))
}
