import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lineOf, logText } from '../../../src/pages/runs/log-text.ts'

const at = '2026-01-31T08:00:00.1234567Z '

test('workflow commands of a log are read in both notations, with file and line', () => {
  for (const [line, command, place, text] of [
    ['::error::oops', 'error', '', 'oops'],
    ['::error file=a.ts,line=3,title=x::oops%25%0Amore', 'error', 'a.ts:3', 'oops%\nmore'],
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

test('groups fold their lines, and end at the next group and at the end of the log; debug lines are left out', () => {
  const lines = [
    'before',
    '::group::A',
    'in a',
    '##[group]B',
    'in b',
    '::endgroup::',
    '::debug::no',
    '::endgroup::',
    '##[group]C',
  ]
  assert.equal(
    logText(lines.map((line) => at + line)).text,
    'before\n<details class="log-group"><summary>A</summary>in a\n</details><details class="log-group"><summary>B</summary>in b\n</details><details class="log-group"><summary>C</summary></details>',
  )
})
