import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fillLicense } from '../../../src/forge/templates/fill-license.ts'
import { openTemplates } from '../../../src/forge/templates/open.ts'

const { license } = openTemplates()
const values = { year: 2031, owner: 'ada', email: 'ada@example.org', project: 'engine' }

const filled: readonly (readonly [key: string, line: string])[] = [
  ['MIT', 'Copyright (c) 2031 ada'],
  ['MIT-0', 'Copyright 2031 ada'],
  ['0BSD', 'Copyright (C) 2031 by ada ada@example.org'],
  ['ISC', 'Copyright (c) 2031 ada'],
  ['BSD-2-Clause', 'Copyright (c) 2031 ada'],
  ['BSD-3-Clause', 'Copyright (c) 2031 ada.'],
  ['BSD-3-Clause-Clear', 'Copyright (c) 2031 ada'],
  ['Apache-2.0', 'Copyright 2031 ada'],
  ['UPL-1.0', 'Copyright (c) 2031 ada'],
  ['MulanPSL-2.0', 'Copyright (c) 2031 ada'],
  ['MulanPSL-2.0', 'engine is licensed under Mulan PSL v2.'],
  ['MirOS', 'Copyright 2031 ada ada@example.org'],
  ['FSL-1.1-MIT', 'Copyright 2031 ada'],
  ['NCSA', 'Copyright (c) 2031 ada. All rights reserved.'],
]

for (const [key, line] of filled) {
  test(`fillLicense() writes "${line}" in ${key}`, () => {
    const text = license.find(key)?.content ?? ''
    const before = text.split('\n').map((written) => written.trim())
    const after = fillLicense(key, text, values).split('\n')
    assert.ok(!before.includes(line))
    assert.ok(after.map((written) => written.trim()).includes(line))
  })
}

test('fillLicense() knows the spellings of public collections', () => {
  const text = '[year] [fullname] <owner> {{ year }} {{ organization }} [yyyy]-[yyyy] [project] [EMAIL].'
  const expected = '2031 ada ada 2031 ada 2031 engine ada@example.org.'
  assert.equal(fillLicense('Own', text, values), expected)
})

test('fillLicense() drops an e-mail nobody gave from the end of a line and leaves other unknowns', () => {
  const text = '(c) [year] [NAME] [EMAIL]\n[project] <email>, [see below] <http://example.org> {x}\n'
  const expected = '(c) 2031 ada\n[project] <email>, [see below] <http://example.org> {x}\n'
  assert.equal(fillLicense('Own', text, { year: 2031, owner: 'ada' }), expected)
})

test('fillLicense() takes an owner literally', () => {
  assert.equal(fillLicense('Own', '[owner]', { year: 1, owner: "$&$'[year]" }), "$&$'[year]")
})

test('fillLicense() leaves a licence alone that forbids changes, and one without placeholders', () => {
  for (const key of ['GPL-3.0', 'AGPL-3.0', 'LGPL-2.1', 'MPL-2.0', 'Unlicense', 'CC0-1.0']) {
    const text = license.find(key)?.content ?? assert.fail(key)
    assert.equal(fillLicense(key, text, values), text, key)
  }
})

test('fillLicense() takes the name of an inherited property for the name of any licence', () => {
  assert.equal(fillLicense('constructor', '[year]', values), '2031')
})
