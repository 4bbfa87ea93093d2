import { atMost, type Bench, type Report, type Target } from './bench.ts'
import { rounded } from './figures.ts'
import type { Place } from './fill.ts'
import { measure } from './measure.ts'
import { newDatabase, startProduct } from './servers.ts'

/** What is asked, and in how many milliseconds it is to be answered. */
export type Question = readonly [path: string, wanted: number]

/** Lists of a large table of `name`, on a PostgreSQL server; `fill` gives the token of an administrator. */
export function listBench({
  questions,
  fill,
  ...words
}: {
  name: string
  about: string
  questions: readonly Question[]
  fill: (place: Place, rows: number) => Promise<string>
}): Bench {
  return {
    ...words,
    async run(context) {
      const report: Report = { tables: [], targets: [], notes: [] }
      const heading = `${context.settings.rows.toLocaleString('en')} ${words.name}`
      context.say(`PostgreSQL: making ${heading}`)
      const place = await newDatabase(context, words.name)
      const authorization = `token ${await fill(place, context.settings.rows)}`
      const server = await startProduct(context, place)
      const lists: Measured[] = []
      try {
        for (const [question, wanted] of questions) {
          const what = `GET /${question}`
          // One after another over one connection, so that nothing is shared.
          const request = { method: 'GET', path: `/api/v1/${question}`, status: 200, authorization } as const
          const { median, p99 } = await measure(context, server, request, 1)
          lists.push({ what, wanted, median, p99 })
          context.say(`${what}: ${median.toFixed(2)} ms`)
        }
      } finally {
        await server.kill()
      }
      const rows = lists.map(({ what, median, p99 }) => [what, ...[median, p99].map(rounded)])
      report.tables.push({ columns: [heading, 'median, ms', 'p99, ms'], rows })
      report.targets.push(...slowestOf(lists))
      return report
    },
  }
}

/** A list, the milliseconds in which it is wanted, and those that it took. */
interface Measured {
  what: string
  wanted: number
  median: number
  p99: number
}

/** Of the lists that are wanted in the same time, the slowest. */
export function slowestOf(lists: readonly Pick<Measured, 'what' | 'wanted' | 'median'>[]): Target[] {
  const bounds = [...new Set(lists.map(({ wanted }) => wanted))]
  return bounds.map((bound) => {
    const alike = lists.filter(({ wanted }) => wanted === bound)
    const slowest = alike.reduce((one, other) => (other.median > one.median ? other : one))
    const what = alike.length > 1 ? `the slowest of ${alike.length}: ${slowest.what}` : slowest.what
    return atMost(what, bound, slowest.median, 'ms')
  })
}
