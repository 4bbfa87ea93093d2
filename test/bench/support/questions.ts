import type { Ground, Report, Target } from './bench.ts'
import type { Child } from './child.ts'
import { measure } from './measure.ts'

/** What is asked, and in how many milliseconds it is to be answered. */
export type Question = readonly [path: string, wanted: number]

/** Asks an administrator's questions one after another over one connection, so that nothing is shared. */
export async function askEach(
  ground: Ground,
  server: Child,
  { token, questions, heading }: { token: string; questions: readonly Question[]; heading: string },
  report: Report,
): Promise<void> {
  const rows: string[][] = []
  for (const [question, wanted] of questions) {
    const path = `/api/v1/${question}`
    const request = { method: 'GET', path, status: 200, authorization: `token ${token}` } as const
    const { median, p99 } = await measure(ground, server, request, 1)
    rows.push([`GET /${question}`, median.toFixed(2), p99.toFixed(2)])
    report.targets.push(target(`GET /${question}`, wanted, median))
    ground.say(`GET /${question}: ${median.toFixed(2)} ms`)
  }
  report.tables.push({ columns: [heading, 'median, ms', 'p99, ms'], rows })
}

const target = (what: string, wanted: number, reached: number): Target => ({
  what,
  bound: 'at most',
  wanted,
  reached,
  unit: 'ms',
})
