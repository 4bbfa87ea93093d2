import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parse } from 'yaml'
import { emit } from '../../../src/actions/workflow/emit.ts'
import { attempt } from '../../../src/actions/workflow/fault.ts'
import type { Node } from '../../../src/actions/workflow/tree.ts'
import { readTree } from '../../../src/actions/workflow/yaml.ts'

const again = (source: string) => emit(readTree(source))

const kept: readonly (readonly [string, string])[] = [
  ['a: 1.10', 'a: 1.10\n'],
  ['a: 0x10', 'a: 0x10\n'],
  ['a: 0777', 'a: 0777\n'],
  ['a: 12345678901234567890', 'a: 12345678901234567890\n'],
  ['a: 1_000', 'a: 1_000\n'],
  ['a: 2020-01-01', 'a: 2020-01-01\n'],
  ['a: yes', 'a: yes\n'],
  ['a: "yes"', 'a: "yes"\n'],
  ["a: '1.10'", 'a: "1.10"\n'],
  ['a: !!str 1.10', 'a: 1.10\n'],
  ['a:', 'a: null\n'],
  ['a: ~', 'a: null\n'],
  ['a: ""', 'a: ""\n'],
  ['a: .nan', 'a: .nan\n'],
  ['on: push', 'on: push\n'],
  ['a: b c', 'a: "b c"\n'],
  ['a: |\n  x\n  y\n', 'a: "x\\ny\\n"\n'],
  ['a: {}\nb: []', 'a: {}\nb: []\n'],
  ['a: [1, [2, {b: 3}]]', 'a:\n  - 1\n  -\n    - 2\n    -\n      b: 3\n'],
  ['a: &x {b: 1.10}\nc: *x', 'a:\n  b: 1.10\nc:\n  b: 1.10\n'],
  ['a: &x {b: 1, c: 2}\nd: {<<: *x, b: 3}', 'a:\n  b: 1\n  c: 2\nd:\n  b: 3\n  c: 2\n'],
  [
    'a: &x {b: 1}\ne: &y {b: 2, c: 3}\nd:\n  <<: [*x, *y]',
    'a:\n  b: 1\ne:\n  b: 2\n  c: 3\nd:\n  b: 1\n  c: 3\n',
  ],
  ['&k a: 1\nb: *k', 'a: 1\nb: a\n'],
  ['a: &x 1\nb: &x 2\nc: *x', 'a: 1\nb: 2\nc: 2\n'],
  ['"-": "-"', '"-": "-"\n'],
  ['__proto__: 1\nconstructor: {__proto__: 2}', '__proto__: 1\nconstructor:\n  __proto__: 2\n'],
  ['1.10: a', '1.10: a\n'],
]

for (const [source, printed] of kept) {
  test(`${JSON.stringify(source)} is printed as ${JSON.stringify(printed)}`, () => {
    assert.equal(again(source), printed)
    assert.equal(again(printed), printed)
  })
}

const broken: readonly (readonly [string, RegExp])[] = [
  ['a: [1', /not valid YAML.*line 1/],
  ['a: 1\nb: "', /not valid YAML.*line 2/],
  ['a: 1\na: 2', /has the key "a" twice/],
  ['a: *x', /alias "x" has no anchor|not valid YAML/],
  ['a: &x [*x]', /"x" contains itself/],
  ['a: &x {b: {c: *x}}', /"x" contains itself/],
  ['a: 1\n---\nb: 2', /more than one YAML document/],
  ['? [a]\n: 1', /a key must be a string/],
  [`${'k'.repeat(251)}: 1`, /is too long/],
  ['a: {<<: 1}', /"<<" takes mappings only/],
  ['['.repeat(500_000), /is nested too deeply/],
  ['- '.repeat(400_000), /is nested too deeply/],
  ['{a: '.repeat(200_000), /is nested too deeply/],
  [`${'['.repeat(101)}${']'.repeat(101)}`, /is nested too deeply/],
  [`a: ${'x'.repeat(1024 * 1024)}`, /more than 1 MiB/],
  ['a: "'.padEnd(10 * 1024 * 1024, 'x'), /more than 1 MiB/],
  [bomb(20), /too large when its aliases are written out/],
  [`a: &a "${'x'.repeat(500_000)}"\nb: [${'*a,'.repeat(100)}]`, /too large when its aliases are written out/],
]

/** Each level names the one before it ten times. */
function bomb(levels: number): string {
  const lines = ['l0: &l0 [lol]']
  for (let at = 1; at <= levels; at++)
    lines.push(
      `l${at}: &l${at} [${Array(10)
        .fill(`*l${at - 1}`)
        .join(', ')}]`,
    )
  return lines.join('\n')
}

for (const [source, sentence] of broken) {
  test(`${JSON.stringify(source.slice(0, 30))} (${source.length} characters) is refused: ${sentence.source}`, () => {
    const read = attempt(() => readTree(source))
    assert.ok(!read.ok)
    assert.match(read.fault, sentence)
    assert.ok(read.fault.length < 300)
  })
}

test('a file with eighty thousand keys is read', () => {
  const source = Array.from({ length: 80_000 }, (_, at) => `k${at}: 1`).join('\n')
  const tree = readTree(source)
  assert.equal(tree.kind === 'dict' && tree.entries.size, 80_000)
})

/** A tree as plain data, by its texts. */
function plain(node: Node): unknown {
  if (node.kind === 'scalar') return typeof node.value === 'string' ? node.text : node.value
  if (node.kind === 'list') return node.items.map(plain)
  return Object.fromEntries([...node.entries].map(([key, value]) => [key, plain(value)]))
}

test('a printed tree is read as the same tree', () => {
  const key = fc.string({ unit: 'grapheme', maxLength: 20 })
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.string({ unit: 'grapheme' }),
      fc.boolean(),
      fc.integer(),
      tie('list'),
      tie('dict'),
    ),
    list: fc.array(tie('tree'), { maxLength: 4 }),
    dict: fc.dictionary(key, tie('tree'), { maxKeys: 4, noNullPrototype: true }),
  }))
  fc.assert(
    fc.property(tree, (value) => {
      const printed = emit(readTree(JSON.stringify(value)))
      assert.deepEqual(plain(readTree(printed)), value)
      // Another reader of YAML understands the same.
      assert.deepEqual(parse(printed), value)
    }),
  )
})

test('every text is read, or has a fault', () => {
  const alphabet = [...'ab:- \n&*[]{},"\'|>!?#~<%@\t']
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...alphabet), { maxLength: 60 }), (characters) => {
      const read = attempt(() => readTree(characters.join('')))
      if (read.ok) assert.deepEqual(again(emit(read.value)), emit(read.value))
    }),
    { numRuns: 1000 },
  )
})
