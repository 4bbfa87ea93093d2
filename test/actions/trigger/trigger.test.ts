import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { parse } from 'yaml'
import { releaseTriggers } from '../../../src/actions/trigger/trigger-store.ts'
import { settled, startForge, startRepository } from '../../support/forge/workflows.ts'

const forge = await startForge()
const { pool } = forge

interface Row {
  number: number
  workflow_file: string
  workflow_name: string
  title: string
  event: string
  ref: string
  commit_sha: string
  status: string
  actor: string | null
  jobs: {
    name: string
    key: string
    status: string
    needs: string[]
    message: string
    payload: string | null
  }[]
}

/** The runs of a repository, oldest first, with the jobs of their newest attempts. */
async function runs(repository: { id: number }): Promise<Row[]> {
  await settled(forge)
  return pool<Row[]>`
    select run.number, workflow_file, workflow_name, title, event, ref, commit_sha, run.status,
      (select name from forge.account where id = actor_id) as actor,
      (select json_agg(json_build_object('name', name, 'key', key, 'status', job.status, 'needs', needs,
          'message', message, 'payload', convert_from(payload, 'UTF8')) order by job.number)
        from forge.action_job as job
        where job.run_id = run.id and job.attempt = run.attempt) as jobs
    from forge.action_run as run
    where repository_id = ${repository.id}
    order by run.number`
}

const simple = (on: string) => `on: ${on}\njobs: {a: {runs-on: x, steps: [{run: echo}]}}`

test('a push of a workflow with needs, a matrix and outputs makes a run with its jobs', async () => {
  const repo = await startRepository(forge, 'first')
  const commit = await repo.push(
    {
      '.gitea/workflows/ci.yml': `
name: CI
on: push
jobs:
  build:
    runs-on: self-hosted
    outputs: {version: "\${{ steps.v.outputs.version }}"}
    steps: [{id: v, run: echo version=1.10 >> $GITHUB_OUTPUT}]
  test:
    needs: build
    runs-on: self-hosted
    strategy: {matrix: {node: [20, 22]}}
    steps: [{run: "echo \${{ needs.build.outputs.version }}"}]
`,
      'README.md': 'hello',
    },
    { message: 'Build it\n\nand test it' },
  )
  const [run, ...more] = await runs(repo)
  assert.deepEqual(more, [])
  assert.ok(run)
  const { jobs, ...rest } = run
  assert.deepEqual(rest, {
    number: 1,
    workflow_file: 'ci.yml',
    workflow_name: 'CI',
    title: 'Build it',
    event: 'push',
    ref: 'refs/heads/main',
    commit_sha: commit,
    status: 'queued',
    actor: 'ada',
  })
  assert.deepEqual(
    jobs.map(({ name, key, status, needs }) => ({ name, key, status, needs })),
    [
      { name: 'build', key: 'build', status: 'queued', needs: [] },
      { name: 'test (20)', key: 'test', status: 'requested', needs: ['build'] },
      { name: 'test (22)', key: 'test', status: 'requested', needs: ['build'] },
    ],
  )
  const payload = parse(jobs[1]?.payload ?? '')
  assert.deepEqual(Object.keys(payload.jobs), ['test'])
  assert.deepEqual(payload.jobs.test.strategy, { matrix: { node: [20] } })
  const [{ event }] = await pool<
    [{ event: { ref: string; after: string; repository: { full_name: string } } }]
  >`
    select payload as event from forge.action_run where repository_id = ${repo.id}`
  assert.equal(event.after, commit)
  assert.equal(event.repository.full_name, 'ada/first')
})

test('branches, tags, creations and deletions start the workflows that name them', async () => {
  const repo = await startRepository(forge, 'events')
  await repo.push({
    '.gitea/workflows/branch.yml': simple('{push: {branches: [main]}}'),
    '.gitea/workflows/tag.yml': simple('{push: {tags: [v*]}}'),
    '.gitea/workflows/create.yml': simple('create'),
    '.gitea/workflows/delete.yaml': simple('delete'),
    '.gitea/workflows/paths.yml': simple('{push: {paths: [docs/**]}}'),
    '.gitea/workflows/notes.txt': simple('push'),
    '.gitea/workflows/deep/er.yml': simple('{push: {branches: [main]}}'),
  })
  const seen = async () =>
    (await runs(repo)).map(({ workflow_file, event, ref }) => `${event} ${ref}: ${workflow_file}`)
  const first = [
    'create refs/heads/main: create.yml',
    'push refs/heads/main: branch.yml',
    'push refs/heads/main: deep/er.yml',
  ]
  assert.deepEqual((await seen()).sort(), first)
  await repo.push({ 'docs/a.md': 'a' }, { branch: 'docs' })
  await repo.git('tag', '-a', 'v1', '-m', 'one')
  await repo.git('push', '-q', 'origin', 'v1')
  await repo.git('push', '-q', 'origin', ':docs')
  const later = (await seen()).slice(first.length)
  assert.deepEqual(later.sort(), [
    'create refs/heads/docs: create.yml',
    'create refs/tags/v1: create.yml',
    'delete refs/heads/main: delete.yaml',
    'push refs/heads/docs: paths.yml',
    // Tags have no paths to be held against.
    'push refs/tags/v1: paths.yml',
    'push refs/tags/v1: tag.yml',
  ])
  const numbers = (await runs(repo)).map(({ number }) => number)
  assert.deepEqual(numbers, [1, 2, 3, 4, 5, 6, 7, 8, 9])
})

test('a trigger claimed by a dead process is evaluated after the next start', async () => {
  const repo = await startRepository(forge, 'taken')
  const commit = await repo.push({ '.gitea/workflows/a.yml': simple('push') })
  assert.equal((await runs(repo)).length, 1)
  const now = forge.clock.now()
  const until = new Date(now.getTime() + 300_000)
  await pool`
    insert into forge.action_trigger
      (repository_id, kind, ref, before, after, by_bot, payload, created_at, due_at, claim)
    values (${repo.id}, 'push', 'refs/heads/main', ${'0'.repeat(40)}, ${commit}, false, '{}', ${now}, ${until},
      ${randomUUID()})`
  await releaseTriggers(pool, now)
  forge.app.workflows.wake()
  assert.equal((await runs(repo)).length, 2)
})

test('paths are those between the two commits of a push', async () => {
  const repo = await startRepository(forge, 'paths')
  await repo.push({ '.gitea/workflows/a.yml': simple('{push: {paths: [src/**]}}'), 'src/a': '1' })
  assert.equal((await runs(repo)).length, 1, 'the first commit of a new branch')
  await repo.push({ 'docs/a': '1' })
  assert.equal((await runs(repo)).length, 1)
  await repo.git('commit', '-q', '--allow-empty', '-m', 'nothing')
  await repo.push({ 'src/b': '1', 'docs/b': '2' })
  assert.equal((await runs(repo)).length, 2)
})

test('.gitea/workflows hides .github/workflows', async () => {
  const repo = await startRepository(forge, 'folders')
  await repo.push({ '.github/workflows/hub.yml': simple('push') })
  await repo.push({ '.gitea/workflows/tea.yml': simple('push') })
  assert.deepEqual(
    (await runs(repo)).map(({ workflow_file }) => workflow_file),
    ['hub.yml', 'tea.yml'],
  )
})

test('a skip mark, an archived repository, disabled Actions and a push by a job start nothing', async () => {
  const repo = await startRepository(forge, 'silent')
  const file = '.gitea/workflows/a.yml'
  for (const mark of ['[skip ci]', '[CI SKIP]', '[no ci]', '[skip actions]', '[actions skip]'])
    await repo.push({ [file]: simple('push') }, { message: `A change\n\n${mark}` })
  await pool`update forge.repository set settings = '{"has_actions": false}' where id = ${repo.id}`
  await repo.push({ 'a.txt': 'a' })
  await settled(forge)
  await pool`update forge.repository set settings = '{}' where id = ${repo.id}`
  await pool`
    insert into forge.action_disabled_workflow (repository_id, workflow_file) values (${repo.id}, 'a.yml')`
  await repo.push({ 'a.txt': 'b' })
  await settled(forge)
  await pool`delete from forge.action_disabled_workflow`
  const head = await repo.git('rev-parse', 'HEAD')
  await pool`
    insert into forge.action_trigger (repository_id, kind, ref, before, after, by_bot, payload, created_at, due_at)
    values (${repo.id}, 'push', 'refs/heads/main', ${'0'.repeat(40)}, ${head}, true, '{}', now(), '2000-01-01')`
  forge.app.workflows.wake()
  assert.equal((await runs(repo)).length, 0)
  await repo.push({ 'a.txt': 'c' })
  assert.equal((await runs(repo)).length, 1, 'it would run otherwise')
})

const broken: readonly (readonly [name: string, source: string, sentence: RegExp])[] = [
  ['invalid YAML', 'on: [push', /the file is not valid YAML/],
  ['no events', 'jobs: {}', /"on" is missing/],
  ['no jobs', 'on: push', /there are no jobs/],
  ['an unknown need', 'on: push\njobs: {a: {needs: b, steps: [{run: x}]}}', /job "a" needs job "b"/],
  ['a cycle', 'on: push\njobs: {a: {needs: a, steps: [{run: x}]}}', /waits for itself/],
  ['exploding aliases', `on: push\n${bomb()}`, /too large when its aliases/],
  ['more than a MiB', `on: push\n# ${'x'.repeat(1024 * 1024)}`, /the file is too large/],
  ['deep nesting', `on: push\nx: ${'['.repeat(50_000)}`, /is nested too deeply/],
  [
    'a strange group',
    'on: push\nconcurrency: "${{ nothing.at.all }}"\njobs: {a: {steps: [{run: x}]}}',
    /cannot be evaluated/,
  ],
]

function bomb(): string {
  const levels = Array.from(
    { length: 30 },
    (_, at) => `l${at + 1}: &l${at + 1} [${Array(10).fill(`*l${at}`).join()}]`,
  )
  return ['l0: &l0 x', ...levels].join('\n')
}

test('files that cannot run make failed runs with the reason', async () => {
  const repo = await startRepository(forge, 'broken')
  const files = broken.map(([, source], at) => [`.gitea/workflows/f${at}.yml`, source] as const)
  await repo.push({ ...Object.fromEntries(files), '.gitea/workflows/good.yml': simple('push') })
  const made = await runs(repo)
  assert.equal(made.length, broken.length + 1)
  for (const [at, [name, , sentence]] of broken.entries()) {
    const run = made.find(({ workflow_file }) => workflow_file === `f${at}.yml`)
    assert.equal(run?.status, 'failure', name)
    const [job, ...more] = run.jobs
    assert.deepEqual(more, [])
    assert.equal(job?.name, `f${at}.yml`)
    assert.match(job.message, sentence, name)
    assert.equal(job.payload, null)
  }
  assert.equal(made.at(-1)?.status, 'queued')
})

test('of more than a hundred files, the first unread one makes a failed run with the reason', async () => {
  const repo = await startRepository(forge, 'crowd')
  const names = Array.from({ length: 103 }, (_, at) => `f${String(at).padStart(3, '0')}.yml`)
  await repo.push(
    Object.fromEntries(names.map((name) => [`.gitea/workflows/${name}`, simple('workflow_dispatch')])),
  )
  const [run, ...more] = await runs(repo)
  assert.deepEqual([run?.workflow_file, run?.status, more.length], ['f100.yml', 'failure', 0])
  assert.match(
    run?.jobs[0]?.message ?? '',
    /reads 100 workflow files of a commit, so not this one and 2 after it/,
  )
  const lines = forge.log.lines().filter(({ message }) => message === 'cannot read a workflow file')
  assert.ok(lines.some(({ level, file }) => level === 'warn' && file === 'f100.yml'))
})

test('a job that cannot run fails, those that need it are skipped, and the others wait for runners', async () => {
  const repo = await startRepository(forge, 'partly')
  const source = `
on: push
jobs:
  reused: {uses: ./other.yml}
  after: {needs: reused, steps: [{run: x}]}
  always: {needs: [reused, after], if: always(), runs-on: x, steps: [{run: x}]}
  asks: {needs: reused, if: "failure() && github.ref_name == 'main' && github.server_url == 'https://forgehall.example'", steps: [{run: x}]}
  broken: {needs: reused, if: "always() && fromJSON('{')", steps: [{run: x}]}
  good: {runs-on: x, steps: [{run: x}]}`
  await repo.push({ '.gitea/workflows/a.yml': source })
  const [run] = await runs(repo)
  const states = Object.fromEntries(run?.jobs.map(({ key, status }) => [key, status]) ?? [])
  assert.deepEqual(states, {
    reused: 'failure',
    after: 'skipped',
    always: 'queued',
    asks: 'queued',
    broken: 'failure',
    good: 'queued',
  })
  assert.match(run?.jobs.find(({ key }) => key === 'broken')?.message ?? '', /cannot be evaluated/)
  assert.equal(run?.status, 'queued')
})

test('a run has a matrix of 256 jobs', async () => {
  const repo = await startRepository(forge, 'large')
  const values = Array.from({ length: 256 }, (_, at) => at).join(', ')
  await repo.push({
    '.gitea/workflows/a.yml': `on: push\njobs: {a: {runs-on: x, strategy: {matrix: {v: [${values}]}}, steps: [{run: x}]}}`,
  })
  const [run] = await runs(repo)
  assert.equal(run?.jobs.length, 256)
  assert.ok(run.jobs.every(({ status }) => status === 'queued'))
})

test('characters that the database cannot store are replaced in names', async () => {
  const repo = await startRepository(forge, 'signs')
  const source = `on: push
run-name: \${{ fromJSON('"a\\u0000b"') }}
jobs:
  a:
    name: "\${{ fromJSON('\\"x\\\\u0000\\\\ud800y\\"') }}"
    runs-on: "\${{ fromJSON('\\"l\\\\u0000\\"') }}"
    strategy: {matrix: {v: ["\${{ fromJSON('\\"m\\\\u0000\\"') }}"]}}
    steps: [{name: "s\\u0000\\ud800", run: "echo '\\u0000'"}]`
  await repo.push({ '.gitea/workflows/a.yml': source })
  const [run] = await runs(repo)
  assert.equal(run?.title, 'a\uFFFDb')
  assert.equal(run.status, 'queued')
  assert.equal(run.jobs[0]?.name, 'x\uFFFD\uFFFDy')
})

test('control characters and line separators reach a runner as valid YAML', async () => {
  const repo = await startRepository(forge, 'unprintable')
  const run = String.raw`"a\x7f\x9b\N\L\P\uFEFF\uFFFE b"`
  await repo.push({ '.gitea/workflows/a.yml': `on: push\njobs: {a: {runs-on: x, steps: [{run: ${run}}]}}` })
  const payload = (await runs(repo))[0]?.jobs[0]?.payload ?? ''
  assert.match(payload, /^[\n\x20-\x7e]+$/)
  assert.equal(parse(payload).jobs.a.steps[0].run, 'a\x7f\x9b\x85\u2028\u2029\uFEFF\uFFFE b')
})
