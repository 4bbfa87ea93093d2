import { statSync } from 'node:fs'
import { atMost, type Bench, type BenchContext, key, median, type Report } from './support/bench.ts'
import { processMemory } from './support/process.ts'
import { newFolder, startProduct } from './support/servers.ts'

export const start: Bench = {
  name: 'start',
  about:
    'From the start of the process to the first 200 of `GET /api/health`, on an empty folder (the embedded database is \
made) and on the same folder again; resident memory at its peak until then. Each round has a new folder.',
  async run(context) {
    const first: Start[] = []
    const later: Start[] = []
    for (let round = 0; round < context.settings.rounds; round++) {
      const place = newFolder(context, `start-${round}`)
      first.push(await startOnce(context, place))
      later.push(await startOnce(context, place))
    }
    const megabytes = (statSync(context.product).size / 1e6).toFixed(1)
    return reportOf(first, later, `The built file has ${megabytes} MB.`)
  },
}

interface Start {
  seconds: number
  /** Megabytes; not a number where the system does not tell. */
  peak: number
}

async function startOnce(
  context: BenchContext,
  place: { dataDir: string } | { url: string },
): Promise<Start> {
  const child = await startProduct(context, place)
  const peak = processMemory(child.pid)?.peak ?? Number.NaN
  await child.stop()
  return { seconds: child.startedIn / 1000, peak }
}

function reportOf(first: readonly Start[], later: readonly Start[], note: string): Report {
  const row = (name: string, starts: readonly Start[]) => [
    name,
    median(starts.map(({ seconds }) => seconds)).toFixed(2),
    median(starts.map(({ peak }) => peak)).toFixed(0),
  ]
  const seconds = (starts: readonly Start[]) => starts.map((each) => each.seconds)
  return {
    tables: [{ columns: ['Start', 'seconds', 'peak, MB'], rows: [row('first', first), row('later', later)] }],
    targets: [
      key(atMost('first start', 2.5, seconds(first), 's')),
      atMost(
        'first start, memory',
        400,
        first.map(({ peak }) => peak),
        'MB',
      ),
      key(atMost('later start', 0.9, seconds(later), 's')),
    ],
    notes: [note],
  }
}
