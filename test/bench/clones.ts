import { join } from 'node:path'
import { atLeast, type Bench, type BenchContext, type Report } from './support/bench.ts'
import { startCloners } from './support/cloners.ts'
import { type Forge, startForge } from './support/forge.ts'
import { commitOf, push } from './support/git.ts'
import type { Load } from './support/load.ts'
import { loadColumns, loadFigures, measure, middle } from './support/measure.ts'

/** Clones at one time, and megabytes of the repository. */
const amounts = { atOnce: 50, megabytes: 10 }
const connections = 64
const news = { method: 'GET', path: '/api/news', status: 200 } as const

export const clones: Bench = {
  name: 'clones',
  about: `\`GET /api/news\` over ${connections} connections alone, and while ${amounts.atOnce} clients clone a public \
repository of ${amounts.megabytes} MB, one after another, from a process that lets everything else on the machine go \
first: it stands for other machines. What was begun while it was measured is then waited for. Medians.`,
  async run(context) {
    const forge = await startForge(context, 'clones')
    try {
      await forge.call('POST', '/api/v1/user/repos', 201, { name: 'cloned' })
      const folder = join(context.folder, 'to-clone')
      await commitOf(folder, 10, (amounts.megabytes * 1e6) / 10)
      await push(folder, forge, 'cloned')
      return await compare(context, forge)
    } finally {
      await forge.child.kill()
    }
  },
}

async function compare(context: BenchContext, { child, url }: Forge): Promise<Report> {
  const alone: Load[] = []
  const beside: Load[] = []
  let cloned = 0
  let seconds = 0
  for (let round = 0; round < context.settings.rounds; round++) {
    alone.push(await measure(context, child, news, connections))
    const cloners = startCloners(context, `${url}/bench/cloned.git`, amounts)
    beside.push(await measure(context, child, news, connections))
    const done = await cloners.stop()
    cloned += done.clones
    seconds += done.seconds
  }
  const [before, during] = [middle(alone), middle(beside)]
  return {
    tables: [
      {
        columns: ['GET /api/news', ...loadColumns, 'clones/s, to the end'],
        rows: [
          ['alone', ...loadFigures(before), '–'],
          ['beside clones', ...loadFigures(during), (cloned / seconds).toFixed(1)],
        ],
      },
    ],
    targets: [
      atLeast(
        `GET /api/news beside ${amounts.atOnce} clones, against alone`,
        0.7,
        during.perSecond / before.perSecond,
        '×',
      ),
      atLeast('clones that came to their end', amounts.atOnce * context.settings.rounds, cloned, 'clones'),
    ],
    notes: [],
  }
}
