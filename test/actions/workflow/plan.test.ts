import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parse } from 'yaml'
import { attempt } from '../../../src/actions/workflow/fault.ts'
import { expandMatrix, printCombination } from '../../../src/actions/workflow/matrix.ts'
import type { Plan } from '../../../src/actions/workflow/plan.ts'
import type { PlannedJob } from '../../../src/actions/workflow/planned-job.ts'
import { handleRequest } from '../../../src/actions/workflow/request.ts'
import { namesOf } from '../../../src/actions/workflow/values.ts'
import { readTree } from '../../../src/actions/workflow/yaml.ts'

const contexts = {
  github: { ref: 'refs/heads/main', run_number: '7', event: { head_commit: { message: 'a message' } } },
  inputs: { level: 'high' },
  vars: { MINUTES: '7', LABEL: 'big', LIST: '["x", "y"]' },
}

function plan(source: string): Plan {
  const outcome = handleRequest({ kind: 'plan', source, contexts })
  assert.ok(outcome.kind === 'planned', JSON.stringify(outcome))
  return outcome.plan
}

/** The jobs of a plan that can run. */
const runnable = ({ jobs }: Pick<Plan, 'jobs'>) =>
  jobs.filter((job): job is PlannedJob => job.payload !== undefined)

function oneJob(body: string): PlannedJob {
  const [job] = runnable(
    plan(`on: push\njobs:\n  a:\n    steps: [{run: echo}]\n${body.replace(/^/gm, '    ')}`),
  )
  assert.ok(job)
  return job
}

test('a run has the number of its title, its group and its jobs in the order of the file', () => {
  const made = plan(`
name: Build
run-name: Build \${{ github.run_number }} of \${{ gitea.ref }}
on: push
concurrency: {group: "g-\${{ inputs.level }}", cancel-in-progress: "\${{ github.ref == 'refs/heads/main' }}"}
jobs:
  second: {needs: first, if: always(), steps: [{run: echo}]}
  first: {steps: [{run: echo}]}`)
  assert.equal(made.name, 'Build')
  assert.equal(made.title, 'Build 7 of refs/heads/main')
  assert.deepEqual(made.concurrency, { group: 'g-high', cancel: true })
  assert.deepEqual(
    runnable(made).map(({ key, needs, condition }) => ({ key, needs, condition })),
    [
      { key: 'second', needs: ['first'], condition: 'always()' },
      { key: 'first', needs: [], condition: '' },
    ],
  )
})

const labels: readonly (readonly [string, readonly string[]])[] = [
  ['', []],
  ['runs-on: linux', ['linux']],
  ['runs-on: [linux, 1.10]', ['linux', '1.10']],
  ['runs-on: {group: g, labels: [a, b]}', ['g', 'a', 'b']],
  ['runs-on: {labels: a}', ['a']],
  ['runs-on: ${{ vars.LABEL }}', ['big']],
  ['runs-on: ["${{ vars.LABEL }}-${{ inputs.level }}"]', ['big-high']],
  ['runs-on: ${{ fromJSON(vars.LIST) }}', ['x', 'y']],
]

for (const [body, expected] of labels) {
  test(`${body || 'no runs-on'} asks for ${JSON.stringify(expected)}`, () => {
    const job = oneJob(body)
    assert.deepEqual(job.labels, expected)
    const written: unknown = parse(job.payload).jobs.a['runs-on']
    assert.deepEqual(
      written,
      expected.length === 0 ? undefined : expected.length === 1 ? expected[0] : expected,
    )
  })
}

const names: readonly (readonly [string, readonly string[]])[] = [
  ['', ['a']],
  ['name: My job', ['My job']],
  ['name: "  "', ['a']],
  ['name: Level ${{ inputs.level }}', ['Level high']],
  ['strategy: {matrix: {v: [1.10, 2]}}', ['a (1.1)', 'a (2)']],
  ['strategy: {matrix: {v: ["3.10", 3.10, 1.0]}}', ['a (1)', 'a (3.1)', 'a (3.10)']],
  [
    'strategy: {matrix: {v: [010, -010, 0o10, 1_000, 0b11, 0x1F, +5, 08]}}',
    ['a (-8)', 'a (1000)', 'a (3)', 'a (31)', 'a (5)', 'a (8)', 'a (8)', 'a (8)'],
  ],
  [
    'strategy: {matrix: {v: [1e3, 1e21, 0.00001, .inf, 12345678901234567890]}}',
    ['a (+Inf)', 'a (1000)', 'a (12345678901234567890)', 'a (1e+21)', 'a (1e-05)'],
  ],
  [
    'strategy: {matrix: {v: [1_0x, "1_0", _1, 0x, 1__0.5, !!str 010, True, null]}}',
    ['a (010)', 'a (0x)', 'a (10.5)', 'a (1_0)', 'a (1_0x)', 'a (<nil>)', 'a (_1)', 'a (true)'],
  ],
  ['strategy: {matrix: {os: [linux], go: [1.20], "B": [x]}}', ['a (x, 1.2, linux)']],
  ['name: V ${{ matrix.v == 8 }}\nstrategy: {matrix: {v: [010]}}', ['V true']],
  ['name: J\nstrategy: {matrix: {v: [b, a], w: [x]}}', ['J (a, x)', 'J (b, x)']],
  ['name: J ${{ matrix.v }}\nstrategy: {matrix: {v: [b, a]}}', ['J a', 'J b']],
  [
    'name: J ${{ strategy.job-index }}/${{ strategy.job-total }}\nstrategy: {matrix: {v: [b, a]}}',
    ['J 0/2', 'J 1/2'],
  ],
  ['strategy: {matrix: {v: [{x: 1, b: 2}, [2, 3]]}}', ['a ([2 3])', 'a (map[b:2 x:1])']],
  ['strategy: {matrix: "${{ fromJSON(\'{\\"v\\": [1, 2]}\') }}"}', ['a (1)', 'a (2)']],
  ['strategy: {matrix: {v: "${{ fromJSON(vars.LIST) }}"}}', ['a (x)', 'a (y)']],
  ['strategy: {matrix: {v: ["${{ vars.LABEL }}"]}}', ['a (big)']],
]

for (const [body, expected] of names) {
  test(`${body || 'nothing'} gives jobs called ${expected.join(' and ')}`, () => {
    const { jobs } = plan(`on: push\njobs:\n  a:\n    steps: [{run: echo}]\n${body.replace(/^/gm, '    ')}`)
    assert.deepEqual(
      jobs.map(({ name, fault }) => fault ?? name),
      expected,
    )
  })
}

const faults: readonly (readonly [string, RegExp])[] = [
  ['if: "${{ success( }}"', /cannot be evaluated/],
  ['if: nonsense here', /cannot be evaluated/],
  ['name: ${{ needs.b.result }}', /job "a" uses "needs", but it needs no job/],
  ['runs-on: ${{ needs.b.outputs.x }}', /job "a" uses "needs", but it needs no job/],
  ['runs-on: ${{ vars.NOTHING }}', /"runs-on" has an empty label/],
  ['runs-on: [{a: b}]', /must be a label or a list of labels/],
  ['strategy: {matrix: {v: "${{ fromJSON(needs.b.outputs.x) }}"}}', /uses "needs", but it needs no job/],
  ['strategy: {matrix: {v: []}}', /"strategy.matrix.v" is empty/],
  ['strategy: {matrix: {v: x}}', /"strategy.matrix.v" must be a list/],
  ['strategy: {matrix: {v: [1], exclude: [{w: 1}]}}', /exclude" names "w"/],
  ['strategy: {matrix: {v: [1], exclude: [{v: 1}]}}', /no combination/],
  [`strategy: {matrix: {v: [${'1,'.repeat(257)}]}}`, /more than 256 combinations/],
  [
    `strategy: {matrix: {${'abcdefghij'.replace(/./g, '$&: [1,2,3,4,5,6,7,8,9],')}}}`,
    /more than 256 combinations/,
  ],
  ['strategy: [x]', /"strategy" of job "a" must be a mapping/],
  ['continue-on-error: ${{ fromJSON(1 }}', /cannot be evaluated/],
  ['concurrency: {cancel-in-progress: true}', /"concurrency" has no "group"/],
]

for (const [body, sentence] of faults) {
  test(`${body.slice(0, 60)} makes its job fail, and no other: ${sentence.source}`, () => {
    const source = `on: push\njobs:\n  b: {steps: [{run: echo}]}\n  a:\n    steps: [{run: echo}]\n${body.replace(/^/gm, '    ')}`
    const [good, bad, ...more] = plan(source).jobs
    assert.equal(good?.fault, undefined)
    assert.match(bad?.fault ?? '', sentence)
    assert.equal(bad?.name, 'a')
    assert.deepEqual(more, [])
  })
}

test('a job whose matrix, name or labels depend on other jobs is planned after them', () => {
  const list = '"${{ fromJSON(needs.b.outputs.list) }}"'
  const source = `
name: Deferred
run-name: Of \${{ github.event.head_commit.message }}
on: push
permissions: {contents: read}
jobs:
  b: {steps: [{run: echo}]}
  a:
    needs: b
    if: always()
    name: On \${{ matrix.v }} for \${{ needs.b.result }}
    runs-on: "\${{ needs.b.outputs.label }}"
    strategy: {matrix: {v: ${list}}, fail-fast: false, max-parallel: 1}
    concurrency: "g-\${{ needs.b.outputs.label }}"
    timeout-minutes: "\${{ vars.MINUTES }}"
    steps: [{run: "echo \${{ needs.b.outputs.list }}"}]`
  const [, deferred] = plan(source).jobs
  assert.ok(deferred?.expansion !== undefined)
  const { expansion, ...rest } = deferred
  assert.deepEqual(rest, { key: 'a', name: 'a', needs: ['b'], condition: 'always()' })
  const expand = (outputs: Record<string, string>, commit = 'a message') => {
    const github = { event: { head_commit: { message: commit } } }
    const needs = { b: { result: 'success', outputs } }
    const outcome = handleRequest({
      kind: 'expand',
      source: expansion,
      contexts: { ...contexts, github, needs },
    })
    assert.ok(outcome.kind === 'expanded', JSON.stringify(outcome))
    return outcome.jobs
  }
  const made = runnable({ jobs: expand({ list: '[2, 10]', label: 'big' }) })
  const shown = made.map((job) => [job.name, job.labels, job.concurrency?.group])
  assert.deepEqual(shown, [
    ['On 10 for success', ['big'], 'g-big'],
    ['On 2 for success', ['big'], 'g-big'],
  ])
  const [first] = made
  assert.ok(first)
  assert.deepEqual(first.permissions?.contents, 'read')
  assert.equal(first.maxParallel, 1)
  const written = parse(first.payload)
  assert.equal(written['run-name'], 'Of a message')
  assert.deepEqual(written.jobs.a.strategy.matrix, { v: [10] })
  assert.deepEqual(written.jobs.a.steps, [{ run: 'echo ${{ needs.b.outputs.list }}' }])
  for (const [outputs, sentence] of [
    [{ label: 'big' }, /cannot be evaluated/],
    [{ label: 'big', list: '[]' }, /"strategy.matrix.v" is empty/],
    [{ label: 'big', list: '{}' }, /"strategy.matrix.v" must be a list/],
    [{ list: '[1]' }, /"runs-on" has an empty label/],
    [
      { label: 'big', list: JSON.stringify(Array.from({ length: 257 }, (_, at) => at)) },
      /more than 256 combinations/,
    ],
  ] as const) {
    const [failed, ...more] = expand(outputs)
    assert.match(failed?.fault ?? '', sentence)
    assert.deepEqual(more, [])
  }
})

test('a job that uses no workflow file fails alone', () => {
  const [job] = plan('on: push\njobs: {a: {uses: ./x.yml}}').jobs
  assert.match(job?.fault ?? '', /a job can use \.\/\.gitea\/workflows\/FILE\.yml/)
})

test('more than 256 jobs of several matrices are a fault of the file', () => {
  const matrix = `{strategy: {matrix: {v: [${Array.from({ length: 200 }, (_, at) => at)}]}}, steps: [{run: echo}]}`
  const outcome = handleRequest({
    kind: 'plan',
    source: `on: push\njobs: {a: ${matrix}, b: ${matrix}}`,
    contexts,
  })
  assert.deepEqual(outcome, { kind: 'fault', fault: 'there are more than 256 jobs' })
})

test('a run whose payloads are too large together is a fault of the file', () => {
  const run = 'x'.repeat(200_000)
  const matrix = `{strategy: {matrix: {v: [${Array.from({ length: 200 }, (_, at) => at)}]}}, steps: [{run: ${run}}]}`
  const outcome = handleRequest({ kind: 'plan', source: `on: push\njobs: {a: ${matrix}}`, contexts })
  assert.deepEqual(outcome, { kind: 'fault', fault: 'all jobs together are too large' })
})

test('a group that depends on other jobs is evaluated after them', () => {
  const [, job] = runnable(
    plan(
      'on: push\njobs: {b: {steps: [{run: x}]}, a: {needs: b, concurrency: "g-${{ needs.b.outputs.x }}", steps: [{run: x}]}}',
    ),
  )
  assert.equal(job?.concurrency, undefined)
  assert.deepEqual(job?.deferredConcurrency, { group: 'g-${{ needs.b.outputs.x }}', cancel: 'false' })
  const own = oneJob('concurrency: {group: "g-${{ github.ref }}", cancel-in-progress: true}')
  assert.deepEqual(own.concurrency, { group: 'g-refs/heads/main', cancel: true })
})

test('steps without a name get one from their action or their command', () => {
  const job = oneJob('')
  assert.deepEqual(job.steps, ['Run echo'])
  const [named] = runnable(
    plan(`on: push
jobs:
  a:
    steps:
      - name: The name
        run: echo
      - run: |

          first line
          second
      -
      - uses: actions/checkout@v4`),
  )
  assert.deepEqual(named?.steps, ['The name', 'Run first line', 'Run actions/checkout@v4'])
  assert.equal(parse(named?.payload ?? '').jobs.a.steps.length, 3)
})

test('a payload contains one job, without needs and anchors, with scalars as in the file', () => {
  const [, job] = runnable(
    plan(`
name: Build
run-name: Run \${{ github.run_number }}
on: {push: {branches: [1.10]}}
env: &env {VERSION: 1.10, HEX: 0x10, EMPTY: }
defaults: {run: {shell: bash}}
x-steps: &steps
  - run: echo "\${{ matrix.v }} \${{ secrets.KEY }}"
  - ~
concurrency: g
jobs:
  other: {steps: *steps}
  a:
    needs: [other]
    if: \${{ needs.other.outputs.x }}
    env: {<<: *env, MORE: yes}
    runs-on: [linux]
    continue-on-error: \${{ matrix.v == 1.1 }}
    strategy: {fail-fast: false, matrix: {v: [1.10, 2]}}
    outputs: {out: "\${{ steps.x.outputs.y }}"}
    timeout-minutes: 5
    unknown-key: {deep: [1]}
    steps: *steps`),
  )
  assert.ok(job)
  assert.equal(
    job.payload,
    `name: Build
run-name: "Run 7"
on:
  push:
    branches:
      - 1.10
env:
  VERSION: 1.10
  HEX: 0x10
  EMPTY: null
defaults:
  run:
    shell: bash
jobs:
  a:
    if: "\${{ needs.other.outputs.x }}"
    env:
      MORE: yes
      VERSION: 1.10
      HEX: 0x10
      EMPTY: null
    runs-on: "linux"
    continue-on-error: true
    strategy:
      fail-fast: false
      matrix:
        v:
          - 1.10
    outputs:
      out: "\${{ steps.x.outputs.y }}"
    timeout-minutes: 5
    unknown-key:
      deep:
        - 1
    steps:
      -
        run: "echo \\"\${{ matrix.v }} \${{ secrets.KEY }}\\""
    name: "a (1.1)"
`,
  )
  assert.equal(job.continueOnError, true)
  assert.deepEqual(job.matrix, { v: 1.1 })
  assert.equal(job.timeoutMinutes, 5)
})

const timeouts: readonly (readonly [string, number | undefined])[] = [
  ['', undefined],
  ['timeout-minutes: 30', 30],
  ['timeout-minutes: "30"', 30],
  ['timeout-minutes: 0.5', 1],
  ['timeout-minutes: ${{ vars.MINUTES }}', 7],
  ['timeout-minutes: ${{ fromJSON(vars.MINUTES) }}', 7],
  ['timeout-minutes: ${{ matrix.t }}\nstrategy: {matrix: {t: [9]}}', 9],
  // What cannot be evaluated here, or makes no sense, is left to the runner.
  ['timeout-minutes: 0', undefined],
  ['timeout-minutes: -5', undefined],
  ['timeout-minutes: soon', undefined],
  ['timeout-minutes: null', undefined],
  ['timeout-minutes: [5]', undefined],
  ['timeout-minutes: 1e9', undefined],
  ['timeout-minutes: ${{ env.MINUTES }}', undefined],
  ['timeout-minutes: ${{ broken', undefined],
]
for (const [body, expected] of timeouts) {
  test(`timeout-minutes as the server keeps to it: ${body || 'none'}`, () => {
    assert.equal(oneJob(body).timeoutMinutes, expected)
  })
}

const environments: readonly (readonly [string, object | undefined])[] = [
  ['', undefined],
  ['environment: production', { name: 'production', url: undefined }],
  ['environment: "two\\n lines "', { name: 'two lines', url: undefined }],
  [
    'environment: {name: "${{ inputs.level }}", url: "https://${{ vars.LABEL }}.example/"}',
    { name: 'high', url: 'https://big.example/' },
  ],
  ['environment: ${{ matrix.e }}\nstrategy: {matrix: {e: [test]}}', { name: 'test', url: undefined }],
  // Only the runner knows these.
  ['environment: {name: a, url: "https://x/${{ steps.b.outputs.c }}"}', { name: 'a', url: undefined }],
  ['environment: ${{ env.NAME }}', undefined],
  // The original reads none of it, so that nothing here makes a job fail.
  ['environment: ${{ broken', undefined],
  ['environment: [a]', undefined],
  ['environment: {url: "https://x/"}', undefined],
  ['environment: {name: [a], url: 5}', undefined],
  ['environment: null', undefined],
  [`environment: ${'x'.repeat(3000)}`, undefined],
]
for (const [body, expected] of environments) {
  test(`the environment that is shown: ${body.slice(0, 100) || 'none'}`, () => {
    assert.deepEqual(oneJob(body).environment, expected)
  })
}

/** The combinations of a matrix as they are printed, or what is wrong with it. */
function combinations(matrix: string): string[] | string {
  const expanded = attempt(() => expandMatrix(readTree(matrix), { contexts: namesOf([]) }))
  return expanded.ok ? expanded.value.map(printCombination) : expanded.fault
}

const matrices: readonly (readonly [string, readonly string[]])[] = [
  ['{a: [1, 2], b: [x, y]}', ['1, x', '1, y', '2, x', '2, y']],
  ['{a: [1, 2], b: [x, y], exclude: [{a: 1}]}', ['2, x', '2, y']],
  ['{a: [1, 2], b: [x, y], exclude: [{a: 1, b: y}, {a: 2, b: x}]}', ['1, x', '2, y']],
  ['{a: [1.0, 2], exclude: [{a: 1}]}', ['2']],
  ['{a: ["1", 2], exclude: [{a: 1}]}', ['1', '2']],
  ['{a: [{x: [1]}, 2], exclude: [{a: {x: [1]}}]}', ['2']],
  ['{include: [{a: 1}, {a: 2, b: 3}]}', ['1', '2, 3']],
  ['{a: [1, 2], include: [{a: 1, c: n}]}', ['1, n', '2']],
  ['{a: [1, 2], include: [{c: n}]}', ['1, n', '2, n']],
  ['{a: [1, 2], include: [{a: 3}]}', ['1', '2', '3']],
  ['{a: [1], include: [{c: n}, {c: m}]}', ['1, m']],
  ['{a: [1, 2], include: [{c: n}, {a: 2, c: m}, {a: 9, c: n}]}', ['1, n', '2, m', '9, n']],
  ['{a: [1, 2], exclude: [{a: 1}], include: [{a: 1, b: z}]}', ['1, z', '2']],
  ['{__proto__: [1, 2], constructor: [3]}', ['1, 3', '2, 3']],
]

for (const [matrix, expected] of matrices) {
  test(`matrix ${matrix} has ${expected.join(' · ')}`, () => {
    assert.deepEqual(combinations(matrix), expected)
  })
}

test('a product has every choice once, whatever the lists are', () => {
  const axis = fc.uniqueArray(fc.integer({ min: 0, max: 99 }), { minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(fc.array(axis, { minLength: 1, maxLength: 3 }), (lists) => {
      const matrix = `{${lists.map((values, at) => `k${at}: [${values}]`).join(', ')}}`
      const made = combinations(matrix)
      const count = lists.reduce((product, { length }) => product * length, 1)
      assert.ok(Array.isArray(made))
      assert.equal(new Set(made).size, count)
      assert.equal(made.length, count)
    }),
  )
})
