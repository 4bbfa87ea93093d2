import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startRunner } from '../../support/forge/actions.ts'
import { runsIn, steps, success, take } from '../../support/forge/runs.ts'
import { startForge, startRepository } from '../../support/forge/workflows.ts'

const forge = await startForge()
const { call, ada, pool } = forge
const repo = await startRepository(forge, 'tool')
const { look } = runsIn(forge, repo)
const runner = await startRunner(forge, { labels: ['x'] })

const DISPATCH = 'POST /api/v1/repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches'
const RERUN = 'POST /api/v1/repos/{owner}/{repo}/actions/runs/{run}/rerun'
const conditions = {
  off: 'inputs.off == false',
  on: 'inputs.on == true',
  either: "${{ (inputs.off && 'big' || 'small') == 'small' }}",
  unset: '!inputs.unset',
  wrong: '!inputs.wrong',
  number: 'inputs.number == 3.1',
  zero: '!inputs.zero',
  empty: "inputs.empty == ''",
  text: "inputs.text && inputs.text == 'false'",
  untyped: "inputs.untyped && inputs.untyped == '0'",
  event: "github.event.inputs.off == 'false' && github.event.inputs.number == '3.10'",
}
const jobs = Object.entries(conditions).map(
  ([key, condition]) => `  ${key}: {needs: a, if: "${condition}", runs-on: x, ${steps}}`,
)
await repo.push({
  '.gitea/workflows/typed.yml': `
on:
  workflow_dispatch:
    inputs:
      off: {type: boolean}
      on: {type: boolean, default: True}
      unset: {type: boolean, required: true}
      wrong: {type: boolean, default: maybe}
      number: {type: number, default: 3.10}
      zero: {type: number}
      empty: {type: number}
      text: {type: choice, options: ["false", "true"]}
      untyped: {default: 0}
run-name: \${{ inputs.off && 'big' || 'small' }} \${{ inputs.number }} \${{ github.event.inputs.number }}
concurrency: \${{ inputs.off && 'one' || '' }}
jobs:
  a: {name: "A \${{ inputs.off || 'none' }} \${{ inputs.on }}", runs-on: "\${{ inputs.off && 'y' || 'x' }}", ${steps}}
${jobs.join('\n')}`,
})

const inputs = { off: 'false', zero: '0', text: 'false' }
const expected = Object.keys(conditions).map((key) => `${key} queued`)

test(`${DISPATCH}: inputs have their declared types in expressions, and are texts in the event`, async () => {
  const { status, body } = await call(DISPATCH, {
    as: ada,
    params: { owner: 'ada', repo: 'tool', workflow_id: 'typed.yml' },
    query: { return_run_details: 'true' },
    body: { ref: 'main', inputs },
  })
  assert.equal(status, 200)
  const run: number = body.workflow_run_id
  const [row] = await pool`select title, payload from forge.action_run where id = ${run}`
  assert.equal(row?.title, 'small 3.1 3.10')
  const texts = { off: 'false', on: 'true', unset: '', wrong: 'maybe', number: '3.10', zero: '0', empty: '' }
  assert.deepEqual(row?.payload.inputs, { ...texts, text: 'false', untyped: '0' })
  const first = await take(runner)
  assert.deepEqual(first.task.context?.event, row?.payload)
  await first.end(success)
  assert.equal((await look(run)).states, ['A none true success', ...expected].join(', '))
  for (const _ of expected) await (await take(runner)).end(success)
  assert.equal((await call(RERUN, { as: ada, params: { owner: 'ada', repo: 'tool', run } })).status, 201)
  await (await take(runner)).end(success)
  assert.equal((await look(run)).states, ['A none true success', ...expected].join(', '))
})
