import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startRunner } from '../../support/forge/actions.ts'
import { failure, runsIn, steps, success, take } from '../../support/forge/runs.ts'
import { settled, startForge, startRepository } from '../../support/forge/workflows.ts'
import { until } from '../../support/wait.ts'

const forge = await startForge()
const { call, ada, pool, make } = forge
const bob = await make.person({ name: 'bob' })
const repo = await startRepository(forge, 'tool')
const shared = await startRepository(forge, 'shared', bob)
const { look } = runsIn(forge, repo)
const runner = await startRunner(forge, { labels: ['x'] })
const states = async (run: number) => (await look(run)).states

/** Pushes workflows; gives the run of `main.yml`. */
async function start(files: Readonly<Record<string, string>>, message = 'a change'): Promise<number> {
  await repo.git('rm', '-rqf', '--ignore-unmatch', '.gitea')
  const paths = Object.entries(files).map(([name, text]) => [`.gitea/workflows/${name}`, text] as const)
  await repo.push(Object.fromEntries(paths), { message })
  await settled(forge)
  const [run] = await pool<{ id: number }[]>`
    select id from forge.action_run where workflow_file = 'main.yml' order by id desc limit 1`
  assert.ok(run)
  return run.id
}

async function comesTo(run: number, expected: string): Promise<void> {
  await until(`the jobs are ${expected}`, async () => (await states(run)) === expected).catch(() => {})
  assert.equal(await states(run), expected)
}

/** Ends the next job; gives what its runner got. */
async function endWith(outputs: Record<string, string> = {}, result = success) {
  const { task } = await take(runner)
  await runner.client.updateTask({ state: { id: task.id, result }, outputs })
  return task
}

const messageOf = async (run: number, key: string) => {
  const [row] = await pool`
    select message from forge.action_job where run_id = ${run} and key like ${key} order by id desc limit 1`
  return row?.message
}

const RERUN = 'POST /api/v1/repos/{owner}/{repo}/actions/runs/{run}/rerun'
const FAILED = 'POST /api/v1/repos/{owner}/{repo}/actions/runs/{run}/rerun-failed-jobs'
const CANCEL = 'POST /api/v1/repos/{owner}/{repo}/actions/runs/{run}/cancel'
const SECRET = 'PUT /api/v1/repos/{owner}/{repo}/actions/secrets/{secretname}'
const onRun = (run: number) => ({ as: ada, params: { owner: 'ada', repo: 'tool', run } })
const mainOf = (jobs: string, more = '') => `name: Main\non: push\n${more}\njobs:\n${jobs}`
const libOf = (jobs: string, more = '') => `name: Lib\non:\n  workflow_call:\n${more}\njobs:\n${jobs}`
const use = 'uses: ./.gitea/workflows/lib.yml'

test('jobs of a called workflow get inputs and secrets, and give outputs back', async () => {
  for (const [secretname, data] of [
    ['DEPLOY', 'the key'],
    ['OTHER', 'the other'],
  ] as const)
    await call(SECRET, { as: ada, params: { owner: 'ada', repo: 'tool', secretname }, body: { data } })
  const run = await start({
    'main.yml': mainOf(`
  a: {runs-on: x, outputs: {tag: x}, ${steps}}
  b:
    needs: a
    ${use}
    with: {tag: "\${{ needs.a.outputs.tag }}", count: 3, unknown: 1}
    secrets: {key: "\${{ secrets.DEPLOY }}"}
  c: {needs: b, if: "needs.b.outputs.result == 'v1 3 false made'", runs-on: x, ${steps}}`),
    'lib.yml': libOf(
      `
  d: {name: "Build \${{ inputs.tag }}", runs-on: x, outputs: {made: x}, ${steps}}
  e: {needs: d, if: "inputs.count == 3 && !inputs.dry", runs-on: x, ${steps}}`,
      `    inputs:
      tag: {type: string, required: true}
      count: {type: number}
      dry: {type: boolean}
    secrets: {key: {required: true}}
    outputs:
      result: {value: "\${{ inputs.tag }} \${{ inputs.count }} \${{ inputs.dry }} \${{ jobs.d.outputs.made }}"}`,
    ),
  })
  assert.equal(await states(run), 'a queued, b requested, c requested')
  await endWith({ tag: 'v1' })
  const begun = 'a success, b in_progress, c requested, b / Build v1 queued, b / e requested'
  await comesTo(run, begun)
  const task = await endWith({ made: 'made' })
  const context = task.context as { job: string; event_name: string; event: { inputs: object; ref: string } }
  assert.deepEqual([context.job, context.event_name], ['d', 'workflow_call'])
  assert.deepEqual(context.event.inputs, { tag: 'v1', count: '3', dry: 'false' })
  assert.equal(context.event.ref, 'refs/heads/main')
  assert.equal(task.secrets.KEY, 'the key')
  assert.deepEqual(Object.keys(task.secrets).sort(), ['GITEA_TOKEN', 'GITHUB_TOKEN', 'KEY'])
  const payload = Buffer.from(task.workflowPayload ?? []).toString()
  assert.match(payload, /^name: "?Main"?$/m)
  assert.match(payload, /workflow_call:/)
  const dependent = await endWith()
  assert.deepEqual(dependent.needs, {
    d: { $typeName: 'runner.v1.TaskNeed', outputs: { made: 'made' }, result: success },
  })
  assert.equal(await states(run), 'a success, b success, c queued, b / Build v1 success, b / e success')
  const last = await endWith()
  assert.equal(last.needs.b?.outputs.result, 'v1 3 false made')
  assert.deepEqual(Object.keys(last.secrets).sort(), ['DEPLOY', 'GITEA_TOKEN', 'GITHUB_TOKEN', 'OTHER'])
  assert.equal((await look(run)).status, 'success')
  const page = await call('GET /{owner}/{repo}/actions/runs/{run}', onRun(run))
  const shown = [...String(page.body).matchAll(/<li id="job-\d+".*?<a [^>]*>(.*?)<\/a>/gs)].map(
    ([, name]) => name,
  )
  assert.deepEqual(shown, ['a', 'b', 'b / Build v1', 'b / e', 'c'])
  assert.match(String(page.body), /Calls <code>\.\/\.gitea\/workflows\/lib\.yml<\/code>/)
  await settled(forge)
  const contexts = await pool<{ context: string }[]>`
    select distinct context from forge.commit_status where target_url like ${`%/runs/${run}/%`} order by context`
  assert.deepEqual(
    contexts.map(({ context }) => context),
    ['Main / a (push)', 'Main / b / Build v1 (push)', 'Main / b / e (push)', 'Main / c (push)'],
  )
})

test('called workflows call others, pass all secrets on, and have no more permissions than their callers', async () => {
  const inner = `owner: ${use}`.slice(7).replace('lib.yml', 'inner.yml')
  const run = await start({
    'main.yml': mainOf(`
  a: {${use}, secrets: inherit, permissions: {contents: read}, strategy: {matrix: {v: [1, 2]}}, with: {v: "\${{ matrix.v }}"}}`),
    'lib.yml': libOf(
      `  b: {${inner}, secrets: inherit}\n  c: {needs: b, runs-on: x, ${steps}}`,
      '    inputs: {v: {type: number}}',
    ),
    'inner.yml': libOf(`  d: {runs-on: x, permissions: write-all, ${steps}}`),
  })
  await comesTo(
    run,
    'a (1) in_progress, a (2) in_progress, a (1) / b in_progress, a (1) / c requested, a (2) / b in_progress, a (2) / c requested, a (1) / b / d queued, a (2) / b / d queued',
  )
  const rights = await pool<{ permissions: Record<string, string> }[]>`
    select permissions from forge.action_job where run_id = ${run} and key like '%/d'`
  for (const { permissions } of rights) {
    assert.equal(permissions.contents, 'read')
    assert.equal(permissions.issues, 'none')
  }
  const task = await endWith()
  assert.equal(task.secrets.OTHER, 'the other')
  for (const _ of [2, 3, 4]) await endWith()
  assert.equal((await look(run)).status, 'success')
})

test('workflows of another repository: at a branch that moves, and only if jobs may read it', async () => {
  const lib = (name: string) => libOf(`  d: {name: ${name}, runs-on: x, ${steps}}`)
  await shared.push({ '.gitea/workflows/lib.yml': lib('first') })
  await shared.git('tag', 'v1')
  await shared.git('push', '-q', 'origin', 'v1')
  const away = 'uses: bob/shared/.gitea/workflows/lib.yml@'
  const run = await start({
    'main.yml': mainOf(`
  a: {runs-on: x, ${steps}}
  b: {needs: a, ${away}main}
  c: {needs: a, ${away}v1}
  d: {${away}v9}
  e: {uses: bob/missing/.gitea/workflows/lib.yml@main}`),
  })
  await shared.push({ '.gitea/workflows/lib.yml': lib('second') })
  await endWith()
  await comesTo(
    run,
    'a success, b in_progress, c in_progress, d failure, e failure, b / first queued, c / first queued',
  )
  assert.match(await messageOf(run, 'd'), /no branch, tag or commit "v9"/)
  const absent = await messageOf(run, 'e')
  assert.match(absent, /there is no repository bob\/missing that jobs may read/)
  for (const _ of [1, 2]) await endWith()
  await call('PATCH /api/v1/repos/{owner}/{repo}', {
    as: bob,
    params: { owner: 'bob', repo: 'shared' },
    body: { private: true },
  })
  const refused = await start({ 'main.yml': mainOf(`  a: {${away}main}`) })
  assert.equal(await messageOf(refused, 'a'), absent.replace('missing', 'shared'))
})

const faults: readonly (readonly [what: string, lib: string, more: string, sentence: RegExp])[] = [
  ['no workflow_call', `on: push\njobs: {d: {runs-on: y, ${steps}}}`, '', /has no "workflow_call"/],
  ['itself', libOf(`  d: {${use}}`), '', /calls itself/],
  [
    'a missing input',
    libOf(`  d: {${steps}}`, '    inputs: {v: {type: string, required: true}}'),
    '',
    /input "v" is required/,
  ],
  [
    'another type',
    libOf(`  d: {${steps}}`, '    inputs: {v: {type: boolean}}'),
    ', with: {v: "true"}',
    /input "v" must be a boolean/,
  ],
  ['no type', libOf(`  d: {${steps}}`, '    inputs: {v: {}}'), '', /input "v" must have the type/],
  ['a list', libOf(`  d: {${steps}}`), ', with: {v: [1]}', /input "v" must be a string/],
  [
    'a missing secret',
    libOf(`  d: {${steps}}`, '    secrets: {k: {required: true}}'),
    '',
    /secret "k"i? is required/i,
  ],
  [
    'an unknown secret',
    libOf(`  d: {${steps}}`),
    ', secrets: {k: "${{ secrets.K }}"}',
    /does not declare the secret "k"/,
  ],
  [
    'a secret in clear',
    libOf(`  d: {${steps}}`, '    secrets: {k: {}}'),
    ', secrets: {k: abc}',
    /must be written as/,
  ],
  ['no YAML', '[', '', /not valid YAML/],
  [
    '1,001 outputs',
    libOf(
      `  d: {${steps}}`,
      `    outputs:\n${Array.from({ length: 1001 }, (_, at) => `      o${at}: {value: x}`).join('\n')}`,
    ),
    '',
    /more than 1000 entries/,
  ],
  [
    'too many jobs',
    libOf(`  d: {strategy: {matrix: {v: [${Array.from({ length: 256 }, (_, at) => at)}]}}, ${steps}}`),
    '',
    /more than 256 jobs/,
  ],
]

for (const [what, lib, more, sentence] of faults) {
  test(`a call of a workflow with ${what} fails its job alone`, async () => {
    const run = await start({
      'main.yml': mainOf(`  a: {${use}${more}}\n  b: {runs-on: z, ${steps}}`),
      'lib.yml': lib,
    })
    await until('the call has ended', async () =>
      /^a (failure|in_progress.*d failure)/.test(await states(run)),
    )
    const message = (await messageOf(run, 'a')) || (await messageOf(run, '1/%'))
    assert.match(message, sentence)
    assert.match(await states(run), /b queued/)
  })
}

test('uses must name a workflow file of this server', async () => {
  const uses = [
    './lib.yml',
    'https://example.org/a/b/.gitea/workflows/l.yml@v1',
    'a/b/.gitea/workflows/../x.yml@v1',
    './.gitea/workflows/lib.yml@v1',
    'x',
  ]
  const jobs = uses.map((each, at) => `  j${at}: {uses: "${each}"}`).join('\n')
  const run = await start({ 'main.yml': mainOf(jobs) })
  assert.equal(await states(run), uses.map((_, at) => `j${at} failure`).join(', '))
  assert.match(await messageOf(run, 'j0'), /a job can use \.\/\.gitea\/workflows\/FILE\.yml/)
  const missing = await start({ 'main.yml': mainOf(`  a: {${use}}`) })
  assert.match(await messageOf(missing, 'a'), /there is no file/)
})

test('workflows call each other at most nine levels deep', async () => {
  const files = Array.from({ length: 11 }, (_, at): [string, string] => [
    `l${at}.yml`,
    libOf(`  j: {uses: ./.gitea/workflows/l${at + 1}.yml}`),
  ])
  const run = await start({
    'main.yml': mainOf('  j: {uses: ./.gitea/workflows/l0.yml}'),
    ...Object.fromEntries(files),
  })
  await until('the run has failed', async () => (await look(run)).status === 'failure')
  assert.match(await messageOf(run, '%/j'), /more than 9 levels deep/)
})

test(`${RERUN} calls a workflow again; ${FAILED} runs only its failed jobs again`, async () => {
  const run = await start({
    'main.yml': mainOf(`  a: {${use}}\n  b: {needs: a, runs-on: x, ${steps}}`),
    'lib.yml': libOf(`  d: {runs-on: x, ${steps}}\n  e: {needs: d, runs-on: x, ${steps}}`),
  })
  await comesTo(run, 'a in_progress, b requested, a / d queued, a / e requested')
  await endWith()
  await endWith({}, failure)
  assert.equal(await states(run), 'a failure, b skipped, a / d success, a / e failure')
  assert.equal((await look(run)).status, 'failure')
  assert.equal((await call(FAILED, onRun(run))).status, 201)
  assert.equal(await states(run), 'a in_progress, b requested, a / d success, a / e queued')
  await endWith()
  await endWith()
  assert.equal((await look(run)).status, 'success')
  assert.equal((await call(RERUN, onRun(run))).status, 201)
  await comesTo(run, 'a in_progress, b requested, a / d queued, a / e requested')
  assert.equal((await call(CANCEL, onRun(run))).status, 200)
  assert.equal(await states(run), 'a cancelled, b cancelled, a / d cancelled, a / e cancelled')
})

test('a call whose condition does not hold is skipped; a failure stops the other calls of a matrix', async () => {
  const run = await start({
    'main.yml': mainOf(`
  a: {if: "github.ref_name == 'other'", ${use}}
  b: {${use}, strategy: {matrix: {v: [1, 2]}}}`),
    'lib.yml': libOf(`  d: {runs-on: x, ${steps}}`),
  })
  await comesTo(run, 'a skipped, b (1) in_progress, b (2) in_progress, b (1) / d queued, b (2) / d queued')
  await endWith({}, failure)
  assert.equal(
    await states(run),
    'a skipped, b (1) failure, b (2) cancelled, b (1) / d failure, b (2) / d cancelled',
  )
  assert.equal((await look(run)).status, 'failure')
})

test('a called workflow gives 1,000 outputs, and one that cannot be evaluated fails the call', async () => {
  const many = Array.from(
    { length: 1000 },
    (_, at) => `      o${at}: {value: "\${{ jobs.d.outputs.v }} ${at}"}`,
  )
  const lib = (outputs: string) =>
    libOf(`  d: {runs-on: x, outputs: {v: x}, ${steps}}`, `    outputs:\n${outputs}`)
  const run = await start({
    'main.yml': mainOf(`  a: {${use}}\n  b: {needs: a, runs-on: x, ${steps}}`),
    'lib.yml': lib(many.join('\n')),
  })
  await comesTo(run, 'a in_progress, b requested, a / d queued')
  await endWith({ v: 'of' })
  const { needs } = await endWith()
  assert.equal(Object.keys(needs.a?.outputs ?? {}).length, 1000)
  assert.equal(needs.a?.outputs.o999, 'of 999')
  const faulty = await start({
    'main.yml': mainOf(`  a: {${use}}`),
    'lib.yml': lib('      o: {value: "${{ fromJSON(jobs.d.outputs.v) }}"}'),
  })
  await comesTo(faulty, 'a in_progress, a / d queued')
  await endWith({ v: '{' })
  assert.equal(await states(faulty), 'a failure, a / d success')
  assert.match(await messageOf(faulty, 'a'), /cannot be evaluated/)
})
