import type { Timestamp } from '@bufbuild/protobuf/wkt'
import { Code, ConnectError } from '@connectrpc/connect'
import {
  Result,
  type ResultNumber,
  type StepState,
  type TaskState,
  type UpdateTaskRequest,
} from './protocol/messages.ts'
import { ownTask, type RunnerAsk } from './runner-ask.ts'
import { type FinalStatus, isFinal, type Status } from './status.ts'
import { endTask } from './task-end.ts'
import {
  insertOutputs,
  noteProgress,
  outputNames,
  type StepReport,
  type StoredTask,
  taskById,
} from './task-store.ts'

/** What a runner hears back: the result only once there is one, since any other answer ends its job. */
export interface Reported {
  id: bigint
  result: ResultNumber
  /** Every output that needs not be sent again. */
  sentOutputs: string[]
}

/** Bytes of an output that is kept. */
const longest = { key: 255, value: 1_048_576 }

/** A job has far fewer steps. */
const mostSteps = 10_000

/**
 * Takes a report about a task: a sign of life, or its end. What comes after the end changes nothing.
 * @throws ConnectError invalid_argument, not_found, permission_denied
 */
export async function updateTask(ask: RunnerAsk, request: UpdateTaskRequest): Promise<Reported> {
  const { state } = request
  if (!state) throw new ConnectError('the report has no state', Code.InvalidArgument)
  const status = statusOf(state.result)
  const task = await ownTask(ask, state.id)
  const outputs = outputsOf(request.outputs)
  if (!isFinal(task.status)) {
    if (outputs.kept.length > 0) await insertOutputs(ask.sql, task.id, outputs.kept)
    if (isFinal(status)) await end(ask, task, state, status)
    else await noteProgress(ask.sql, task.id, state.steps.flatMap(stepOf), ask.now)
  }
  const stored = await outputNames(ask.sql, task.id)
  const now = isFinal(status) ? ((await taskById(ask.sql, task.id)) ?? task) : task
  return {
    id: state.id,
    result: resultOf(now.status),
    sentOutputs: [...new Set([...stored, ...outputs.refused])],
  }
}

async function end(
  { begin }: RunnerAsk,
  task: StoredTask,
  state: TaskState,
  status: FinalStatus,
): Promise<void> {
  await begin(async (tx) => {
    await noteProgress(tx, task.id, state.steps.flatMap(stepOf), tx.now)
    await endTask(tx, task.id, { status, at: momentOf(state.stoppedAt) ?? tx.now })
  })
}

/** Outputs as they are kept, and the names of those that are not: a runner would send them again for ever. */
function outputsOf(outputs: Readonly<Record<string, string>>) {
  const refused: string[] = []
  const kept: { key: string; value: string | null }[] = []
  for (const [name, text] of Object.entries(outputs)) {
    const value = text.replaceAll('\0', '\uFFFD')
    if (name.includes('\0') || Buffer.byteLength(name) > longest.key) refused.push(name)
    else kept.push({ key: name, value: Buffer.byteLength(value) > longest.value ? null : value })
  }
  return { kept, refused }
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

/** What a status is called on the wire; what is being cancelled is told as cancelled, so that the runner ends it. */
export function resultOf(status: Status): ResultNumber {
  if (status === 'cancelling') return Result.cancelled
  return isFinal(status) ? Result[status] : Result.unspecified
}
