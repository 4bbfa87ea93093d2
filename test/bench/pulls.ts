import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Pool } from '../../src/db/sql.ts'
import { atLeast, atMost, type Bench, type BenchContext, median, type Report } from './support/bench.ts'
import { rounded, withSpread } from './support/figures.ts'
import { onDatabase, type Place } from './support/fill.ts'
import { type Forge, startForge, tokenOf } from './support/forge.ts'
import { git, importHistory, push } from './support/git.ts'
import { inRounds, loadColumns, loadFigures, measure, middle, ratios } from './support/measure.ts'
import { withoutSearchIndexes } from './support/users.ts'

const amounts = { commits: 20_000, branches: 1, entries: 200, fileBytes: 10_000 }

/** Connections that read; creations, pushes and merges of each style, one after another. */
const clients = { readers: 32, created: 30, pushes: 10, merged: 10 }

const styles = ['merge', 'rebase', 'squash']

/** Milliseconds in which a merge is answered, and in which the first answer after a push says what can be merged. */
const wanted = { merge: 60, mergeable: 100 }

const base = '/api/v1/repos/bench/changes'

/** What is read of pull requests, and of issues beside it. */
const reads = [
  { pull: `${base}/pulls?limit=30`, issue: `${base}/issues?type=issues&limit=30` },
  { pull: `${base}/pulls?state=all&page=100`, issue: `${base}/issues?type=issues&state=all&page=100` },
  { pull: `${base}/pulls/1`, issue: `${base}/issues/1` },
]

export const pulls: Bench = {
  name: 'pulls',
  about: `Pull requests in a repository of ${amounts.commits.toLocaleString('en')} commits, on a PostgreSQL server with \
fsync. One after another: creating one, beside an issue in the same rounds; after a push by stock git to its branch, the first \
answer that says whether it can be merged; merging, the branch kept. Then reads over ${clients.readers} connections in a \
repository with a tenth of \`BENCH_ROWS\` of pull requests and as many issues, beside those of issues in the same rounds.`,
  async run(context) {
    const forge = await startForge(context, 'pulls')
    try {
      const report: Report = { tables: [], targets: [], notes: [] }
      const folder = join(context.folder, 'pulls-work')
      await importHistory(folder, amounts)
      await forge.call('POST', '/api/v1/user/repos', 201, { name: 'changes' })
      await push(folder, forge, 'changes')
      await measureCreation(forge, report)
      await measureMergeable(forge, folder, report)
      await measureMerges(forge, report)
      await fillPulls({ url: forge.database }, 'changes', Math.round(context.settings.rows / 10))
      await measureReads(context, forge, report)
      return report
    } finally {
      await forge.child.kill()
    }
  },
}

/** Makes a branch with a file of its own. */
const branch = (forge: Forge, name: string) =>
  forge.call('POST', `${base}/contents/${name}.txt`, 201, {
    content: Buffer.from(`${name}\n`).toString('base64'),
    branch: 'main',
    new_branch: name,
  })

const propose = (forge: Forge, name: string) =>
  forge.call('POST', `${base}/pulls`, 201, { title: name, head: name, base: 'main' })

async function measureCreation(forge: Forge, report: Report): Promise<void> {
  const created: number[] = []
  const issues: number[] = []
  const runs: number[] = []
  for (let at = 1; at <= clients.created; at++) {
    await branch(forge, `topic-${at}`)
    created.push(await propose(forge, `topic-${at}`))
    issues.push(await forge.call('POST', `${base}/issues`, 201, { title: `Issue ${at}` }))
    runs.push(await oneRunOfGit())
  }
  const bound = 2 * median(issues) + median(runs)
  const figures = [created, issues, runs].flatMap((times) => [rounded(median(times))])
  report.tables.push({
    columns: ['Created: pull request, median ms', 'issue, median ms', 'one run of git, median ms'],
    rows: [figures],
  })
  report.targets.push(
    atMost('creating a pull request, of two issues and a run of git', 1, median(created) / bound, '×'),
  )
}

/** Milliseconds of starting git and waiting for it. */
async function oneRunOfGit(): Promise<number> {
  const began = performance.now()
  await promisify(execFile)('git', ['version'])
  return performance.now() - began
}

async function measureMergeable(forge: Forge, folder: string, report: Report): Promise<void> {
  await git(folder, 'checkout', '-q', '-b', 'pushed')
  await git(folder, 'commit', '-q', '--allow-empty', '-m', 'First')
  await push(folder, forge, 'changes', 'pushed')
  await propose(forge, 'pushed')
  const path = `${base}/pulls/main/pushed`
  const times: number[] = []
  for (let each = 0; each < clients.pushes; each++) {
    await git(folder, 'commit', '-q', '--allow-empty', '-m', 'Next')
    await push(folder, forge, 'changes', 'pushed')
    times.push(await forge.call('GET', path, 200))
  }
  report.tables.push({
    columns: ['First answer about a pull request after a push', 'slowest ms'],
    rows: [[rounded(median(times)), rounded(Math.max(...times))]],
  })
  report.targets.push(atMost('whether it can be merged, after a push', wanted.mergeable, median(times), 'ms'))
}

async function measureMerges(forge: Forge, report: Report): Promise<void> {
  const rows: string[][] = []
  let number = -1
  for (const style of styles) {
    const times: number[] = []
    // Pull requests and issues were made by turns: every other number is a pull request.
    for (let each = 0; each < clients.merged; each++) {
      number += 2
      times.push(await forge.call('POST', `${base}/pulls/${number}/merge`, 200, { Do: style }))
    }
    rows.push([style, rounded(median(times)), rounded(Math.max(...times))])
    report.targets.push(atMost(`a merge by ${style}`, wanted.merge, median(times), 'ms'))
  }
  report.tables.push({ columns: ['Merge', 'median ms', 'slowest ms'], rows })
}

async function measureReads(context: BenchContext, forge: Forge, report: Report): Promise<void> {
  const authorization = await tokenOf(forge)
  const paths = reads.flatMap(({ pull, issue }) => [pull, issue])
  const loads = await inRounds(context, paths, (short, path) =>
    measure(short, forge.child, { method: 'GET', path, authorization, status: 200 }, clients.readers),
  )
  const rows: string[][] = []
  for (const { pull, issue } of reads) {
    const [own, peer] = [pull, issue].map((path) => loads.get(path) ?? [])
    if (!own || !peer) continue
    const share = ratios(own, peer)
    rows.push([`GET ${pull}`, withSpread(share), ...loadFigures(middle(own))])
    rows.push([`GET ${issue}`, '1', ...loadFigures(middle(peer))])
    report.targets.push(atLeast(`GET ${pull}, against the same of issues`, 0.5, share, '×'))
  }
  const amount = Math.round(context.settings.rows / 10).toLocaleString('en')
  report.tables.push({ columns: [`${amount} pull requests`, 'of issues', ...loadColumns], rows })
}

/**
 * Gives a repository so many pull requests more that propose the commit of its first one, and as many issues after them, nine
 * in ten of them closed. The branches of these pull requests exist in the database alone.
 */
const fillPulls = (place: Place, repository: string, amount: number): Promise<void> =>
  onDatabase(place, async (pool) => {
    await withoutSearchIndexes(pool, () => insertRows(pool, repository, amount))
    // A PostgreSQL server does this by itself after a while.
    await pool`vacuum analyze`
  })

const insertRows = (pool: Pool, repository: string, amount: number) =>
  pool.begin(async (tx) => {
    await tx`set local statement_timeout = 0`
    // Row by row they would be most of the time; the totals that they keep follow.
    await tx`alter table forge.issue disable trigger user`
    await tx`
      insert into forge.issue (repository_id, number, poster_id, title, body, created_at, updated_at, closed_at, is_pull)
      select repository.id, repository.last_issue + n, owner_id, 'Change ' || n, 'Why it is made.', moment, moment,
        case when n % 10 <> 0 then moment end, n <= ${amount}
      from forge.repository, generate_series(1, ${2 * amount}::bigint) as n,
        lateral (select timestamptz '2025-01-01' + n * interval '1 minute' as moment) as made
      where repository.key = ${repository}`
    await tx`
      insert into forge.pull_request
        (issue_id, repository_id, head_repository_id, head_branch, base_branch, head_commit, merge_base, is_open)
      select issue.id, issue.repository_id, issue.repository_id, 'change-' || issue.number, base_branch, head_commit,
        merge_base, issue.closed_at is null
      from forge.issue
      join forge.repository on repository.id = issue.repository_id and repository.key = ${repository}
      join lateral (
        select base_branch, head_commit, merge_base
        from forge.pull_request
        where repository_id = issue.repository_id
        order by issue_id
        limit 1
      ) as first on true
      where issue.is_pull and not exists (select from forge.pull_request where issue_id = issue.id)`
    await tx`
      update forge.repository
      set last_issue = last_issue + ${2 * amount}, open_issues = open_issues + ${amount / 10},
        open_pulls = open_pulls + ${amount / 10}
      where key = ${repository}`
    await tx`alter table forge.issue enable trigger user`
  })
