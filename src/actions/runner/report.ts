import { setImmediate } from 'node:timers/promises'
import { Code, ConnectError } from '@connectrpc/connect'
import { type FinalStatus, isFinal, type Status } from '../run/status.ts'
import { storableText } from '../run/storable-text.ts'
import { dateOf } from './log-lines.ts'
import { insertOutputs, outputNames } from './output-store.ts'
import {
  Result,
  type ResultNumber,
  type StepState,
  type TaskState,
  type UpdateTaskRequest,
} from './protocol/messages.ts'
import { type RunnerContext, taskOfRunner } from './runner-call.ts'
import { endTask } from './task-end.ts'
import { maskFor } from './task-mask.ts'
import { type StepReport, type StoredTask, taskById, updateProgress } from './task-store.ts'

/**
 * The reply to a report. The result is set only once there is one, since any other value makes the runner end its job.
 */
interface Reported {
  id: bigint
  result: ResultNumber
  /** Names of the outputs that the runner need not send again. */
  sentOutputs: string[]
}

/** Maximum bytes of a stored output. */
const maxBytes = { key: 255, value: 1_048_576 }

/** Maximum outputs of a task and their bytes: dependent jobs receive all of them at once. */
const maxOutputs = { names: 1_000, bytes: 8 * maxBytes.value }

/** Maximum steps of a job; real jobs have far fewer. */
const maxSteps = 10_000

/**
 * Processes a report on a task: progress, or its end. Reports after the end change nothing.
 * @throws ConnectError invalid_argument, not_found, permission_denied
 */
export async function updateTask(context: RunnerContext, request: UpdateTaskRequest): Promise<Reported> {
  const { state } = request
  if (!state) throw new ConnectError('the report has no state', Code.InvalidArgument)
  const status = statusOf(state.result)
  const task = await taskOfRunner(context, state.id)
  const outputs = outputsOf(request.outputs)
  if (!isFinal(task.status)) {
    if (outputs.length > 0) await storeOutputs(context, task, outputs)
    if (isFinal(status)) await endFromReport(context, task, state, status)
    else await updateProgress(context.sql, task.id, state.steps.flatMap(stepOf), context.now)
  }
  const stored = await outputNames(context.sql, task.id)
  const latest = isFinal(status) ? ((await taskById(context.sql, task.id)) ?? task) : task
  return {
    id: state.id,
    result: isFinal(status) ? resultOf(latest.status) : resultForRunning(latest),
    // Also rejected outputs (too large or too late): otherwise the runner would send them again and again.
    sentOutputs: [...new Set([...stored, ...Object.keys(request.outputs)])],
  }
}

async function endFromReport(
  { begin }: RunnerContext,
  task: StoredTask,
  state: TaskState,
  status: FinalStatus,
): Promise<void> {
  const steps = state.steps.flatMap(stepOf)
  await begin((tx) => endTask(tx, task.id, { status, at: notAfter(dateOf(state.stoppedAt), tx.now), steps }))
}

/** An output to store; a value that is too long or contains a secret is null. */
interface Output {
  key: string
  value: string | null
}

/**
 * Stores outputs. One that contains a secret that the task received is dropped, as on GitHub: other jobs would print it
 * without a mask.
 */
async function storeOutputs(
  { sql, tools }: RunnerContext,
  task: StoredTask,
  outputs: readonly Output[],
): Promise<void> {
  const mask = await maskFor(sql, task, tools)
  const hasSecret = (text: string) => mask.hide(text) !== text
  const accepted: Output[] = []
  for (const { key, value } of outputs) {
    if (!hasSecret(key)) accepted.push({ key, value: value !== null && hasSecret(value) ? null : value })
    // Searching a megabyte for many secrets takes a while: other work runs in between.
    await setImmediate()
  }
  await insertOutputs(sql, task.id, accepted, maxOutputs)
}

function outputsOf(outputs: Readonly<Record<string, string>>): Output[] {
  return Object.entries(outputs).flatMap(([key, text]) => {
    if (key.includes('\0') || Buffer.byteLength(key) > maxBytes.key) return []
    const value = storableText(text)
    return [{ key, value: Buffer.byteLength(value) > maxBytes.value ? null : value }]
  })
}

function stepOf({ id, result, startedAt, stoppedAt, logIndex, logLength }: StepState): StepReport[] {
  if (id < 0n || id >= BigInt(maxSteps)) return []
  const started_at = dateOf(startedAt)
  const status = statusOf(result)
  return [
    {
      number: Number(id),
      status: status === 'in_progress' && !started_at ? null : status,
      started_at: started_at ?? null,
      stopped_at: dateOf(stoppedAt) ?? null,
      log_index: lines(logIndex),
      log_length: lines(logLength),
    },
  ]
}

const lines = (count: bigint) => Number(count < 0n || count > 1_000_000_000_000n ? 0n : count)

/** Clamps a moment to now: with a clock that runs ahead the job would end in the future. */
const notAfter = (moment: Date | undefined, now: Date) => (moment && moment < now ? moment : now)

const results = new Map<ResultNumber, Status>([
  [Result.unspecified, 'in_progress'],
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
 * The result for a runner that reports its job as running. Runners before 3.2 stop only at `cancelled`, so this is also
 * the result of a job that the server has ended.
 */
const resultForRunning = ({ status, is_ended_here }: StoredTask) =>
  is_ended_here ? Result.cancelled : resultOf(status)

/** The protocol's result of a status; `cancelling` maps to cancelled so that the runner ends the job. */
export function resultOf(status: Status): ResultNumber {
  if (status === 'cancelling') return Result.cancelled
  return isFinal(status) ? Result[status] : Result.unspecified
}
