import { callerOf } from '../../actions/run/call-scope.ts'

interface Placed {
  key: string
  number: number
}

/**
 * The jobs of an attempt as its page lists them: combinations of a matrix side by side, and jobs of a called workflow below
 * the one that calls it. The server may have added either later.
 */
export function inPageOrder<Job extends Placed>(jobs: readonly Job[]): Job[] {
  const places = new Map(jobs.map((job) => [job, placeOf(job, jobs)]))
  return [...jobs].sort((a, b) => compare(places.get(a) ?? [], places.get(b) ?? []))
}

/** For the job and each that leads to it, the outermost first: the first number of its matrix, and its own. */
function placeOf<Job extends Placed>(job: Job, jobs: readonly Job[]): number[] {
  const first = jobs.find(({ key }) => key === job.key) ?? job
  const caller = callerOf(job.key, jobs)
  return [...(caller ? placeOf(caller, jobs) : []), first.number, job.number]
}

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((number, index) => number !== b[index])
  return at < 0 ? a.length - b.length : (a[at] ?? 0) - (b[at] ?? -1)
}
