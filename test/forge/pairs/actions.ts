import { bearer } from '../../support/forge/make.ts'
import { artifacts } from './artifacts.ts'
import { written } from './code.ts'
import {
  bob,
  boss,
  each,
  elsewhere,
  eve,
  type Kind,
  type More,
  made,
  type Operation,
  ofRepository,
  once,
  type Prepare,
  type Prepared,
  scope,
} from './operation.ts'
import { busy, done, idle, unapproved } from './runs.ts'
import type { Scene } from './scene.ts'

/** Operations that meet in a run, job or runner of the repository of a scene, with the calls of runners. */

const repository = (literal: string, before?: Prepare, more: More = {}) =>
  ofRepository('actions')(literal.replace(' ', ' /actions'), { ...(before && { before }), ...more })

const workflow = each(
  written,
  made(
    ofRepository('code')('POST /contents/{filepath...}', {
      before: written,
      params: () => ({ filepath: '.gitea/workflows/ci.yml' }),
      body: () => ({
        content: Buffer.from('on: workflow_dispatch\njobs: {a: {steps: [{run: echo}]}}\n').toString('base64'),
      }),
    }),
    'file',
    () => 'ci.yml',
  ),
)
const theWorkflow: Pick<Operation, 'params'> & More = { params: () => ({ workflow_id: 'ci.yml' }) }
const disable = repository('PUT /workflows/{workflow_id}/disable', workflow, theWorkflow)

const byRunner = (name: string, before: Prepare | undefined, body: Operation['body']): Operation =>
  elsewhere('actions')(`POST /api/actions/runner.v1.RunnerService/${name}`, {
    headers: (_, { uuid, secret }) => ({
      ...(uuid !== undefined && { 'x-runner-uuid': String(uuid), 'x-runner-token': String(secret) }),
    }),
    ...(before && { before }),
    ...(body && { body }),
  })

const inTable = async (
  { pool }: Scene,
  table: 'action_run' | 'action_runner',
  id: Prepared[string] | undefined,
) => (await pool`select from ${pool(`forge.${table}`)} where id = ${Number(id)}`).length === 1

const rerunHolds: Operation['holds'] = async ({ pool }, { run }) =>
  (await pool`select from forge.action_run where id = ${Number(run)} and attempt = 2`).length === 1

/** Secrets, variables and runners at one scope. */
function settingsAt(path: string, common: Pick<Operation, 'as' | 'params'>, kind: Kind): Operation[] {
  const at = scope(`${path}/actions`, common)(kind)
  const isSite = path.endsWith('/admin')
  // Scenes share the variables of the server.
  const named = { params: ({ number }: Scene) => ({ secretname: 'S', variablename: `V${number}` }) }
  const secret = at('PUT /secrets/{secretname}', { ...named, body: () => ({ data: 'hush' }) })
  const variable = at('POST /variables/{variablename}', { ...named, body: () => ({ value: 'shown' }) })
  const runner = once(async (scene, call) => {
    const literal = `POST ${path}/actions/runners/registration-token`
    const { body } = await call(literal, { as: common.as(scene, {}), params: common.params(scene) })
    const registered = await fetch(`${scene.url}/api/actions/runner.v1.RunnerService/Register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'late', token: body.token, labels: ['self-hosted'], version: 'v3.3.0' }),
    })
    return { runner_id: Number((await registered.json()).runner.id) }
  })
  const secrets = [secret, at('DELETE /secrets/{secretname}', { ...named, before: made(secret) })]
  return [
    // The server itself has no secrets for jobs.
    ...(isSite ? [] : secrets),
    variable,
    at('PUT /variables/{variablename}', { ...named, before: made(variable), body: () => ({ value: 'new' }) }),
    at('DELETE /variables/{variablename}', { ...named, before: made(variable) }),
    at('POST /runners/registration-token'),
    at('DELETE /runners/registration-token'),
    at('PATCH /runners/{runner_id}', { before: runner, body: () => ({ disabled: true }) }),
    at('DELETE /runners/{runner_id}', { before: runner }),
  ]
}

/** An artifact of the run. */
const report = each(
  busy,
  once(async (scene, call) => {
    const { run = 0 } = await busy(scene, call)
    const [artifact] = await scene.pool<[{ id: number }]>`
      insert into forge.action_artifact
        (repository_id, run_id, attempt, name, size, expires_at, created_at, updated_at)
      values (${scene.repoId}, ${Number(run)}, 1, 'report', 0, '2026-12-31', '2026-01-31', '2026-01-31')
      returning id`
    return { artifact_id: artifact.id }
  }),
)

export const actionsOperations: readonly Operation[] = [
  repository('POST /runs/{run}/cancel', idle),
  repository('POST /runs/{run}/cancel', busy),
  repository('POST /runs/{run}/approve', unapproved),
  repository('POST /runs/{run}/cancel', unapproved),
  repository('DELETE /runs/{run}', done, {
    holds: async (scene, { run }) => !(await inTable(scene, 'action_run', run)),
  }),
  repository('POST /runs/{run}/rerun', done, { holds: rerunHolds }),
  repository('POST /runs/{run}/rerun-failed-jobs', done, { holds: rerunHolds }),
  repository('POST /runs/{run}/jobs/{job_id}/rerun', done, { holds: rerunHolds }),
  repository('DELETE /runners/{runner_id}', busy, {
    holds: async ({ pool }, { runner_id }) =>
      (
        await pool`
          select from forge.action_runner where id = ${Number(runner_id)} and deleted_at is null`
      ).length === 0,
  }),
  repository('DELETE /runners/{runner_id}', idle),
  repository('PATCH /runners/{runner_id}', busy, { body: () => ({ disabled: true }) }),
  repository('POST /workflows/{workflow_id}/dispatches', workflow, {
    ...theWorkflow,
    body: () => ({ ref: 'main' }),
  }),
  disable,
  repository('PUT /workflows/{workflow_id}/enable', each(workflow, made(disable)), theWorkflow),
  repository('DELETE /artifacts/{artifact_id}', report),
  byRunner(
    'Register',
    async (scene) => ({ name: `late${scene.number}`, token: await scene.registrationToken() }),
    (_, { name, token }) => ({ name, token, labels: ['self-hosted'], version: 'v3.3.0' }),
  ),
  byRunner('Declare', idle, () => ({ version: 'v3.3.1', labels: ['self-hosted'] })),
  byRunner('FetchTask', idle, () => ({})),
  {
    ...byRunner('UpdateTask', busy, (_, { task }) => ({ state: { id: task, result: 'RESULT_SUCCESS' } })),
    holds: async ({ pool }, { job_id }) =>
      (await pool`select from forge.action_job where id = ${Number(job_id)} and status <> 'running'`)
        .length === 1,
  },
  byRunner('UpdateLog', busy, (_, { task }) => ({ taskId: task, index: 0, rows: [], noMore: false })),
  ofRepository('actions')('POST /issues', {
    before: busy,
    as: (_, { token }) => bearer(String(token)),
    body: () => ({ title: 'It leaks' }),
  }),
  ...settingsAt(
    '/api/v1/repos/{owner}/{repo}',
    { as: eve, params: ({ guild, repo }) => ({ owner: guild, repo }) },
    'actions',
  ),
  ...settingsAt('/api/v1/orgs/{org}', { as: eve, params: ({ guild }) => ({ org: guild }) }, 'organization'),
  ...settingsAt('/api/v1/user', { as: bob, params: () => ({}) }, 'user'),
  ...settingsAt('/api/v1/admin', { as: boss, params: () => ({}) }, 'site'),
  ...artifacts,
]
