import type { Bench, Ground, Report, Target } from './support/bench.ts'
import type { Child } from './support/child.ts'
import { measure } from './support/measure.ts'
import { fillPeople } from './support/people.ts'
import { newDatabase, startProduct } from './support/servers.ts'

/** What is asked, and in how many milliseconds it is to be answered. */
const questions: readonly (readonly [query: string, wanted: number])[] = [
  ['users?limit=50&sort=name', 10],
  ['users?limit=50&sort=name&order=desc', 10],
  ['users?limit=50&sort=created', 10],
  ['users?limit=50&sort=created&order=desc', 10],
  ['users?limit=50&sort=updated', 10],
  ['users?limit=50&sort=updated&order=desc', 10],
  ['users?limit=50&sort=id', 10],
  ['users?limit=50&sort=id&order=desc', 10],
  ['users?limit=50&page=10000', 300],
  ['users?limit=50&sort=created&page=10000', 300],
  ['users?limit=50&is_admin=true', 10],
  ['users?limit=50&visibility=private&sort=updated', 10],
  // A prefix of few names, and of every sixteenth.
  ['users?limit=50&q=ada1000%25', 30],
  ['users?limit=50&q=ada%25', 2000],
  // Inside of few, of every seventeenth, of all.
  ['users?limit=50&q=race12345', 30],
  ['users?limit=50&q=lovelace', 2000],
  ['users?limit=50&q=example', 2000],
  ['users?limit=50&q=no+such+needle', 30],
  // Too short for the index: in none, and in many.
  ['users?limit=50&q=qx', 2000],
  ['users?limit=50&q=ad', 2000],
  ['emails/search?limit=50&q=ada1000', 30],
  ['emails/search?limit=50&q=race12345', 30],
  ['emails/search?limit=50&q=example', 2000],
]

export const people: Bench = {
  name: 'people',
  about:
    'Lists of and searches among people, asked by an administrator one after another over one connection (so that \
nothing is shared), on a PostgreSQL server. What no index can serve, a needle that is met too often or has two \
characters only, costs a pass over the table: that is its bound.',
  async run(ground) {
    const report: Report = { tables: [], targets: [], notes: [] }
    const { rows } = ground.settings
    ground.say(`PostgreSQL: making ${rows} people`)
    const place = await newDatabase(ground, 'people')
    const token = await fillPeople(place, rows)
    const server = await startProduct(ground, place)
    try {
      await ask(ground, server, `token ${token}`, report)
    } finally {
      await server.kill()
    }
    return report
  },
}

async function ask(ground: Ground, server: Child, authorization: string, report: Report): Promise<void> {
  const rows: string[][] = []
  for (const [query, wanted] of questions) {
    const path = `/api/v1/admin/${query}`
    const { median, p99 } = await measure(
      ground,
      server,
      { method: 'GET', path, status: 200, authorization },
      1,
    )
    rows.push([`GET /admin/${query}`, median.toFixed(2), p99.toFixed(2)])
    report.targets.push(target(`GET /admin/${query}`, wanted, median))
    ground.say(`GET /admin/${query}: ${median.toFixed(2)} ms`)
  }
  const people = `${ground.settings.rows.toLocaleString('en')} people`
  report.tables.push({ columns: [people, 'median, ms', 'p99, ms'], rows })
}

const target = (what: string, wanted: number, reached: number): Target => ({
  what,
  bound: 'at most',
  wanted,
  reached,
  unit: 'ms',
})
