import { create } from '@bufbuild/protobuf'
import type { Interceptor } from '@connectrpc/connect'
import { createClient } from '@connectrpc/connect'
import { compressionGzip, createConnectTransport } from '@connectrpc/connect-node'
import { LogRowSchema, PingService, RunnerService } from '../../../src/actions/runner/protocol/messages.ts'
import { registrationToken } from '../../../src/actions/runner/registration-store.ts'
import { type Scope, siteScope } from '../../../src/actions/secrets/scope-store.ts'
import type { Pool } from '../../../src/db/sql.ts'
import { testSecrets } from './make.ts'

/** How a runner's program speaks: newer ones and older ones send protobuf, curl sends JSON. */
export type Codec = 'protobuf' | 'json'

/** A client as the program of a runner has it; `headers` go with each call. */
export function runnerClient(url: string, codec: Codec, headers: Readonly<Record<string, string>> = {}) {
  const proving: Interceptor = (next) => (request) => {
    for (const [name, value] of Object.entries(headers)) request.header.set(name, value)
    return next(request)
  }
  const transport = createConnectTransport({
    baseUrl: `${url}/api/actions`,
    httpVersion: '1.1',
    useBinaryFormat: codec === 'protobuf',
    acceptCompression: [compressionGzip],
    interceptors: [proving],
  })
  return { ...createClient(RunnerService, transport), ...createClient(PingService, transport) }
}

export type RunnerClient = ReturnType<typeof runnerClient>

/** A runner that has registered and started. */
export interface TestRunner {
  id: number
  uuid: string
  token: string
  client: RunnerClient
}

/** Registers a runner and lets it declare itself. */
export async function startRunner(
  { url, pool }: { url: string; pool: Pool },
  wish: {
    codec?: Codec
    name?: string
    labels?: string[]
    ephemeral?: boolean
    capabilities?: string[]
    scope?: Scope
  } = {},
): Promise<TestRunner> {
  const { codec = 'protobuf', name = 'r1', labels = ['self-hosted'], capabilities = ['cancelling'] } = wish
  const { token } = await registrationToken(
    pool,
    testSecrets,
    wish.scope ?? siteScope,
    new Date('2026-01-31T08:00:00Z'),
  )
  const { runner } = await runnerClient(url, codec).register({
    name,
    token,
    labels,
    capabilities,
    version: 'v3.3.0',
    ephemeral: wish.ephemeral ?? false,
  })
  if (!runner) throw new Error('no runner was made')
  const client = runnerClient(url, codec, {
    'x-runner-uuid': runner.uuid,
    'x-runner-token': runner.token,
  })
  await client.declare({ version: 'v3.3.0', labels, capabilities })
  return { id: Number(runner.id), uuid: runner.uuid, token: runner.token, client }
}

/** Lines of a log, as a runner sends them. */
export function rows(...lines: readonly string[]) {
  const time = {
    $typeName: 'google.protobuf.Timestamp' as const,
    seconds: 1_769_846_400n,
    nanos: 123_456_789,
  }
  return lines.map((content) => create(LogRowSchema, { time, content }))
}

/** A repository without a directory. */
export async function bareRepository(pool: Pool, owner: { id: number; name: string }, name = 'code') {
  const [row] = await pool<[{ id: number }]>`
    insert into forge.repository
      (owner_id, name, folder_owner, folder_name, state, is_private, default_branch, object_format, created_at, updated_at)
    values
      (${owner.id}, ${name}, ${owner.name}, ${name}, 'ready', true, 'main', 'sha1', '2026-01-31', '2026-01-31')
    returning id`
  return { id: row.id, name }
}

/** A job as a test wants it. */
export interface JobWish {
  key?: string
  status?: string
  needs?: string[]
  runs_on?: string[]
  steps?: string[]
  permissions?: Record<string, string> | null
}

/** Puts a run with these jobs straight into the database; gives ids. */
export async function putRun(
  pool: Pool,
  repository: number,
  actor: number | null,
  jobs: readonly JobWish[],
): Promise<{ run: number; jobs: number[] }> {
  const at = '2026-01-31T08:00:00Z'
  const [{ id: run }] = await pool<[{ id: number }]>`
    insert into forge.action_run
      (repository_id, number, workflow_file, workflow_name, title, actor_id, event, payload, ref, commit_sha, status,
       created_at, updated_at)
    select ${repository}, 1 + coalesce(max(number), 0), 'ci.yml', 'CI', 'a push', ${actor}, 'push',
      ${pool.json({ ref: 'refs/heads/main', after: 'f'.repeat(40) })}, 'refs/heads/main', ${'f'.repeat(40)}, 'queued',
      ${at}, ${at}
    from forge.action_run
    where repository_id = ${repository}
    returning id`
  await pool`
    insert into forge.action_attempt (run_id, number, actor_id, status, created_at, updated_at)
    values (${run}, 1, ${actor}, 'queued', ${at}, ${at})`
  const ids: number[] = []
  for (const [place, job] of jobs.entries()) {
    const { key = `job${place + 1}`, status = 'queued', needs = [], runs_on = ['self-hosted'] } = job
    const payload = Buffer.from(`name: CI\non: push\njobs:\n  ${key}:\n    runs-on: self-hosted\n`)
    const [row] = await pool<[{ id: number }]>`
      insert into forge.action_job
        (run_id, attempt, number, repository_id, name, key, needs, runs_on, payload, step_names, permissions, status,
         created_at, updated_at)
      values
        (${run}, 1, ${place + 1}, ${repository}, ${key}, ${key}, ${needs}, ${runs_on}, ${payload},
         ${job.steps ?? ['Run echo', 'Run make']}, ${job.permissions ? pool.json(job.permissions) : null}, ${status},
         ${at}, ${at})
      returning id`
    ids.push(row.id)
  }
  return { run, jobs: ids }
}
