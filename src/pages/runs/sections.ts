import type { Sql } from '../../db/sql.ts'
import type { WorkflowJob } from '../../forge/actions/job.shape.ts'
import { type JobLog, type LogPart, lastLines, linesOfSteps } from '../../forge/actions/job-log-store.ts'

type Step = WorkflowJob['steps'][number]

/** A step with its part of the log; also what a runner writes before the first step and after the last one. */
export interface Section {
  /** In addresses: the number of the step, `setup` or `end`. */
  name: string
  title: string
  step: Step | undefined
  isOpen: boolean
  /** Whether the job has failed here first. */
  isFault: boolean
  /** Undefined: they are not on this page. */
  lines: string[] | undefined
  /** Whether the first of its lines are missing. */
  isCut: boolean
}

/** Bytes of the end of a log, and of the open step, on a page. */
const maximum = { end: 96 * 1024, open: 96 * 1024 }

interface Place extends Pick<Section, 'name' | 'title' | 'step'> {
  first: number
  end: number
}

/** The sections of a job; `step`: the name of the one that is to be open. */
export async function sectionsOf(
  sql: Sql,
  job: WorkflowJob,
  { log, step }: { log: JobLog | undefined; step: string },
): Promise<Section[]> {
  const task = log?.task_id ?? null
  const places = task === null ? placesOf(job, []) : placesWithLog(job, await linesOfSteps(sql, task))
  const fault = faultIn(job, places)
  const open = places.find(({ name }) => name === step) ?? fault ?? runningIn(job, places)
  const end =
    task === null ? none : await lastLines(sql, task, { first: 0, end: whole, maximum: maximum.end })
  const isMissing = task !== null && open !== undefined && open.first < end.first
  const ofOpen = isMissing ? await lastLines(sql, task, { ...open, maximum: maximum.open }) : end
  return places.map((place) => {
    const part = place === open ? ofOpen : end
    const isThere = place === open || place.first >= part.first || place.end <= place.first
    const lines = isThere ? linesFrom(part, place) : undefined
    return {
      ...place,
      isOpen: place === open,
      isFault: place === fault,
      lines,
      isCut: lines !== undefined && place.end > place.first && part.first > place.first,
    }
  })
}

/** More lines than any log has. */
const whole = Number.MAX_SAFE_INTEGER
const none: LogPart = { first: 0, lines: [] }

const linesFrom = ({ first, lines }: LogPart, place: Place) =>
  lines.slice(Math.max(0, place.first - first), Math.max(0, place.end - first))

/** A log may begin before the first step is reported. */
function placesWithLog(job: WorkflowJob, reported: Parameters<typeof placesOf>[1]): Place[] {
  const places = placesOf(job, reported)
  return places.length > 0 ? places : [{ ...setup, end: whole }]
}

const setup = { name: 'setup', title: 'Set up the job', step: undefined, first: 0 }

/** A runner reports late which lines belong to a running step: it has all that are left. */
function placesOf(
  job: WorkflowJob,
  reported: readonly { number: number; first: number; lines: number }[],
): Place[] {
  const written = reported.filter(({ lines }) => lines > 0)
  const begin = Math.min(whole, ...written.map(({ first }) => first))
  const end = Math.max(0, ...written.map(({ first, lines }) => first + lines))
  const isDone = job.status === 'completed'
  const steps = job.steps.map((step) => {
    const { first = 0, lines = 0 } = reported.find(({ number }) => number === step.number) ?? {}
    const isLast = !isDone && step.status === 'in_progress'
    const start = lines === 0 && isLast ? end : first
    return {
      name: String(step.number),
      title: step.name,
      step,
      first: start,
      end: isLast ? whole : start + lines,
    }
  })
  if (steps.length === 0) return []
  const isRunning = steps.some((step) => step.end === whole)
  const before = { ...setup, end: isRunning ? Math.min(begin, end) : begin }
  const last = { name: 'end', title: 'Complete the job', step: undefined, first: end, end: whole }
  return [before, ...steps, ...(isDone && written.length > 0 ? [last] : [])]
}

/** Where a job has failed first, or was cancelled; undefined if neither has happened. */
function faultIn({ conclusion }: WorkflowJob, places: readonly Place[]): Place | undefined {
  if (conclusion !== 'failure' && conclusion !== 'cancelled') return undefined
  const step = places.find((place) => place.step?.conclusion === conclusion)
  return (
    step ?? (conclusion === 'failure' ? (places.find(({ name }) => name === 'end') ?? places[0]) : undefined)
  )
}

/** The step that runs; before the first one, what the runner does until then. */
const runningIn = ({ status }: WorkflowJob, places: readonly Place[]) =>
  status === 'completed'
    ? undefined
    : (places.find(({ step }) => step?.status === 'in_progress') ?? places[0])
