import { join } from 'node:path'
import { atMost, type Bench, type BenchContext, type Report } from './support/bench.ts'
import { type Forge, startForge } from './support/forge.ts'
import { commitOf, push as pushWith } from './support/git.ts'
import { forgetPeak, processMemory } from './support/process.ts'

/** Megabytes of random bytes: as one file, and as many. */
const pushes = [
  { name: 'one file of 200 MB', files: 1, bytes: 200e6 },
  { name: '200 files of 1 MB', files: 200, bytes: 1e6 },
]

export const push: Bench = {
  name: 'push',
  about:
    'A push of 200 MB by stock git, over HTTP, into an empty repository: how far the peak of resident memory of the \
server (not of the git that it starts) lies above what was resident before, after a small push has warmed it up.',
  async run(context) {
    const forge = await startForge(context, 'push')
    try {
      await pushOnce(context, forge, { name: 'warm-up', files: 1, bytes: 1e6 })
      return await measureAll(context, forge)
    } finally {
      await forge.child.kill()
    }
  },
}

async function measureAll(context: BenchContext, forge: Forge): Promise<Report> {
  const report: Report = { tables: [], targets: [], notes: [] }
  const rows: string[][] = []
  for (const each of pushes) {
    const { seconds, before, growth } = await pushOnce(context, forge, each)
    rows.push([each.name, seconds.toFixed(1), before.toFixed(0), growth.toFixed(0)])
    const what = `growth of memory in a push of ${each.name}`
    report.targets.push(atMost(what, 50, growth, 'MB'))
  }
  report.tables.push({ columns: ['Push', 'seconds', 'before, MB', 'growth, MB'], rows })
  return report
}

async function pushOnce(
  context: BenchContext,
  forge: Forge,
  { name, files, bytes }: (typeof pushes)[number],
) {
  const repository = name.replaceAll(' ', '-')
  const folder = join(context.folder, repository)
  await commitOf(folder, files, bytes)
  await forge.call('POST', '/api/v1/user/repos', 201, { name: repository })
  forgetPeak(forge.child.pid)
  const before = processMemory(forge.child.pid)?.now ?? Number.NaN
  const began = performance.now()
  await pushWith(folder, forge, repository)
  const seconds = (performance.now() - began) / 1000
  const peak = processMemory(forge.child.pid)?.peak ?? Number.NaN
  return { seconds, before, growth: peak - before }
}
