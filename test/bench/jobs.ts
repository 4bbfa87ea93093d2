import type { Bench, Report } from './support/bench.ts'
import { fillJobs } from './support/jobs.ts'
import { askEach, type Question } from './support/questions.ts'
import { newDatabase, startProduct } from './support/servers.ts'

const questions: readonly Question[] = [
  ['admin/actions/jobs?limit=50', 10],
  ['admin/actions/jobs?limit=50&status=queued', 10],
  ['admin/actions/jobs?limit=50&status=queued&sort=id&order=desc', 10],
  ['admin/actions/jobs?limit=50&status=completed', 10],
  ['admin/actions/jobs?limit=50&status=queued&status=in_progress&status=failure', 10],
  ['admin/actions/jobs?limit=50&page=10000', 300],
  ['orgs/org1/actions/jobs?limit=50&status=queued', 10],
  ['orgs/org1/actions/jobs?limit=50&sort=id&order=desc', 10],
  ['admin/actions/runs?limit=50', 10],
  ['admin/actions/runs?limit=50&status=queued', 10],
  ['admin/actions/runs?limit=50&event=schedule&status=failure', 10],
  ['admin/actions/runs?limit=50&branch=topic7', 10],
  ['orgs/org1/actions/runs?limit=50', 10],
]

export const jobs: Bench = {
  name: 'jobs',
  about:
    'Lists of the runs and jobs of Actions, a quarter as many runs as jobs, in 400 repositories of 20 organizations; one \
job in fifty is queued. Asked by an administrator one after another over one connection (so that nothing is shared), on a \
PostgreSQL server.',
  async run(ground) {
    const report: Report = { tables: [], targets: [], notes: [] }
    const { rows } = ground.settings
    ground.say(`PostgreSQL: making ${rows} jobs`)
    const place = await newDatabase(ground, 'jobs')
    const token = await fillJobs(place, rows)
    const server = await startProduct(ground, place)
    try {
      await askEach(
        ground,
        server,
        { token, questions, heading: `${rows.toLocaleString('en')} jobs` },
        report,
      )
    } finally {
      await server.kill()
    }
    return report
  },
}
