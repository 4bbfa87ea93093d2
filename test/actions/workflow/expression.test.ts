import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { conditionHolds } from '../../../src/actions/workflow/condition.ts'
import { evaluate } from '../../../src/actions/workflow/expression.ts'
import { attempt } from '../../../src/actions/workflow/fault.ts'
import { evaluateText, splitTemplate } from '../../../src/actions/workflow/template.ts'
import { type Json, namesOf, valueFrom } from '../../../src/actions/workflow/values.ts'

const given: Readonly<Record<string, Json>> = {
  github: { ref: 'refs/heads/main', event: { commits: [{ id: 'a' }, { id: 'b' }] }, constructor: 'c' },
  needs: { build: { result: 'success', outputs: { version: '1.10' } } },
  matrix: { os: 'linux', node: 20, constructor: 'mine', __proto__: null },
  vars: { NAME: 'value' },
}
const contexts = namesOf(Object.entries(given).map(([name, json]) => [name, valueFrom(json)]))
const text = (source: string) => evaluate(source, { contexts }).coerceString()

const rows: readonly (readonly [string, string])[] = [
  ["'a'", 'a'],
  ["'it''s'", "it's"],
  ['1 == 1', 'true'],
  ["'A' == 'a'", 'true'],
  ['github.ref', 'refs/heads/main'],
  ['GitHub.REF', 'refs/heads/main'],
  ["github['ref']", 'refs/heads/main'],
  ['github.constructor', 'c'],
  ['matrix.constructor', 'mine'],
  ['matrix.toString', ''],
  ['matrix.nothing', ''],
  ['inputs.nothing', ''],
  ['secrets.NAME', ''],
  ['needs.build.outputs.version', '1.10'],
  ["join(github.event.commits.*.id, '-')", 'a-b'],
  ["format('{0}/{1}', matrix.os, matrix.node)", 'linux/20'],
  ["contains(github.ref, 'main') && 'yes' || 'no'", 'yes'],
  ["fromJSON('[1,2]')[1]", '2'],
  ["startsWith(github.ref, 'refs/tags/')", 'false'],
  ['!true || matrix.node >= 20', 'true'],
  ["vars.NAME != 'other'", 'true'],
]

for (const [source, expected] of rows) {
  test(`${source} is ${JSON.stringify(expected)}`, () => {
    assert.equal(text(source), expected)
  })
}

const nested = (before: string, inner: string, after: string, times: number) =>
  before.repeat(times) + inner + after.repeat(times)

const hostile: readonly (readonly [name: string, source: string])[] = [
  ['nothing', ''],
  ['blanks', '   '],
  ['an unknown function', 'unknown()'],
  ['what every object has', 'constructor()'],
  ['what every object has, once more', '__proto__()'],
  ['an unknown context', 'process.env'],
  ['an open bracket', '(1'],
  ['two values', '1 2'],
  ['an open string', "'a"],
  ['too few arguments', 'contains(1)'],
  ['broken JSON', "fromJSON('{')"],
  ['a status where there is none', 'success()'],
  ['jobs in always()', "always('build')"],
  ['deep brackets', nested('(', '1', ')', 10_000)],
  ['many exclamation marks', `${'!'.repeat(20_000)}1`],
  ['a long chain', Array(7_000).fill('1').join('==')],
  ['too long', `'${'x'.repeat(21_000)}'`],
  ['deep JSON', `fromJSON('${'['.repeat(10_000)}${']'.repeat(10_000)}')`],
  ['a text that doubles', nested("format('{0}{0}{0}{0}', ", "'x'", ')', 40)],
  ['quotes that double', nested('toJSON(', `'"'`, ')', 45)],
  ['a long glue', `join(fromJSON('[${Array(8_000).fill('1').join(',')}]'), '${'x'.repeat(4_000)}')`],
]

for (const [name, source] of hostile) {
  test(`an expression with ${name} is refused with a sentence`, () => {
    const evaluated = attempt(() => evaluate(source, { contexts }))
    assert.ok(!evaluated.ok)
    assert.ok(evaluated.fault.length < 400)
  })
}

test('every expression is evaluated, or has a fault', () => {
  const words = [
    'github',
    'matrix',
    '.',
    '*',
    '[',
    ']',
    '(',
    ')',
    "'a'",
    '1',
    ',',
    '==',
    '&&',
    '!',
    'format',
    'toJSON',
    ' ',
  ]
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...words), { maxLength: 25 }), (parts) => {
      attempt(() => evaluate(parts.join(''), { contexts }))
    }),
    { numRuns: 2000 },
  )
})

test('a text is cut at its expressions, and strings in them may hold braces', () => {
  assert.deepEqual(splitTemplate("a${{ 'x}}y' }}b${{1}}"), [
    { text: 'a' },
    { source: " 'x}}y' " },
    { text: 'b' },
    { source: '1' },
  ])
  assert.equal(evaluateText("${{ 'x}}y' }}-${{ matrix.os }}", { contexts }), 'x}}y-linux')
  assert.ok(!attempt(() => splitTemplate('${{ 1 }')).ok)
})

interface Status {
  success: boolean
  failure: boolean
  cancelled: boolean
}
const good: Status = { success: true, failure: false, cancelled: false }
const bad: Status = { success: false, failure: true, cancelled: false }
const ended: Status = { success: false, failure: false, cancelled: true }

const conditions: readonly (readonly [string, Status, boolean])[] = [
  ['', good, true],
  ['', bad, false],
  ['  ', good, true],
  ['true', good, true],
  ['true', bad, false],
  ['always()', bad, true],
  ['${{ always() }}', bad, true],
  ['ALWAYS()', ended, true],
  ['failure()', bad, true],
  ['failure()', good, false],
  ['cancelled()', ended, true],
  ["success('build')", good, true],
  ["success('build', 'other')", bad, false],
  ["failure('build')", bad, true],
  ["always() && !failure('build')", good, true],
  ['!cancelled()', ended, false],
  ['!cancelled()', bad, true],
  ["success() || github.ref == 'refs/heads/main'", bad, true],
  ["needs.build.result == 'success'", good, true],
  ["needs.build.result == 'success'", bad, false],
  ["needs.build.outputs.version == '1.10'", good, true],
  ["${{ github.ref == 'refs/heads/dev' }}", good, false],
  // Beside an expression there is text, and a text that is not empty is a yes.
  ["${{ github.ref }} == 'refs/heads/dev'", good, true],
]

for (const [condition, status, holds] of conditions) {
  const after = status === good ? 'success' : status === bad ? 'failure' : 'a cancellation'
  test(`if: ${JSON.stringify(condition)} after ${after} is ${holds}`, () => {
    assert.equal(conditionHolds(condition, { contexts, status }), holds)
  })
}

test('all expressions of a text share the budget of one, and a condition has the maximum length of one', () => {
  const scope = { contexts: namesOf([['vars', valueFrom({ BIG: 'x'.repeat(300_000) })]]) }
  const part = "${{ contains(vars.BIG, 'y') }}"
  assert.equal(evaluateText(part.repeat(3), scope), 'falsefalsefalse')
  const costly = attempt(() => evaluateText(part.repeat(20), scope))
  assert.ok(!costly.ok && /too large/.test(costly.fault))
  const status = { success: true, failure: false, cancelled: false }
  const long = attempt(() => conditionHolds(`1 == 1 ${' '.repeat(21_000)}`, { ...scope, status }))
  assert.deepEqual(long, { ok: false, fault: 'a condition is too long' })
})
