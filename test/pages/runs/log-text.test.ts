import assert from 'node:assert/strict'
import { test } from 'node:test'
import { logText } from '../../../src/pages/runs/log-text.ts'

const at = '2026-01-31T08:00:00.1234567Z '

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
