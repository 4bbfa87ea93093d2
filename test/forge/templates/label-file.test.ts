import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readLabelLines, readLabelYaml } from '../../../src/forge/templates/label-file.ts'

const plain = { description: '', exclusive: false, exclusiveOrder: 0 }

test('readLabelYaml() reads every key of a label', () => {
  const text = `
labels:
  - name: " Priority/High "
    exclusive: true
    exclusive_order: 2
    color: "#D32F2F"
    description: soon
    unknown: [1, 2]
`
  const label = {
    name: 'Priority/High',
    color: 'd32f2f',
    description: 'soon',
    exclusive: true,
    exclusiveOrder: 2,
  }
  assert.deepEqual(readLabelYaml(text), { labels: [label], faults: [] })
})

test('readLabelYaml() reads a colour as it is written, although YAML sees numbers in some', () => {
  const colors = ['5319e7', '000000', '0e8a16', '123456', 'abc', '"#FBCA04"']
  const text = `labels:\n${colors.map((color, at) => `  - {name: l${at}, color: ${color}}\n`).join('')}`
  const { labels, faults } = readLabelYaml(text)
  assert.deepEqual(faults, [])
  const read = labels.map(({ color }) => color)
  assert.deepEqual(read, ['5319e7', '000000', '0e8a16', '123456', 'aabbcc', 'fbca04'])
})

test('readLabelYaml() keeps the order of the file and fills what is not given', () => {
  const { labels } = readLabelYaml(
    'labels:\n- {color: fff, name: z}\n- {color: "000", name: a, description: }\n',
  )
  const expected = [
    { ...plain, name: 'z', color: 'ffffff' },
    { ...plain, name: 'a', color: '000000' },
  ]
  assert.deepEqual(labels, expected)
})

const faulty: readonly (readonly [text: string, line: number, message: RegExp])[] = [
  ['', 1, /the file must be a map/],
  ['- name: x\n', 1, /labels is missing/],
  ['name: x\n', 1, /labels is missing/],
  ['# sets\nlabels: x\n', 2, /labels must be a list/],
  ['labels:\n  - x\n', 2, /a label must be a map/],
  ['labels:\n  - name: x\n    color: ee0701\n  - color: ee0701\n', 4, /name is missing/],
  ['labels:\n  - name: x\n', 2, /color is missing/],
  ['labels:\n  - name: x\n    color: #ee0701\n', 3, /color must be three or six hexadecimal digits/],
  ['labels:\n  - name: x\n    color: red\n', 3, /color must be three or six hexadecimal digits/],
  ['labels:\n  - name: x\n    color: [1]\n', 3, /color must be text/],
  ['labels:\n  - name: " "\n    color: fff\n', 2, /name must not be empty/],
  ['labels:\n  - name: x\n    color: fff\n    exclusive: perhaps\n', 4, /exclusive must be true or false/],
  ['labels:\n  - name: x\n    color: fff\n    exclusive_order: -1\n', 4, /exclusive_order must be a whole/],
  ['labels:\n  - {name: x, color: fff}\n  - {name: x, color: eee}\n', 3, /"x" twice/],
  ['labels:\n  - name: "x\n    color: fff\n', 4, /quote/],
  ['labels:\n  - name: x\n\tcolor: fff\n', 3, /[Tt]ab/],
  ['labels:\n  - *nowhere\n', 1, /alias/],
  ['labels: []\n---\nlabels: []\n', 2, /document/],
]

for (const [text, line, message] of faulty) {
  test(`readLabelYaml() says ${message} in line ${line} of ${JSON.stringify(text)}`, () => {
    const { faults } = readLabelYaml(text)
    const [fault] = faults.filter((found) => message.test(found.message))
    assert.equal(fault?.line, line, JSON.stringify(faults))
  })
}

test('readLabelYaml() reports every fault of a file', () => {
  const { faults } = readLabelYaml('labels:\n  - name: x\n  - color: red\n')
  assert.equal(faults.length, 3)
})

test('readLabelYaml() refuses a file whose aliases would fill the memory', () => {
  const levels = Array.from({ length: 12 }, (_, at) => `${at + 1}: &l${at + 1} [${`*l${at},`.repeat(10)}]`)
  const { faults } = readLabelYaml(`0: &l0 x\n${levels.join('\n')}\nlabels: *l12\n`)
  assert.match(faults[0]?.message ?? '', /alias/)
})

test('readLabelLines() reads the older form', () => {
  const { labels, faults } = readLabelLines('#EE0701 bug ; it fails; badly\r\n\n84b6eb help wanted\n')
  const expected = [
    { ...plain, name: 'bug', color: 'ee0701', description: 'it fails; badly' },
    { ...plain, name: 'help wanted', color: '84b6eb' },
  ]
  assert.deepEqual([labels, faults], [expected, []])
})

test('readLabelLines() names the line of each fault', () => {
  const { faults } = readLabelLines('#fff a\n\nred b\n#fff\n')
  assert.deepEqual(
    faults.map(({ line }) => line),
    [3, 4],
  )
  assert.deepEqual(readLabelLines('#fff a\n\n#eee a').faults, [
    { line: 3, message: 'the file has the label "a" twice' },
  ])
})
