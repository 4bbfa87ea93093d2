import assert from 'node:assert/strict'
import { test } from 'node:test'
import { annotationsIn, lineOf } from '../../../src/actions/runner/workflow-command.ts'

const at = '2026-01-31T08:00:00.1234567Z '

test('workflow commands of a log are read in both notations, with title, file and line', () => {
  for (const [line, command, place, text] of [
    ['::error::oops', 'error', '', 'oops'],
    ['::error file=a.ts,line=3,title=x%3Ay::oops%25%0Amore', 'error', 'a.ts:3', 'x:y: oops%\nmore'],
    ['::notice title=x::', 'notice', '', 'x: '],
    ['::warning file=a%2Cb.ts::w', 'warning', 'a,b.ts', 'w'],
    ['##[group]Title', 'group', '', 'Title'],
    ['::endgroup::', 'endgroup', '', ''],
    ['::set-output name=a::b', '', '', '::set-output name=a::b'],
    ['::error', '', '', '::error'],
    [':: error::x', '', '', ':: error::x'],
    ['a ::error::x', '', '', 'a ::error::x'],
    ['##[constructor]x', '', '', '##[constructor]x'],
    ['\u001b[31mred\u001b[0m', '', '', 'red'],
  ] as const)
    assert.deepEqual(lineOf(at + line), { command, place, text }, line)
})

test('annotations are found with the numbers of their lines, and long ones are cut', () => {
  const lines = [
    'hi',
    '::error::a',
    '::debug::b',
    '##[warning]c',
    `::notice::${'d'.repeat(9000)}`,
    'x ::error::e',
    '',
  ]
  const stored = lines.map((line) => (line === '' ? '' : at + line)).join('\n')
  assert.deepEqual(
    annotationsIn(stored, 7).map(({ line, kind, content }) => [
      line,
      kind,
      content.slice(0, 12),
      content.length,
    ]),
    [
      [8, 'error', '::error::a', 10],
      [10, 'warning', '##[warning]c', 12],
      [11, 'notice', '::notice::dd', 4096],
    ],
  )
  assert.deepEqual(annotationsIn(`${at}nothing\n`, 0), [])
})
