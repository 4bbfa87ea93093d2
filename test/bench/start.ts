import { atMost, type Bench, type BenchContext, median, type Report } from './support/bench.ts'
import { processMemory } from './support/process.ts'
import { newFolder, startProduct } from './support/servers.ts'

export const start: Bench = {
  name: 'start',
  about:
    'From the start of the process to the first 200 of `GET /api/health`, on an empty folder (the embedded database is \
made) and on the same folder again; resident memory at its peak until then. Medians; each round has a new folder.',
  async run(context) {
    const first: Start[] = []
    const later: Start[] = []
    for (let round = 0; round < context.settings.rounds; round++) {
      const place = newFolder(context, `start-${round}`)
      first.push(await startOnce(context, place))
      later.push(await startOnce(context, place))
    }
    return reportOf(first, later)
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

function reportOf(first: readonly Start[], later: readonly Start[]): Report {
  const row = (name: string, starts: readonly Start[]) => [
    name,
    median(starts.map(({ seconds }) => seconds)).toFixed(2),
    median(starts.map(({ peak }) => peak)).toFixed(0),
  ]
  const seconds = (starts: readonly Start[]) => median(starts.map((each) => each.seconds))
  return {
    tables: [{ columns: ['Start', 'seconds', 'peak, MB'], rows: [row('first', first), row('later', later)] }],
    targets: [
      atMost('first start', 2.5, seconds(first), 's'),
      atMost('first start, memory', 400, median(first.map(({ peak }) => peak)), 'MB'),
      atMost('later start', 0.9, seconds(later), 's'),
    ],
    notes: [],
  }
}
