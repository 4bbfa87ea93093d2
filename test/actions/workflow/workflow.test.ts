import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attempt } from '../../../src/actions/workflow/fault.ts'
import { resolveInputs } from '../../../src/actions/workflow/inputs.ts'
import { allPermissions, readPermissions } from '../../../src/actions/workflow/permissions.ts'
import { type EventInput, type Examined, handleRequest } from '../../../src/actions/workflow/request.ts'
import { openWorkflow } from '../../../src/actions/workflow/workflow.ts'
import { readTree } from '../../../src/actions/workflow/yaml.ts'

const job = 'jobs: {a: {runs-on: x, steps: [{run: echo}]}}'
const pushOf = (ref = 'refs/heads/main', changed: readonly string[] = []): EventInput => ({
  event: 'push',
  ref,
  changed,
})

function examine(source: string, happening: EventInput = pushOf()): Examined {
  const outcome = handleRequest({ kind: 'examine', source, input: happening })
  assert.ok(outcome.kind === 'examined')
  return outcome.examined
}

const starts: readonly (readonly [string, EventInput, boolean])[] = [
  ['on: push', pushOf(), true],
  ['on: [pull_request, push]', pushOf(), true],
  ['on: {push: }', pushOf(), true],
  ['on: {push: {branches: main}}', pushOf(), true],
  ['on: {push: {branches: [dev]}}', pushOf(), false],
  ['on: {push: {branches: [1.10]}}', pushOf('refs/heads/1.10'), true],
  ['on: {push: {tags: [v*]}}', pushOf(), false],
  ['on: {push: {paths: [a/**]}}', pushOf('refs/heads/main', ['a/b']), true],
  ['on: {push: {paths: [a/**]}}', pushOf('refs/heads/main', ['b']), false],
  ['on: {push: {branch: main}}', pushOf(), false],
  ['on: pull_request', pushOf(), false],
  ['on: workflow_dispatch', pushOf(), false],
  ['on: workflow_dispatch', { event: 'workflow_dispatch' }, true],
  ['on: {workflow_dispatch: {inputs: {a: }}}', { event: 'workflow_dispatch' }, true],
  ['on: push', { event: 'workflow_dispatch' }, false],
  ['on: [create]', { event: 'create' }, true],
  ['on: [delete]', { event: 'delete' }, true],
  ['on: [delete]', { event: 'create' }, false],
  ['on: release', { event: 'release', action: 'published' }, true],
  ['on: [release]', { event: 'release', action: 'updated' }, true],
  ['on: issues', { event: 'issues', action: 'opened' }, true],
  ['on: issues', { event: 'issue_comment', action: 'created' }, false],
  ['on: {issues: {types: [opened]}}', { event: 'issues', action: 'closed' }, false],
  ['on: {issues: {types: [labeled]}}', { event: 'issues', action: 'label_updated' }, true],
  ['on: {issues: {types: [label_updated]}}', { event: 'issues', action: 'label_updated' }, false],
  ['on: {issues: {types: [unlabeled]}}', { event: 'issues', action: 'label_cleared' }, true],
  ['on: {issues: {types: [opened], branches: [main]}}', { event: 'issues', action: 'opened' }, false],
  ['on: {issue_comment: {types: [created]}}', { event: 'issue_comment', action: 'created' }, true],
  ['on: {issue_comment: {types: [created]}}', { event: 'issue_comment', action: 'edited' }, false],
  ['on: push', { event: 'release', action: 'published' }, false],
  ['on: {release: {types: [published]}}', { event: 'release', action: 'published' }, true],
  ['on: {release: {types: published}}', { event: 'release', action: 'updated' }, false],
  ['on: {release: {types: [edited]}}', { event: 'release', action: 'updated' }, true],
  ['on: {release: {types: [deleted, updated]}}', { event: 'release', action: 'updated' }, true],
  ['on: {release: {types: ["pub*"]}}', { event: 'release', action: 'published' }, true],
  ['on: {release: {types: ["[" ]}}', { event: 'release', action: 'published' }, false],
  ['on: {release: {types: []}}', { event: 'release', action: 'published' }, false],
  ['on: {release: {branches: [main]}}', { event: 'release', action: 'published' }, false],
  ['on: {schedule: [{cron: "* * * * *"}]}', { event: 'schedule' }, true],
  ['on: {schedule: [{cron: "* * * * *"}], push: }', pushOf(), true],
]

for (const [on, happening, expected] of starts) {
  const what = happening.event === 'push' ? `a push to ${happening.ref}` : happening.event
  test(`${on} is ${expected ? '' : 'not '}started by ${what}`, () => {
    const examined = examine(`${on}\n${job}`, happening)
    assert.equal(examined.starts, expected)
    assert.equal(examined.fault, undefined)
  })
}

test('examining a file returns its name, its cron lines, its inputs, and events that start nothing', () => {
  const source = `
    name: Build
    on:
      issues:
      fork:
      schedule: [{cron: "0 4 * * *"}, {cron: '@daily'}]
      workflow_dispatch:
        inputs: {level: {default: 1.10, required: true, type: choice, options: [1.10, high, {}]}, "name": , b: {type: boolean, default: True, description: B, options: [no]}, n: {type: number, description: [], required: x, options: x}}
    ${job}`.replaceAll('\n    ', '\n')
  const none = { description: '', isRequired: false, options: [] }
  assert.deepEqual(examine(source), {
    name: 'Build',
    starts: false,
    schedule: ['0 4 * * *', '@daily'],
    dispatch: [
      {
        ...{ name: 'level', type: 'string', default: '1.10' },
        ...none,
        isRequired: true,
        options: ['1.10', 'high'],
      },
      { name: 'name', type: 'string', default: '', ...none },
      { ...{ name: 'b', type: 'boolean', default: 'true' }, ...none, description: 'B' },
      { name: 'n', type: 'number', default: '', ...none },
    ],
    ignored: ['fork'],
    listens: ['issues'],
    calls: [],
    fault: undefined,
  })
})

test('undeclared inputs are dropped, and missing ones get their default', () => {
  const specs = [
    { name: 'a', type: 'string', default: 'one' },
    { name: 'b', type: 'string', default: '' },
    { name: '__proto__', type: 'string', default: 'mine' },
  ] as const
  const taken = resolveInputs(specs, { a: 'given', c: 'stranger' })
  assert.deepEqual(Object.entries(taken), [
    ['a', 'given'],
    ['b', ''],
    ['__proto__', 'mine'],
  ])
})

const steps = 'steps: [{run: echo}]'
const broken: readonly (readonly [string, RegExp])[] = [
  ['', /the file is empty/],
  ['a', /a workflow must be a mapping/],
  ['- a', /a workflow must be a mapping/],
  [job, /"on" is missing/],
  [`on:\n${job}`, /"on" is missing/],
  [`on: [[push]]\n${job}`, /each entry of "on" must be a string/],
  [`on: {push: {branches: {a: b}}}\n${job}`, /"on.push.branches" must be a list/],
  [`on: {push: , schedule: [x]}\n${job}`, /each entry of "on.schedule" must be a mapping/],
  [`on: {push: , schedule: [${'{cron: "* * * * *"},'.repeat(21)}]}\n${job}`, /more than 20 entries/],
  [`concurrency: ${'g'.repeat(21_001)}\non: push\n${job}`, /"concurrency" is too long/],
  ['on: push', /there are no jobs/],
  ['on: push\njobs:', /there are no jobs/],
  ['on: push\njobs: {}', /there are no jobs/],
  ['on: push\njobs: []', /"jobs" must be a mapping/],
  ['on: push\njobs: {a: }', /job "a" is empty/],
  ['on: push\njobs: {a: b}', /job "a" must be a mapping/],
  ['on: push\njobs: {a: {runs-on: x}}', /job "a" has neither "steps" nor "uses"/],
  ['on: push\njobs: {a: {steps: []}}', /job "a" has no steps/],
  ['on: push\njobs: {a: {steps: [~]}}', /job "a" has no steps/],
  ['on: push\njobs: {a: {steps: {}}}', /"steps" of job "a" must be a list/],
  ['on: push\njobs: {a: {steps: [echo]}}', /each step of job "a" must be a mapping/],
  ['on: push\njobs: {a: {steps: [{name: x}]}}', /neither "run" nor "uses"/],
  [`on: push\njobs: {a b: {${steps}}}`, /"a b" cannot be the name of a job/],
  [`on: push\njobs: {__proto__: {needs: x, ${steps}}}`, /"__proto__" needs job "x", which does not exist/],
  [`on: push\njobs: {a: {${steps}}, A: {${steps}}}`, /two jobs are called "A"/],
  [`on: push\njobs: {a: {needs: b, ${steps}}}`, /job "a" needs job "b", which does not exist/],
  [`on: push\njobs: {a: {needs: a, ${steps}}}`, /"a" waits for itself/],
  [
    `on: push\njobs: {c: {${steps}}, a: {needs: [b, c], ${steps}}, b: {needs: a, ${steps}}}`,
    /waits for itself/,
  ],
  [`on: push\njobs: {a: {needs: {b: c}, ${steps}}}`, /"needs" of job "a" must be a list/],
  [`on: push\nconcurrency: {cancel-in-progress: true}\n${job}`, /"concurrency" has no "group"/],
  [`on: push\npermissions: all\n${job}`, /neither "read-all" nor "write-all"/],
  [`on: push\npermissions: {contents: admin}\n${job}`, /is not "none", "read" or "write"/],
  [`on: push\nname: [a]\n${job}`, /the workflow: "name" must be a string/],
  [`on: push\njobs: {${manyJobs(257)}}`, /more than 256 jobs/],
]

function manyJobs(count: number): string {
  return Array.from({ length: count }, (_, at) => `j${at}: {${steps}}`).join(', ')
}

for (const [source, sentence] of broken) {
  test(`${JSON.stringify(source.slice(0, 70))} starts with a push and cannot run: ${sentence.source}`, () => {
    const examined = examine(source)
    assert.match(examined.fault ?? '', sentence)
    assert.equal(examined.starts, true)
  })
}

test('a file that cannot be read starts with pushes only', () => {
  assert.equal(examine('on: [', { event: 'schedule' }).starts, false)
  assert.equal(examine('on: [', { event: 'create' }).starts, false)
})

test('a chain of needs of the maximum length is no cycle', () => {
  const chain = Array.from(
    { length: 256 },
    (_, at) => `j${at}: {${at > 0 ? `needs: j${at - 1}, ` : ''}${steps}}`,
  )
  assert.equal(examine(`on: push\njobs: {${chain.reverse().join(', ')}}`).fault, undefined)
})

test('permissions are all, some, or not specified', () => {
  const read = (source: string) => readPermissions(readTree(source))
  assert.deepEqual(read('read-all'), allPermissions('read'))
  assert.deepEqual(read('write-all'), allPermissions('write'))
  assert.deepEqual(read('{}'), allPermissions('none'))
  assert.equal(read(''), undefined)
  const some = read('{issues: read, id-token: write, statuses: write}')
  assert.deepEqual(some, { ...allPermissions('none'), issues: 'read', statuses: 'write' })
})

test('contents are code and releases, unless the file names these as well', () => {
  for (const [source, contents, releases] of [
    ['{contents: write}', 'write', 'write'],
    ['{contents: read}', 'read', 'read'],
    ['{contents: none}', 'none', 'none'],
    ['{contents: write, releases: read}', 'write', 'read'],
    ['{contents: write, releases: none}', 'write', 'none'],
    ['{contents: write, releases: }', 'write', 'none'],
    ['{contents: write, code: read}', 'read', 'write'],
    ['{contents: read, code: none, releases: write}', 'none', 'write'],
    ['{code: write}', 'write', 'none'],
    ['{releases: write}', 'none', 'write'],
    ['{issues: write}', 'none', 'none'],
  ] as const) {
    const permissions = readPermissions(readTree(source))
    assert.deepEqual([source, permissions?.contents, permissions?.releases], [source, contents, releases])
  }
})

test('a byte order mark is no part of a file', () => {
  assert.ok(attempt(() => openWorkflow(`\uFEFFon: push\n${job}`)).ok)
})
