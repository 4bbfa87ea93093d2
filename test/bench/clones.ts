import { join } from 'node:path'
import type { Bench, Ground, Report } from './support/bench.ts'
import { startCloners } from './support/cloners.ts'
import { type Forge, startForge } from './support/forge.ts'
import { commitOf, push } from './support/git.ts'
import type { Load } from './support/load.ts'
import { measure, middle } from './support/measure.ts'

/** Clones at one time, and megabytes of the repository. */
const amounts = { atOnce: 50, megabytes: 10 }
const connections = 64
const news = { method: 'GET', path: '/api/news', status: 200 } as const

export const clones: Bench = {
  name: 'clones',
  about: `\`GET /api/news\` over ${connections} connections alone, and while ${amounts.atOnce} clients clone a public \
repository of ${amounts.megabytes} MB, one after another, from a process that lets everything else on the machine go \
first: it stands for other machines. What was begun while it was measured is then waited for. Medians.`,
  async run(ground) {
    const forge = await startForge(ground, 'clones')
    try {
      await forge.call('POST', '/api/v1/user/repos', 201, { name: 'cloned' })
      const folder = join(ground.folder, 'to-clone')
      await commitOf(folder, 10, (amounts.megabytes * 1e6) / 10)
      await push(folder, forge, 'cloned')
      return await compare(ground, forge)
    } finally {
      await forge.child.kill()
    }
  },
}

async function compare(ground: Ground, { child, url }: Forge): Promise<Report> {
  const alone: Load[] = []
  const beside: Load[] = []
  let cloned = 0
  let seconds = 0
  for (let round = 0; round < ground.settings.rounds; round++) {
    alone.push(await measure(ground, child, news, connections))
    const cloners = startCloners(ground, `${url}/bench/cloned.git`, amounts)
    beside.push(await measure(ground, child, news, connections))
    const done = await cloners.stop()
    cloned += done.clones
    seconds += done.seconds
  }
  const [before, during] = [middle(alone), middle(beside)]
  const row = (name: string, { perSecond, median, p99 }: Load, rate: string) => [
    name,
    Math.round(perSecond).toLocaleString('en'),
    median.toFixed(2),
    p99.toFixed(2),
    rate,
  ]
  return {
    tables: [
      {
        columns: ['GET /api/news', 'requests/s', 'median ms', 'p99 ms', 'clones/s, to the end'],
        rows: [row('alone', before, '–'), row('beside clones', during, (cloned / seconds).toFixed(1))],
      },
    ],
    targets: [
      {
        what: `GET /api/news beside ${amounts.atOnce} clones, against alone`,
        bound: 'at least',
        wanted: 0.7,
        reached: during.perSecond / before.perSecond,
        unit: '×',
      },
      {
        what: 'clones that came to their end',
        bound: 'at least',
        wanted: amounts.atOnce * ground.settings.rounds,
        reached: cloned,
        unit: 'clones',
      },
    ],
    notes: [],
  }
}
