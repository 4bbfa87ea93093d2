import { atMost, type Bench, key, type Report } from './support/bench.ts'
import { newsText, thousandEach } from './support/fill.ts'
import { measure, type Request } from './support/measure.ts'
import { processMemory } from './support/process.ts'
import { newFilled, startProduct } from './support/servers.ts'

const load: Request[] = [
  { method: 'GET', path: '/api/news', status: 200 },
  { method: 'GET', path: '/api/stats/overview', status: 200 },
  {
    method: 'POST',
    path: '/api/news',
    body: JSON.stringify({ title: 'News of the day, {n}', content: newsText }),
    status: 201,
  },
  {
    method: 'POST',
    path: '/api/stats/session/start',
    body: JSON.stringify({ username: 'visitor of {n}' }),
    status: 201,
  },
]

export const memory: Bench = {
  name: 'memory',
  about:
    'Resident memory of the server on PostgreSQL: after its start, and right after reads and writes over 64 connections.',
  async run(context) {
    const place = await newFilled(context, 'PostgreSQL', 'memory', thousandEach)
    const child = await startProduct(context, place)
    try {
      const before = processMemory(child.pid)
      for (const request of load) await measure(context, child, request, 64)
      return reportOf(before, processMemory(child.pid))
    } finally {
      await child.kill()
    }
  },
}

type Memory = ReturnType<typeof processMemory>

function reportOf(before: Memory, after: Memory): Report {
  const shown = (value: number | undefined) => value?.toFixed(0) ?? '–'
  return {
    tables: [
      {
        columns: ['Resident memory on PostgreSQL, MB', 'after start', 'after the load', 'peak'],
        rows: [['server', shown(before?.now), shown(after?.now), shown(after?.peak)]],
      },
    ],
    targets: [key(atMost('resident on PostgreSQL after the load', 150, after?.now ?? Number.NaN, 'MB'))],
    notes: [],
  }
}
