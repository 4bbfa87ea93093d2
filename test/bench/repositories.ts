import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import postgres from 'postgres'
import { atMost, type Bench, type BenchContext, median, type Report } from './support/bench.ts'
import { type Forge, startForge } from './support/forge.ts'

/** Repositories of each kind that are created, and of those whose processes are counted. */
const amounts = { timed: 40, counted: 5 }
/** What lies on the disk for the list of directories. */
const directories = { owners: 100, each: 100 }

const kinds = [
  { name: 'an empty repository', body: {}, milliseconds: 25, processes: 1 },
  {
    name: 'with auto_init',
    body: { auto_init: true, gitignores: 'Go', license: 'MIT' },
    milliseconds: 75,
    processes: 3,
  },
]

export const repositories: Bench = {
  name: 'repositories',
  about: `Creating repositories over the API, one after another, with everything synchronized to the disk: \
${amounts.timed} of each kind; and the git processes that it takes, counted through a program of that name that writes \
a line and becomes git. Then the list of unadopted directories, of which there are \
${(directories.owners * directories.each).toLocaleString('en')}.`,
  async run(context) {
    const report: Report = { tables: [], targets: [], notes: [] }
    await create(context, report)
    await list(context, report)
    return report
  },
}

async function create(context: BenchContext, report: Report): Promise<void> {
  const log = join(context.folder, 'git.log')
  const counting = await startForge(context, 'repositories_counted', { PATH: countingPath(context, log) })
  const forge = await startForge(context, 'repositories')
  const rows: string[][] = []
  try {
    for (const { name, body, milliseconds, processes } of kinds) {
      writeFileSync(log, '')
      await createMany(counting, body, amounts.counted)
      const each = readFileSync(log, 'utf8').split('\n').length - 1
      const times = await createMany(forge, body, amounts.timed)
      const middle = median(times)
      rows.push([name, middle.toFixed(1), Math.max(...times).toFixed(1), String(each / amounts.counted)])
      report.targets.push(atMost(`creating ${name}`, milliseconds, middle, 'ms'))
      report.targets.push(atMost(`creating ${name}`, processes, each / amounts.counted, 'git processes'))
    }
  } finally {
    await counting.child.kill()
    await forge.child.kill()
  }
  report.tables.push({ columns: ['Creating', 'median, ms', 'slowest, ms', 'git processes'], rows })
}

let created = 0

async function createMany({ call }: Forge, body: object, count: number): Promise<number[]> {
  const times: number[] = []
  // The password is looked at once.
  await call('GET', '/api/v1/user', 200)
  for (let each = 0; each < count; each++)
    times.push(await call('POST', '/api/v1/user/repos', 201, { ...body, name: `made-${created++}` }))
  return times
}

/** `PATH` with a git before all others that leaves a line. */
function countingPath(context: BenchContext, log: string): string {
  const folder = join(context.folder, 'counting')
  mkdirSync(folder)
  const path = process.env.PATH ?? ''
  const script = `#!/bin/sh\necho "$@" >> '${log}'\nPATH='${path}' exec git "$@"\n`
  writeFileSync(join(folder, 'git'), script)
  chmodSync(join(folder, 'git'), 0o755)
  return `${folder}:${path}`
}

async function list(context: BenchContext, report: Report): Promise<void> {
  const forge = await startForge(context, 'unadopted')
  try {
    await lay(forge)
    const path = '/api/v1/admin/unadopted'
    const rows: string[][] = []
    for (const query of ['?limit=50', '?limit=50&page=200', '?query=owner7/*', '?query=*/none*']) {
      const times: number[] = []
      for (let each = 0; each < 20; each++) times.push(await forge.call('GET', path + query, 200))
      rows.push([`GET /admin/unadopted${query}`, median(times).toFixed(1), Math.max(...times).toFixed(1)])
      if (query === '?limit=50')
        report.targets.push(atMost('the list of 10,000 directories', 300, median(times), 'ms'))
    }
    report.tables.push({ columns: ['Of 10,000 directories', 'median, ms', 'slowest, ms'], rows })
  } finally {
    await forge.child.kill()
  }
}

/** Owners in the database, directories on the disk. */
async function lay({ database, dataDir }: Forge): Promise<void> {
  const sql = postgres(database, { max: 1 })
  await sql`
    insert into forge.account (kind, name, full_name, created_at, updated_at)
    select 'person', 'owner' || n, '', now(), now()
    from generate_series(1, ${directories.owners}::integer) as n`
  await sql.end()
  for (let owner = 1; owner <= directories.owners; owner++)
    for (let each = 0; each < directories.each; each++)
      mkdirSync(join(dataDir, 'repositories', `owner${owner}`, `lying-${each}.git`), { recursive: true })
}
