import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { create, toBinary } from '@bufbuild/protobuf'
import { UpdateLogRequestSchema } from '../../src/actions/runner/protocol/messages.ts'
import { putRun, rows, runnerClient } from '../support/forge/actions.ts'
import { atLeast, atMost, type Bench, median, type Report } from './support/bench.ts'
import type { Child } from './support/child.ts'
import { onDatabase, type Place } from './support/fill.ts'
import { processCpu } from './support/process.ts'
import { newDatabase, startProduct } from './support/servers.ts'

/** Runners that ask for work, each so often, in milliseconds. */
const polling = { runners: 500, every: 2_000 }

/** Jobs whose logs come in at one time, and lines of a call: so many a runner sends at once. */
const logging = { jobs: 16, lines: 100 }

const RUNNER_TOKEN = 'what the runners of the bench register with'.replaceAll(' ', '-')

type Credentials = Readonly<Record<string, string>>

export const runners: Bench = {
  name: 'runners',
  about: `${polling.runners} runners that ask for work every two seconds and find none, and logs of ${logging.jobs} jobs \
that come in ${logging.lines} lines at a time, each call as soon as the one before is answered: processor time of the \
server, and lines in a second. One process, on a PostgreSQL server.`,
  async run(context) {
    const report: Report = { tables: [], targets: [], notes: [] }
    const place = await newDatabase(context, 'runners')
    await fill(place)
    const server = await startProduct(context, place, { settings: { RUNNER_TOKEN } })
    const agent = new Agent({ keepAlive: true, maxSockets: polling.runners })
    try {
      const known = await register(server, polling.runners)
      const seconds = Math.max(10, 4 * context.settings.seconds)
      context.say(`${polling.runners} runners poll for ${seconds} s`)
      const share = await poll(server, agent, known, seconds)
      context.say(`${(100 * share).toFixed(1)} % of a processor`)
      const rates: number[] = []
      for (let round = 0; round < context.settings.rounds; round++) {
        rates.push(await writeLogs(server, agent, known, 1000 * context.settings.seconds))
      }
      const rate = median(rates)
      context.say(`${Math.round(rate).toLocaleString('en')} lines/s`)
      report.tables.push({
        columns: ['runners', 'reached'],
        rows: [
          [
            `${polling.runners} polls in ${polling.every / 1000} s`,
            `${(100 * share).toFixed(1)} % of a processor`,
          ],
          ['lines of logs', `${Math.round(rate).toLocaleString('en')} in a second`],
        ],
      })
      report.targets.push(
        atMost('polling', 15, 100 * share, '% of a processor'),
        atLeast('lines of logs', 10_000, rate, '/s'),
      )
    } finally {
      agent.destroy()
      await server.kill()
    }
    return report
  },
}

async function fill(place: Place): Promise<void> {
  await onDatabase(place, async (pool) => {
    const [owner] = await pool<[{ id: number }]>`
      insert into forge.account (kind, name, created_at, updated_at)
      values ('organization', 'guild', '2026-01-01', '2026-01-01')
      returning id`
    const [repository] = await pool<[{ id: number }]>`
      insert into forge.repository
        (owner_id, name, folder_owner, folder_name, state, is_private, default_branch, object_format, created_at,
         updated_at)
      values (${owner.id}, 'code', 'guild', 'code', 'ready', false, 'main', 'sha1', '2026-01-01', '2026-01-01')
      returning id`
    // Waiting jobs that none of the pollers may take, and those whose logs are written.
    const jobs = Array.from({ length: 100 }, (_, n) => ({ runs_on: [n < 50 ? 'elsewhere' : 'writer'] }))
    await putRun(pool, repository.id, null, jobs)
  })
}

async function register({ port }: Child, count: number): Promise<Credentials[]> {
  const client = runnerClient(`http://127.0.0.1:${port}`, 'protobuf')
  const known: Credentials[] = []
  for (let n = 0; n < count; n++) {
    const labels = [n < logging.jobs ? 'writer' : 'poller']
    const { runner } = await client.register({ name: `runner${n}`, token: RUNNER_TOKEN, labels })
    if (!runner) throw new Error('no runner was made')
    known.push({ 'x-runner-uuid': runner.uuid, 'x-runner-token': runner.token })
  }
  return known
}

/** Share of a processor that the server needs for them. */
async function poll(
  server: Child,
  agent: Agent,
  known: readonly Credentials[],
  seconds: number,
): Promise<number> {
  const until = performance.now() + 1000 * (seconds + 4)
  const pollers = known.slice(logging.jobs).map(async (headers, n) => {
    await pause((n * polling.every) / known.length)
    let version = '0'
    while (performance.now() < until) {
      const asked = performance.now()
      const { tasksVersion } = JSON.parse(
        (
          await send(server, agent, 'FetchTask', headers, JSON.stringify({ tasksVersion: version }))
        ).toString(),
      )
      version = tasksVersion
      await pause(Math.max(0, polling.every - (performance.now() - asked)))
    }
  })
  // The first two rounds find the number of jobs, and open the connections.
  await pause(4_000)
  const before = processCpu(server.pid) ?? Number.NaN
  const began = performance.now()
  await pause(1000 * seconds - 500)
  const share = ((processCpu(server.pid) ?? Number.NaN) - before) / ((performance.now() - began) / 1000)
  await Promise.all(pollers)
  return share
}

/** Lines in a second. */
async function writeLogs(
  server: Child,
  agent: Agent,
  known: readonly Credentials[],
  milliseconds: number,
): Promise<number> {
  const lines = rows(
    ...Array.from(
      { length: logging.lines },
      (_, n) => `line ${n} of a job that says what it does, at length`,
    ),
  )
  const began = performance.now()
  const counts = await Promise.all(
    known.slice(0, logging.jobs).map(async (headers) => {
      const { task } = JSON.parse((await send(server, agent, 'FetchTask', headers, '{}')).toString())
      if (!task) throw new Error('no job was given')
      let index = 0
      while (performance.now() - began < milliseconds) {
        const message = create(UpdateLogRequestSchema, {
          taskId: BigInt(task.id),
          index: BigInt(index),
          rows: lines,
        })
        await send(server, agent, 'UpdateLog', headers, toBinary(UpdateLogRequestSchema, message))
        index += lines.length
      }
      await send(server, agent, 'UpdateTask', headers, JSON.stringify({ state: { id: task.id, result: 1 } }))
      return index
    }),
  )
  return counts.reduce((sum, count) => sum + count, 0) / ((performance.now() - began) / 1000)
}

function send(
  { port }: Child,
  agent: Agent,
  name: string,
  headers: Credentials,
  body: string | Uint8Array,
): Promise<Buffer> {
  const type = typeof body === 'string' ? 'application/json' : 'application/proto'
  const path = `/api/actions/runner.v1.RunnerService/${name}`
  return new Promise((resolve, reject) => {
    const asked = request(
      { port, path, agent, method: 'POST', headers: { ...headers, 'Content-Type': type } },
      (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject)
        answer.on('end', () => {
          if (answer.statusCode === 200) resolve(Buffer.concat(chunks))
          else reject(new Error(`${name}: ${answer.statusCode} ${Buffer.concat(chunks)}`))
        })
      },
    )
    asked.on('error', reject).end(body)
  })
}
