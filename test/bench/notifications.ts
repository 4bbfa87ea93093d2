import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { atMost, type Bench, type BenchContext, type Report } from './support/bench.ts'
import type { Child } from './support/child.ts'
import { rounded, withSpread } from './support/figures.ts'
import { onDatabase, type Place } from './support/fill.ts'
import { slowestOf } from './support/lists.ts'
import { measure } from './support/measure.ts'
import { type Filled, fillNotifications, HEAP, WATCHERS } from './support/notifications.ts'
import { newDatabase, startProduct } from './support/servers.ts'

export const notifications: Bench = {
  name: 'notifications',
  about: `Notifications on a PostgreSQL server: lists asked one after another over one connection, by somebody with a \
hundred threads and by somebody with ${HEAP.toLocaleString('en')}; \`PUT /notifications\` over all of the latter, answer \
included; and the time from opening an issue until the last of ${WATCHERS.toLocaleString('en')} watchers has a thread.`,
  async run(context) {
    const report: Report = { tables: [], targets: [], notes: [] }
    const { rows } = context.settings
    context.say(`PostgreSQL: making ${rows} threads`)
    const place = await newDatabase(context, 'notifications')
    const filled = await fillNotifications(place, rows)
    const server = await startProduct(context, place)
    try {
      await readLists(context, server, filled, report)
      await markAll(context, server, filled, report)
      await tellWatchers(context, { server, place }, filled, report)
    } finally {
      await server.kill()
    }
    return report
  },
}

async function readLists(
  context: BenchContext,
  server: Child,
  { reader, heap }: Filled,
  report: Report,
): Promise<void> {
  const measured: { what: string; wanted: number; median: number; p99: number }[] = []
  const lists = ['', '?all=true', '?status-types=unread&limit=50', '/new']
  for (const [who, token] of [
    ['100 threads', reader],
    [`${HEAP} threads`, heap],
  ] as const) {
    for (const list of lists) {
      const path = `/api/v1/notifications${list}`
      const asked = { method: 'GET', path, status: 200, authorization: `token ${token}` } as const
      const what = `GET /notifications${list}, ${who}`
      const { median, p99 } = await measure(context, server, asked, 1)
      measured.push({ what, wanted: 10, median, p99 })
      context.say(`${what}: ${median.toFixed(2)} ms`)
    }
  }
  const all = `${context.settings.rows.toLocaleString('en')} threads`
  const rows = measured.map(({ what, median, p99 }) => [what, ...[median, p99].map(rounded)])
  report.tables.push({ columns: [all, 'median, ms', 'p99, ms'], rows })
  report.targets.push(...slowestOf(measured))
}

async function markAll(
  context: BenchContext,
  server: Child,
  { heap }: Filled,
  report: Report,
): Promise<void> {
  const times: number[] = []
  for (let round = 0; round < context.settings.rounds; round++) {
    const start = performance.now()
    const sent = request({
      port: server.port,
      method: 'PUT',
      path: '/api/v1/notifications?all=true&to-status=unread',
      headers: { authorization: `token ${heap}` },
    })
    sent.end()
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    answer.resume()
    await once(answer, 'end')
    if (answer.statusCode !== 205) throw new Error(`Marking was answered with ${answer.statusCode}`)
    times.push(performance.now() - start)
  }
  tell(context, report, `PUT /notifications, ${HEAP} threads`, 2000, times)
}

async function tellWatchers(
  context: BenchContext,
  { server, place }: { server: Child; place: Place },
  { author, repository }: Filled,
  report: Report,
): Promise<void> {
  const times = await onDatabase(place, async (pool) => {
    const times: number[] = []
    for (let round = 0; round < context.settings.rounds; round++) {
      const start = performance.now()
      const opened = await fetch(`http://127.0.0.1:${server.port}/api/v1/repos/bench/${repository}/issues`, {
        method: 'POST',
        headers: { authorization: `token ${author}`, 'content-type': 'application/json' },
        body: JSON.stringify({ title: `Round ${round}` }),
      })
      const { id } = (await opened.json()) as { id: number }
      for (let told = 0; told < WATCHERS; await sleep(1)) {
        const [row] = await pool`select count(*) as told from forge.notification where issue_id = ${id}`
        told = row?.told ?? 0
        if (performance.now() - start > 30_000) throw new Error(`Only ${told} watchers were told`)
      }
      times.push(performance.now() - start)
    }
    return times
  })
  tell(context, report, `An issue until ${WATCHERS} watchers have a thread`, 500, times)
}

function tell(
  context: BenchContext,
  report: Report,
  what: string,
  wanted: number,
  reached: readonly number[],
): void {
  report.targets.push(atMost(what, wanted, reached, 'ms'))
  context.say(`${what}: ${withSpread(reached)} ms`)
}
