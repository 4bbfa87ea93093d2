import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { atMost, type Bench, type BenchContext, median, type Report } from './support/bench.ts'
import { type Forge, startForge } from './support/forge.ts'
import { git, push as pushWith } from './support/git.ts'

/** Pushes of each kind. */
const pushes = 9
const jobs = 256

/** One job for each combination. */
const matrix = `on: push
jobs:
  each:
    runs-on: nobody
    strategy: {matrix: {v: [${Array.from({ length: jobs }, (_, at) => at).join(', ')}]}}
    steps: [{run: echo}]
`

/** Runs with calls of other workflow files that are planned, and the calls of each. */
const planned = { runs: 9, calls: 20 }

/** The jobs of a workflow that calls others, and of one that has the same jobs itself. */
const kinds = {
  calls: (at: number) => `uses: ./.gitea/workflows/lib-${at}.yml`,
  plain: () => 'runs-on: nobody\n    steps: [{run: echo}]',
} as const

export const workflows: Bench = {
  name: 'workflows',
  about: `A push of one small file by stock git, over HTTP: into a repository without workflows and into one with a \
matrix of ${jobs} jobs, by turns. How long git takes, and how long after it all jobs wait for runners. Then runs that a dispatch starts: with ${planned.calls} jobs of their own, \
and with ${planned.calls} jobs that each call another workflow file (\`workflow_call\`), by turns, until all their jobs wait for \
runners. Medians.`,
  async run(context) {
    const forge = await startForge(context, 'workflows')
    try {
      const [pushed, calls] = [await measure(context, forge), await measureCalls(context, forge)]
      return {
        tables: [...pushed.tables, ...calls.tables],
        targets: [...pushed.targets, ...calls.targets],
        notes: [],
      }
    } finally {
      await forge.child.kill()
    }
  },
}

async function measure(context: BenchContext, forge: Forge): Promise<Report> {
  const [plain, busy] = [await repository(context, forge, 'plain'), await repository(context, forge, 'busy')]
  mkdirSync(join(busy, '.gitea', 'workflows'), { recursive: true })
  writeFileSync(join(busy, '.gitea', 'workflows', 'ci.yml'), matrix)
  const times = { plain: [0], busy: [0], queued: [0] }
  // The first push of each warms up.
  for (let at = 0; at <= pushes; at++) {
    times.plain[at] = await pushed(plain, forge, 'plain', at)
    times.busy[at] = await pushed(busy, forge, 'busy', at)
    times.queued[at] = await queued(forge, (at + 1) * jobs)
  }
  const of = (kind: keyof typeof times) => median(times[kind].slice(1))
  const [without, withJobs, later] = [of('plain'), of('busy'), of('queued')]
  return {
    tables: [
      {
        columns: ['Push', 'git, ms', 'all jobs queued after it, ms'],
        rows: [
          ['without workflows', without.toFixed(0), '–'],
          [`matrix of ${jobs} jobs`, withJobs.toFixed(0), later.toFixed(0)],
        ],
      },
    ],
    targets: [atMost('a push that starts a matrix, longer than without', 300, withJobs - without, 'ms')],
    notes: [],
  }
}

async function measureCalls(context: BenchContext, forge: Forge): Promise<Report> {
  const folder = await repository(context, forge, 'calls')
  const files = join(folder, '.gitea', 'workflows')
  mkdirSync(files, { recursive: true })
  const numbers = Array.from({ length: planned.calls }, (_, at) => at)
  const write = (name: string, on: string, jobs: readonly string[]) =>
    writeFileSync(join(files, `${name}.yml`), `on: ${on}\njobs:\n${jobs.join('\n')}\n`)
  for (const at of numbers) write(`lib-${at}`, 'workflow_call', [`  job:\n    ${kinds.plain()}`])
  for (const kind of ['plain', 'calls'] as const)
    write(
      kind,
      'workflow_dispatch',
      numbers.map((at) => `  job${at}:\n    ${kinds[kind](at)}`),
    )
  await pushed(folder, forge, 'calls', 0)
  const times = { plain: [0], calls: [0] }
  let waiting = (pushes + 1) * jobs
  for (let at = 0; at <= planned.runs; at++) {
    for (const kind of ['plain', 'calls'] as const) {
      const path = `/api/v1/repos/bench/calls/actions/workflows/${kind}.yml/dispatches`
      waiting += planned.calls
      times[kind][at] =
        (await forge.call('POST', path, 204, { ref: 'main' })) + (await queued(forge, waiting))
    }
  }
  const [plain, calls] = [median(times.plain.slice(1)), median(times.calls.slice(1))]
  return {
    tables: [
      {
        columns: ['Run of a dispatch', 'all jobs queued, ms'],
        rows: [
          [`${planned.calls} jobs`, plain.toFixed(0)],
          [`${planned.calls} calls of other files`, calls.toFixed(0)],
        ],
      },
    ],
    targets: [
      atMost(`a run with ${planned.calls} calls, longer than one with jobs`, 50, calls - plain, 'ms'),
    ],
    notes: [],
  }
}

async function repository(context: BenchContext, forge: Forge, name: string): Promise<string> {
  const folder = join(context.folder, `work-${name}`)
  mkdirSync(folder)
  await git(folder, 'init', '-q', '-b', 'main')
  await forge.call('POST', '/api/v1/user/repos', 201, { name })
  return folder
}

async function pushed(folder: string, forge: Forge, name: string, at: number): Promise<number> {
  writeFileSync(join(folder, 'file'), String(at))
  await git(folder, 'add', '.')
  await git(folder, 'commit', '-qm', `Push ${at}`)
  const began = performance.now()
  await pushWith(folder, forge, name)
  return performance.now() - began
}

/** Milliseconds until so many jobs wait; half a minute at most. */
async function queued({ url, authorization }: Forge, wanted: number): Promise<number> {
  const began = performance.now()
  while (performance.now() - began < 30_000) {
    const answer = await fetch(`${url}/api/v1/admin/actions/jobs?status=queued&limit=1`, {
      headers: { authorization },
    })
    if (Number(answer.headers.get('x-total-count')) >= wanted) return performance.now() - began
    await answer.arrayBuffer()
    await pause(5)
  }
  throw new Error('the jobs were not queued')
}
