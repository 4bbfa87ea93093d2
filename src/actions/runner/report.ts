import type { Timestamp } from '@bufbuild/protobuf/wkt'
import { Code, ConnectError } from '@connectrpc/connect'
import { type FinalStatus, isFinal, type Status } from '../run/status.ts'
import { insertOutputs, outputNames } from './output-store.ts'
import {
  Result,
  type ResultNumber,
  type StepState,
  type TaskState,
  type UpdateTaskRequest,
} from './protocol/messages.ts'
import { ownTask, type RunnerContext } from './runner-call.ts'
import { endTask } from './task-end.ts'
import { noteProgress, type StepReport, type StoredTask, taskById } from './task-store.ts'

/** What a runner hears back: the result only once there is one, since any other answer ends its job. */
interface Reported {
  id: bigint
  result: ResultNumber
  /** Every output that needs not be sent again. */
  sentOutputs: string[]
}

/** Bytes of an output that is kept. */
const longest = { key: 255, value: 1_048_576 }

/** Outputs of a task that are kept, and their bytes: jobs that need it get all of them at once. */
const mostOutputs = { names: 1_000, bytes: 8 * longest.value }

/** A job has far fewer steps. */
const mostSteps = 10_000

/**
 * Takes a report about a task: a sign of life, or its end. What comes after the end changes nothing.
 * @throws ConnectError invalid_argument, not_found, permission_denied
 */
export async function updateTask(ask: RunnerContext, request: UpdateTaskRequest): Promise<Reported> {
  const { state } = request
  if (!state) throw new ConnectError('the report has no state', Code.InvalidArgument)
  const status = statusOf(state.result)
  const task = await ownTask(ask, state.id)
  const outputs = outputsOf(request.outputs)
  if (!isFinal(task.status)) {
    if (outputs.length > 0) await insertOutputs(ask.sql, task.id, outputs, mostOutputs)
    if (isFinal(status)) await end(ask, task, state, status)
    else await noteProgress(ask.sql, task.id, state.steps.flatMap(stepOf), ask.now)
  }
  const stored = await outputNames(ask.sql, task.id)
  const now = isFinal(status) ? ((await taskById(ask.sql, task.id)) ?? task) : task
  return {
    id: state.id,
    result: isFinal(status) ? resultOf(now.status) : stopWord(now),
    // What was not kept too, because it is too much or comes too late: it would be sent again and again.
    sentOutputs: [...new Set([...stored, ...Object.keys(request.outputs)])],
  }
}

async function end(
  { begin }: RunnerContext,
  task: StoredTask,
  state: TaskState,
  status: FinalStatus,
): Promise<void> {
  const steps = state.steps.flatMap(stepOf)
  await begin((tx) => endTask(tx, task.id, { status, at: pastOf(momentOf(state.stoppedAt), tx.now), steps }))
}

/** Outputs as they are kept; of those that are too long the name is. */
function outputsOf(outputs: Readonly<Record<string, string>>) {
  return Object.entries(outputs).flatMap(([key, text]) => {
    if (key.includes('\0') || Buffer.byteLength(key) > longest.key) return []
    const value = text.replaceAll('\0', '\uFFFD')
    return [{ key, value: Buffer.byteLength(value) > longest.value ? null : value }]
  })
}

function stepOf({ id, result, startedAt, stoppedAt, logIndex, logLength }: StepState): StepReport[] {
  if (id < 0n || id >= BigInt(mostSteps)) return []
  const started_at = momentOf(startedAt)
  const status = statusOf(result)
  return [
    {
      number: Number(id),
      status: status === 'running' && !started_at ? null : status,
      started_at: started_at ?? null,
      stopped_at: momentOf(stoppedAt) ?? null,
      log_index: lines(logIndex),
      log_length: lines(logLength),
    },
  ]
}

const lines = (count: bigint) => Number(count < 0n || count > 1_000_000_000_000n ? 0n : count)

/** Undefined for what was not told, and for what is no moment. */
function momentOf(time: Timestamp | undefined): Date | undefined {
  if (!time || time.seconds <= 0n || time.seconds >= 253_402_300_800n) return undefined
  return new Date(Number(time.seconds) * 1000)
}

/** What has ended has ended by now: what a wrong clock says would keep it here for ever. */
const pastOf = (moment: Date | undefined, now: Date) => (moment && moment < now ? moment : now)

const results = new Map<ResultNumber, Status>([
  [Result.unspecified, 'running'],
  [Result.success, 'success'],
  [Result.failure, 'failure'],
  [Result.cancelled, 'cancelled'],
  [Result.skipped, 'skipped'],
])

/** @throws ConnectError invalid_argument */
function statusOf(result: ResultNumber): Status {
  const status = results.get(result)
  if (status) return status
  throw new ConnectError(`there is no result ${result}`, Code.InvalidArgument)
}

/**
 * What a runner hears that reports a job as going on. Runners before 3.2 stop for no other result than `cancelled`, so they
 * hear it of a job that the server has ended too.
 */
const stopWord = ({ status, is_ended_here }: StoredTask) =>
  is_ended_here ? Result.cancelled : resultOf(status)

/** What a status is called on the wire; what is being cancelled is told as cancelled, so that the runner ends it. */
export function resultOf(status: Status): ResultNumber {
  if (status === 'cancelling') return Result.cancelled
  return isFinal(status) ? Result[status] : Result.unspecified
}
