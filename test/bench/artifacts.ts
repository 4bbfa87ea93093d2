import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { createFolder } from '../../src/blobs/folder.ts'
import type { CompleteUpload } from '../../src/blobs/upload.ts'
import { inParallel } from '../../src/common/in-parallel.ts'
import {
  atOnce,
  bareHttp,
  contentOf,
  type Job,
  RUNNER_TOKEN,
  startJob,
  v3,
  v4,
  type Way,
} from './artifacts/ways.ts'
import {
  atLeast,
  atMost,
  type Bench,
  type BenchContext,
  median,
  type Report,
  type Table,
} from './support/bench.ts'
import type { Child } from './support/child.ts'
import { type Forge, startForge } from './support/forge.ts'
import { forgetPeak, processMemory } from './support/process.ts'
import { startBare } from './support/servers.ts'

/** An artifact: blocks of the size that the public action sends (v4), or pieces of one file (v3), each of so many bytes. */
const amounts = { blocks: 32, bytes: 8 * 1024 * 1024 }

/** Bytes of the artifact with which memory is watched, in blocks of the same size. */
const large = { blocks: 128 }

const megabytes = (blocks: number) => (blocks * amounts.bytes) / 1e6

export const artifacts: Bench = {
  name: 'artifacts',
  about: `An artifact of ${megabytes(amounts.blocks).toFixed(0)} MB in random bytes, sent by a job and fetched again: v4 in \
blocks of ${amounts.bytes / 1024 / 1024} MiB, ${atOnce.v4} at a time, and v3 in pieces of one file, one after the other. Beside it, \
in the process of the bench, the content store (a folder) alone takes and reads the same blocks, as many at a time; and bare \
\`node:http\` takes and gives the same bytes and keeps nothing. What is kept is on the disk at the end. A ratio is of two rates within a round. Then one artifact of ${megabytes(large.blocks).toFixed(0)} MB: \
resident memory of the server. One process, on a PostgreSQL server.`,
  async run(context) {
    const forge = await startForge(context, 'artifacts', { RUNNER_TOKEN })
    const bare = await startBare(context)
    try {
      return await measure(context, { forge, bare, job: await startJob(context, forge) })
    } finally {
      await bare.kill()
      await forge.child.kill()
    }
  },
}

/** Of one direction of a round: megabytes in a second, and milliseconds of processor time for one of them. */
interface Pace {
  rate: number
  used: number
}

/** Each way in each round, both directions. */
interface Paces {
  up: Pace[]
  down: Pace[]
}

async function measure(
  context: BenchContext,
  { forge, bare, job }: { forge: Forge; bare: Child; job: Job },
): Promise<Report> {
  const store = join(context.folder, 'store-alone')
  const ways: readonly Way[] = [
    storeAlone(store, atOnce.v4),
    storeAlone(store, atOnce.v3),
    v4(forge, job),
    v3(forge, job),
    bareHttp(bare, atOnce.v4),
    bareHttp(bare, atOnce.v3),
  ]
  const paces = ways.map((): Paces => ({ up: [], down: [] }))
  // The first round warms up.
  for (let round = -1; round < context.settings.rounds; round++) {
    for (const [at, way] of ways.entries()) {
      const { up, down } = await timed(way, `round${round + 1}`)
      context.say(`${way.name}: up ${up.rate.toFixed(0)} MB/s, down ${down.rate.toFixed(0)} MB/s`)
      if (round < 0) continue
      paces[at]?.up.push(up)
      paces[at]?.down.push(down)
    }
  }
  return reportOf(ways, paces, await watchMemory(forge, job))
}

/** Each round has blocks of its own: the store keeps equal ones once. */
async function timed(way: Way, name: string): Promise<{ up: Pace; down: Pace }> {
  const content = contentOf(Array.from({ length: amounts.blocks }, () => randomBytes(amounts.bytes)))
  const up = await paceOf(way, () => way.send(name, content))
  const down = await paceOf(way, async () => {
    const bytes = await way.fetch(name)
    if (bytes !== amounts.blocks * amounts.bytes) throw new Error(`${bytes} bytes came back`)
  })
  return { up, down }
}

async function paceOf({ used }: Way, work: () => Promise<void>): Promise<Pace> {
  const [began, before] = [performance.now(), used()]
  await work()
  const all = megabytes(amounts.blocks)
  return { rate: all / ((performance.now() - began) / 1000), used: (1000 * (used() - before)) / all }
}

function storeAlone(root: string, count: number): Way {
  const blobs = createFolder(root)
  const kept = new Map<string, CompleteUpload[]>()
  return {
    name: `the store alone, ${count} at a time`,
    used: () => {
      const { user, system } = process.cpuUsage()
      return (user + system) / 1e6
    },
    send: async (name, { blocks }) => {
      const uploads: CompleteUpload[] = []
      await inParallel(count, blocks, async (block, at) => {
        const upload = await blobs.startUpload()
        // As a socket gives them.
        for (let first = 0; first < block.length; first += 65_536)
          await upload.write(block.subarray(first, first + 65_536))
        const complete = await upload.finish()
        await blobs.prepare(complete)
        await blobs.place(complete)
        uploads[at] = complete
      })
      kept.set(name, uploads)
    },
    fetch: async (name) => {
      let bytes = 0
      for (const { digests } of kept.get(name) ?? [])
        for await (const chunk of (await blobs.read(digests.sha256))?.stream ?? []) bytes += chunk.length
      return bytes
    },
  }
}

/** Resident memory of the server, in megabytes: before a large artifact, and at most while it is sent and fetched. */
async function watchMemory(forge: Forge, job: Job): Promise<{ before: number; peak: number }> {
  const { pid } = forge.child
  forgetPeak(pid)
  const before = processMemory(pid)?.now ?? Number.NaN
  const { send, fetch } = v4(forge, job)
  const block = randomBytes(amounts.bytes)
  await send('large', contentOf(Array.from({ length: large.blocks }, () => block)))
  await fetch('large')
  return { before, peak: processMemory(pid)?.peak ?? Number.NaN }
}

function reportOf(
  ways: readonly Way[],
  paces: readonly Paces[],
  memory: { before: number; peak: number },
): Report {
  const [aloneMany, aloneOne, ofV4, ofV3, bareMany, bareOne] = paces
  const pairs = [
    ['v4', ofV4, aloneMany, bareMany],
    ['v3', ofV3, aloneOne, bareOne],
  ] as const
  const ratios = pairs.flatMap(([name, over, alone, bare]) =>
    directions.flatMap((direction) => {
      const rates = over?.[direction].map(({ rate }) => rate) ?? []
      const [store, http] = [alone, bare].map((peer) => peer?.[direction].map(({ rate }) => rate) ?? [])
      const rateOf = (peer: readonly number[] | undefined, at: number) => peer?.[at] ?? Number.NaN
      const inTurn = rates.map((rate, at) => rate / rateOf(store, at) + rate / rateOf(http, at))
      const toStore = rates.map((rate, at) => rate / rateOf(store, at))
      return [
        atLeast(`${name} ${direction}, against the store alone`, 0.6, toStore, '×'),
        atLeast(`${name} ${direction}, against bare node:http and the store in turn`, 0.6, inTurn, '×'),
      ]
    }),
  )
  const row = [
    `v4, an artifact of ${megabytes(large.blocks).toFixed(0)} MB, up and down`,
    memory.before.toFixed(0),
    memory.peak.toFixed(0),
  ]
  return {
    tables: [
      tableOf(ways, paces),
      { columns: ['Resident memory of the server, MB', 'before', 'peak'], rows: [row] },
    ],
    targets: [...ratios, atMost('memory for a large artifact', 100, memory.peak - memory.before, 'MB')],
    notes: [
      'The rates of v3, v4 and bare `node:http` have the client in them, which needs a processor of its own.',
    ],
  }
}

const directions = ['up', 'down'] as const

function tableOf(ways: readonly Way[], paces: readonly Paces[]): Table {
  const shown = directions.flatMap((direction) => [
    [`${direction}, MB/s`, direction, 'rate', 0] as const,
    [`${direction}, processor ms/MB`, direction, 'used', 1] as const,
  ])
  return {
    columns: [`${megabytes(amounts.blocks).toFixed(0)} MB`, ...shown.map(([column]) => column)],
    rows: ways.map(({ name }, at) => [
      name,
      ...shown.map(([, direction, figure, digits]) =>
        median((paces[at]?.[direction] ?? []).map((pace) => pace[figure])).toFixed(digits),
      ),
    ]),
  }
}
