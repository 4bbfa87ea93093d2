import { atMost, type Bench, type Report } from './bench.ts'
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
      const rows: string[][] = []
      try {
        for (const [question, wanted] of questions) {
          const what = `GET /${question}`
          // One after another over one connection, so that nothing is shared.
          const request = { method: 'GET', path: `/api/v1/${question}`, status: 200, authorization } as const
          const { median, p99 } = await measure(context, server, request, 1)
          rows.push([what, median.toFixed(2), p99.toFixed(2)])
          report.targets.push(atMost(what, wanted, median, 'ms'))
          context.say(`${what}: ${median.toFixed(2)} ms`)
        }
      } finally {
        await server.kill()
      }
      report.tables.push({ columns: [heading, 'median, ms', 'p99, ms'], rows })
      return report
    },
  }
}
