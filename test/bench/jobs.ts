import { fillJobs } from './support/jobs.ts'
import { listBench, type Question } from './support/lists.ts'

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

export const jobs = listBench({
  name: 'jobs',
  about:
    'Lists of the runs and jobs of Actions, a quarter as many runs as jobs, in 400 repositories of 20 organizations; one \
job in fifty is queued. Asked by an administrator one after another over one connection (so that nothing is shared), on a \
PostgreSQL server.',
  questions,
  fill: fillJobs,
})
