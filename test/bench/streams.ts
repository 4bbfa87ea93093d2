import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { atMost, type Bench, type BenchContext, key, median, type Report } from './support/bench.ts'
import { thousandEach } from './support/fill.ts'
import { processCpu, processMemory } from './support/process.ts'
import { newFilled, startProduct } from './support/servers.ts'
import type { StreamOrder } from './support/stream-process.ts'

/** Open streams, and how many of them are there before memory is read for the first time. */
const amounts = { streams: 5000, first: 500 }

/** Milliseconds between two changes; the server puts those of 100 ms together. */
const rest = 300

/** Changes for each round of the settings. */
const changes = 5

/** Files that each of both processes has open beside its streams: libraries, the database, pipes. */
const otherFiles = 200

export const streams: Bench = {
  name: 'streams',
  about: `${amounts.streams.toLocaleString('en')} readers of \`GET /api/stats/stream\` on one process, on a PostgreSQL server with \
1,000 posts: how much resident memory each takes (from ${amounts.first} open streams to all of them, without a forced collection \
of garbage), and the time from the request that publishes a post until the last reader has the whole event with it. The \
readers are one other process on the same machine. The hard limit of open files (\`ulimit -Hn\`) has to be above \
${amounts.streams + otherFiles}, here and for a server with as many readers; node raises the soft limit itself.`,
  async run(context) {
    refuseFewFiles()
    const place = await newFilled(context, 'PostgreSQL', 'streams', thousandEach)
    // All readers come from one address, which has an eighth of the streams at most.
    const settings = { STREAM_LIMIT: String(8 * amounts.streams) }
    const server = await startProduct(context, place, { settings })
    const readers = fork(context.script('support/stream-process'), [String(server.port)])
    try {
      return await measureStreams(context, server.pid, readers)
    } finally {
      readers.kill()
      await server.kill()
    }
  },
}

/** @throws Error where a process may not open as many files (Linux) */
function refuseFewFiles(): void {
  const [, limit] = /^Max open files\s+\S+\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
  const needed = amounts.streams + otherFiles
  if (limit !== undefined && Number(limit) < needed)
    throw new Error(`A process may open ${limit} files here, and ${needed} are needed: see ulimit -Hn`)
}

async function measureStreams(context: BenchContext, pid: number, readers: ChildProcess): Promise<Report> {
  const memory = () => processMemory(pid)?.now ?? Number.NaN
  const alone = memory()
  await tell(readers, { open: amounts.first })
  const few = memory()
  const began = performance.now()
  await tell(readers, { open: amounts.streams - amounts.first })
  const opened = (performance.now() - began) / 1000
  const all = memory()
  const times: number[] = []
  const busy = processCpu(pid) ?? Number.NaN
  for (let change = 0; change < context.settings.rounds * changes; change++) {
    times.push(await tell(readers, { publish: `change number ${change} of the bench` }))
    await pause(rest)
  }
  const each = ((processCpu(pid) ?? Number.NaN) - busy) / times.length
  const perStream = ((all - few) * 1000) / (amounts.streams - amounts.first)
  return {
    tables: [
      {
        columns: [
          'Resident memory, MB',
          'no stream',
          `${amounts.first}`,
          `${amounts.streams}`,
          'kB for each more',
        ],
        rows: [['server', ...[alone, few, all].map((value) => value.toFixed(0)), perStream.toFixed(1)]],
      },
      {
        columns: [`${amounts.streams} streams`, 'median', 'slowest'],
        rows: [
          ['a change until all have it, ms', median(times).toFixed(0), Math.max(...times).toFixed(0)],
          ['server, ms of a processor for a change', (each * 1000).toFixed(0), '–'],
          [`opening the last ${amounts.streams - amounts.first}, s`, opened.toFixed(1), '–'],
        ],
      },
    ],
    targets: [
      key(atMost('memory for each of 5,000 event streams', 20, perStream, 'kB')),
      key(atMost('a change until all 5,000 have it', 250, times, 'ms')),
    ],
    notes: [],
  }
}

/** Gives an order to the readers, and what they answer. @throws Error when they end */
async function tell(readers: ChildProcess, order: StreamOrder): Promise<number> {
  const settled = new AbortController()
  const ended = once(readers, 'exit', settled).then(([code]) => {
    throw new Error(`The readers ended with code ${code}`)
  })
  readers.send(order)
  const [answer] = await Promise.race([once(readers, 'message', settled), ended]).finally(() =>
    settled.abort(),
  )
  return Number(answer)
}
