import type { JsonObject, Message } from '@bufbuild/protobuf'
import { type GenMessage, type GenService, messageDesc, serviceDesc } from '@bufbuild/protobuf/codegenv2'
import {
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  type Timestamp,
} from '@bufbuild/protobuf/wkt'
import { describe } from './descriptor.ts'

/**
 * The messages of the runner protocol. The numbers and types of the fields are the interface. One set of messages
 * serves runners of every version, since both sides skip unknown fields.
 */

const pingFile = describe({
  package: 'ping.v1',
  imports: [],
  messages: { PingRequest: { 1: 'data string' }, PingResponse: { 1: 'data string' } },
  enums: {},
  service: { name: 'PingService', methods: ['Ping'] },
})

const runnerFile = describe({
  package: 'runner.v1',
  imports: [file_google_protobuf_struct, file_google_protobuf_timestamp],
  messages: {
    RegisterRequest: {
      1: 'name string',
      2: 'token string',
      3: 'agent_labels repeated string',
      4: 'custom_labels repeated string',
      5: 'version string',
      6: 'labels repeated string',
      7: 'ephemeral bool',
      8: 'capabilities repeated string',
    },
    RegisterResponse: { 1: 'runner Runner' },
    DeclareRequest: { 1: 'version string', 2: 'labels repeated string', 3: 'capabilities repeated string' },
    DeclareResponse: { 1: 'runner Runner' },
    FetchTaskRequest: { 1: 'tasks_version int64' },
    FetchTaskResponse: { 1: 'task Task', 2: 'tasks_version int64' },
    UpdateTaskRequest: { 1: 'state TaskState', 2: 'outputs map string' },
    UpdateTaskResponse: { 1: 'state TaskState', 2: 'sent_outputs repeated string' },
    UpdateLogRequest: { 1: 'task_id int64', 2: 'index int64', 3: 'rows repeated LogRow', 4: 'no_more bool' },
    UpdateLogResponse: { 1: 'ack_index int64' },
    Runner: {
      1: 'id int64',
      2: 'uuid string',
      3: 'token string',
      4: 'name string',
      5: 'status RunnerStatus',
      6: 'agent_labels repeated string',
      7: 'custom_labels repeated string',
      8: 'version string',
      9: 'labels repeated string',
      10: 'ephemeral bool',
    },
    Task: {
      1: 'id int64',
      2: 'workflow_payload optional bytes',
      3: 'context optional .google.protobuf.Struct',
      4: 'secrets map string',
      5: 'machine string',
      6: 'needs map TaskNeed',
      7: 'vars map string',
    },
    TaskNeed: { 1: 'outputs map string', 2: 'result Result' },
    TaskState: {
      1: 'id int64',
      2: 'result Result',
      3: 'started_at .google.protobuf.Timestamp',
      4: 'stopped_at .google.protobuf.Timestamp',
      5: 'steps repeated StepState',
    },
    StepState: {
      1: 'id int64',
      2: 'result Result',
      3: 'started_at .google.protobuf.Timestamp',
      4: 'stopped_at .google.protobuf.Timestamp',
      5: 'log_index int64',
      6: 'log_length int64',
    },
    LogRow: { 1: 'time .google.protobuf.Timestamp', 2: 'content string' },
  },
  enums: {
    Result: ['RESULT_UNSPECIFIED', 'RESULT_SUCCESS', 'RESULT_FAILURE', 'RESULT_CANCELLED', 'RESULT_SKIPPED'],
    RunnerStatus: [
      'RUNNER_STATUS_UNSPECIFIED',
      'RUNNER_STATUS_IDLE',
      'RUNNER_STATUS_ACTIVE',
      'RUNNER_STATUS_OFFLINE',
    ],
  },
  service: {
    name: 'RunnerService',
    methods: ['Register', 'Declare', 'FetchTask', 'UpdateTask', 'UpdateLog'],
  },
})

/** The result of a job or step; 0 while it has none. */
export const Result = { unspecified: 0, success: 1, failure: 2, cancelled: 3, skipped: 4 } as const
/** Enums of proto3 are open: a newer runner may send an unknown number. */
export type ResultNumber = number

type Named<Value = string> = { [key: string]: Value }

type PingRequest = Message<'ping.v1.PingRequest'> & { data: string }
type PingResponse = Message<'ping.v1.PingResponse'> & { data: string }

export type RegisterRequest = Message<'runner.v1.RegisterRequest'> & {
  name: string
  token: string
  /** Sent by old runners instead of `labels`. */
  agentLabels: string[]
  customLabels: string[]
  version: string
  labels: string[]
  ephemeral: boolean
  capabilities: string[]
}
type RegisterResponse = Message<'runner.v1.RegisterResponse'> & { runner?: Runner }
export type DeclareRequest = Message<'runner.v1.DeclareRequest'> & {
  version: string
  labels: string[]
  capabilities: string[]
}
type DeclareResponse = Message<'runner.v1.DeclareResponse'> & { runner?: Runner }
type FetchTaskRequest = Message<'runner.v1.FetchTaskRequest'> & { tasksVersion: bigint }
type FetchTaskResponse = Message<'runner.v1.FetchTaskResponse'> & { task?: Task; tasksVersion: bigint }
export type UpdateTaskRequest = Message<'runner.v1.UpdateTaskRequest'> & { state?: TaskState; outputs: Named }
type UpdateTaskResponse = Message<'runner.v1.UpdateTaskResponse'> & {
  state?: TaskState
  sentOutputs: string[]
}
export type UpdateLogRequest = Message<'runner.v1.UpdateLogRequest'> & {
  taskId: bigint
  /** Number of the first line, from 0 over the whole task. */
  index: bigint
  rows: LogRow[]
  noMore: boolean
}
type UpdateLogResponse = Message<'runner.v1.UpdateLogResponse'> & { ackIndex: bigint }
type Runner = Message<'runner.v1.Runner'> & {
  id: bigint
  uuid: string
  token: string
  name: string
  status: number
  agentLabels: string[]
  customLabels: string[]
  version: string
  labels: string[]
  ephemeral: boolean
}
type Task = Message<'runner.v1.Task'> & {
  id: bigint
  workflowPayload?: Uint8Array
  context?: JsonObject
  secrets: Named
  machine: string
  needs: Named<TaskNeed>
  vars: Named
}
type TaskNeed = Message<'runner.v1.TaskNeed'> & { outputs: Named; result: ResultNumber }
export type TaskState = Message<'runner.v1.TaskState'> & {
  id: bigint
  result: ResultNumber
  startedAt?: Timestamp
  stoppedAt?: Timestamp
  steps: StepState[]
}
export type StepState = Message<'runner.v1.StepState'> & {
  /** Index of the step in the job, from 0. */
  id: bigint
  result: ResultNumber
  startedAt?: Timestamp
  stoppedAt?: Timestamp
  logIndex: bigint
  logLength: bigint
}
export type LogRow = Message<'runner.v1.LogRow'> & { time?: Timestamp; content: string }

/** A message by its name in a file. */
function messageOf<Shape extends Message>(file: typeof runnerFile, name: string): GenMessage<Shape> {
  return messageDesc<Shape>(
    file,
    file.messages.findIndex((each) => each.name === name),
  )
}

export const UpdateLogRequestSchema = messageOf<UpdateLogRequest>(runnerFile, 'UpdateLogRequest')
export const LogRowSchema = messageOf<LogRow>(runnerFile, 'LogRow')

interface Unary<Input extends Message, Output extends Message> {
  methodKind: 'unary'
  input: GenMessage<Input>
  output: GenMessage<Output>
}

export const PingService: GenService<{ ping: Unary<PingRequest, PingResponse> }> = serviceDesc(pingFile, 0)

export const RunnerService: GenService<{
  register: Unary<RegisterRequest, RegisterResponse>
  declare: Unary<DeclareRequest, DeclareResponse>
  fetchTask: Unary<FetchTaskRequest, FetchTaskResponse>
  updateTask: Unary<UpdateTaskRequest, UpdateTaskResponse>
  updateLog: Unary<UpdateLogRequest, UpdateLogResponse>
}> = serviceDesc(runnerFile, 0)
