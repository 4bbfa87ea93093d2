import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createReadStream, createWriteStream, rmSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { atLeast, type Bench, type BenchContext, key, median, type Report } from './support/bench.ts'
import type { Child } from './support/child.ts'
import { thousandEach } from './support/fill.ts'
import { type Forge, startForge } from './support/forge.ts'
import { commitOf, push } from './support/git.ts'
import { processCpu } from './support/process.ts'
import { type Kind, newDatabase, newFolder, startProduct } from './support/servers.ts'

/** Repositories and packages, the megabytes of each, and posts. */
const amounts = { repositories: 4, packages: 4, megabytes: 60, posts: 100_000 }

/** What the rates count: neither rows nor the rest. */
const megabytes = (amounts.repositories + amounts.packages) * amounts.megabytes

const SECRET_KEY = 'the key of a bench that is long enough'

export const backup: Bench = {
  name: 'backup',
  about: `\`forgehall backup\`, \`restore --verify\` and \`restore\` of a site with ${amounts.repositories} repositories and \
${amounts.packages} packages of ${amounts.megabytes} MB each, in random bytes, which nothing makes smaller, and \
${amounts.posts.toLocaleString('en')} posts, while its server runs: on PostgreSQL, restored to an embedded database, backed up from \
there, and restored to PostgreSQL again. The whole command is timed; the rate counts the ${megabytes} MB of repositories \
and packages alone. Beside it a plain copy of the archive. All are on the disk at the end. Medians.`,
  async run(context) {
    const forge = await startForge(
      context,
      'backup',
      { SECRET_KEY },
      { ...thousandEach, posts: amounts.posts },
    )
    let server: Child = forge.child
    const rows: string[][] = []
    try {
      await add(context, forge)
      const first: Site = { url: forge.database, dataDir: forge.dataDir, kind: 'PostgreSQL' }
      const second: Site = { ...newFolder(context, 'backup_embedded'), kind: 'embedded' }
      const rates = [await measureBackups(context, first, second, rows)]
      await server.stop()
      server = await startProduct(context, second, { settings: { SECRET_KEY } })
      const third: Site = {
        ...(await newDatabase(context, 'backup_again')),
        ...newFolder(context, 'backup_again'),
        kind: 'PostgreSQL',
      }
      rates.push(await measureBackups(context, second, third, rows))
      return reportOf(rows, rates)
    } finally {
      await server.kill()
    }
  },
}

/** Where a site is. */
type Site = { url?: string; dataDir: string; kind: Kind }

/** Pushes the repositories and uploads the packages. */
async function add(context: BenchContext, forge: Forge): Promise<void> {
  for (let at = 0; at < amounts.repositories; at++) {
    const name = `large-${at}`
    const folder = join(context.folder, name)
    await commitOf(folder, 6, (amounts.megabytes * 1e6) / 6)
    await forge.call('POST', '/api/v1/user/repos', 201, { name })
    await push(folder, forge, name)
    rmSync(folder, { recursive: true })
  }
  for (let at = 0; at < amounts.packages; at++) {
    const url = `${forge.url}/api/packages/bench/generic/large-${at}/1.0/file`
    const body = randomBytes(amounts.megabytes * 1e6)
    const answer = await fetch(url, { method: 'PUT', headers: { authorization: forge.authorization }, body })
    if (answer.status !== 201) throw new Error(`A package was answered with ${answer.status}`)
  }
}

/** Backs up `from`, whose server runs, verifies the archive and restores it to `to`; gives the median rate of the backups. */
async function measureBackups(context: BenchContext, from: Site, to: Site, rows: string[][]) {
  const archive = join(context.folder, `${from.kind}.tar.gz`)
  const rates = { backup: [] as number[], copy: [] as number[] }
  const used: number[] = []
  for (let round = 0; round < context.settings.rounds; round++) {
    rmSync(archive, { force: true })
    const done = await timed(context, () => forgehall(context, from, 'backup', archive))
    rates.backup.push(megabytes / done.seconds)
    used.push(done.processors)
    rates.copy.push(statSync(archive).size / 1e6 / (await timed(context, () => copy(archive))).seconds)
    context.say(`${from.kind}: backup at ${(megabytes / done.seconds).toFixed(0)} MB/s`)
  }
  const verified = await timed(context, () => forgehall(context, to, 'restore', '--verify', archive))
  const restored = await timed(context, () => forgehall(context, to, 'restore', archive))
  const row = (name: string, rate: number, processors?: number) =>
    rows.push([name, rate.toFixed(0), processors?.toFixed(2) ?? '–'])
  row(`backup from ${from.kind}`, median(rates.backup), median(used))
  row('a copy of the archive', median(rates.copy))
  row('restore --verify', megabytes / verified.seconds, verified.processors)
  row(`restore to ${to.kind}`, megabytes / restored.seconds, restored.processors)
  rmSync(archive)
  return { kind: from.kind, rates: rates.backup }
}

/** Runs a command of the product. @throws Error when it fails */
async function forgehall(context: BenchContext, { url, dataDir }: Site, ...words: string[]): Promise<void> {
  const database = url === undefined ? {} : { DATABASE_URL: url }
  const env = { PATH: process.env.PATH, DATA_DIR: dataDir, SECRET_KEY, ...database }
  await promisify(execFile)(process.execPath, [context.product, ...words], { env })
}

/** Copies a file beside itself, and lets it reach the disk. */
async function copy(path: string): Promise<void> {
  await pipeline(createReadStream(path), createWriteStream(`${path}.copy`))
  const file = await open(`${path}.copy`)
  await file.sync().finally(() => file.close())
  rmSync(`${path}.copy`)
}

/** Seconds of the wall, and processors that were busy with the command, the server and PostgreSQL. */
async function timed(context: BenchContext, work: () => Promise<void>) {
  const { pid } = await context.postgres()
  const used = () => {
    const { user, system } = process.cpuUsage()
    return (processCpu(process.pid) ?? Number.NaN) - (user + system) / 1e6 + (processCpu(pid()) ?? Number.NaN)
  }
  const [began, before] = [performance.now(), used()]
  await work()
  const seconds = (performance.now() - began) / 1000
  return { seconds, processors: (used() - before) / seconds }
}

function reportOf(rows: string[][], rates: readonly { kind: Kind; rates: readonly number[] }[]): Report {
  return {
    tables: [{ columns: [`${megabytes} MB`, 'MB/s', 'processors'], rows }],
    targets: rates.map(({ kind, rates }) => key(atLeast(`backup from ${kind}`, 50, rates, 'MB/s'))),
    notes: [],
  }
}
