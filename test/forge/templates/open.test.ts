import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTemplates } from '../../../src/forge/templates/open.ts'

const templates = openTemplates()

/** The licences that the forge reference (3.1) lists. */
const referenceLicenses = `0BSD AGPL-3.0 Apache-2.0 BSD-2-Clause BSD-3-Clause BSD-3-Clause-Clear BSL-1.0
  CC-BY-4.0 CC-BY-SA-4.0 CC0-1.0 EPL-1.0 EPL-2.0 EUPL-1.2 GPL-2.0 GPL-3.0 ISC LGPL-2.1 LGPL-3.0 MIT MIT-0 MPL-2.0
  MulanPSL-2.0 OFL-1.1 OSL-3.0 UPL-1.0 Unlicense WTFPL Zlib`.split(/\s+/)

/** The sets of the forge reference (3.1): name, colour, and `!` where the label is exclusive. */
const referenceLabels = {
  Default: `bug ee0701, duplicate cccccc, enhancement 84b6eb, help wanted 128a0c, invalid e6e6e6, question cc317c,
    wontfix ffffff`,
  Advanced: `Kind/Bug ee0701, Kind/Feature 0288d1, Kind/Enhancement 84b6eb, Kind/Security 9c27b0,
    Kind/Testing 795548, Kind/Documentation 37474f, Compat/Breaking c62828, Reviewed/Duplicate 616161!,
    Reviewed/Invalid 546e7a!, Reviewed/Confirmed 795548!, Reviewed/Won't Fix eeeeee!,
    Status/Need More Info 424242!, Status/Blocked 880e4f!, Status/Abandoned 222222!, Priority/Critical b71c1c!,
    Priority/High d32f2f!, Priority/Medium e64a19!, Priority/Low 4caf50!`,
}

test('the licences hold every key of the reference and the newer spellings', () => {
  for (const key of [...referenceLicenses, 'GPL-3.0-only', 'GPL-2.0-or-later', 'AGPL-3.0-or-later']) {
    assert.ok(templates.license.names.includes(key), key)
  }
  assert.ok(templates.license.names.length > 700)
})

test('every licence has a text of its own that ends in one line break', () => {
  for (const name of templates.license.names) {
    const text = templates.license.find(name)?.content ?? ''
    assert.match(text, /^\S[\s\S]{50,}\S\n$/, name)
  }
})

test('a licence text comes whole and under its own name', () => {
  const mit = templates.license.find('MIT')?.content ?? ''
  assert.match(mit, /^MIT License\n\nCopyright \(c\) <year> <copyright holders>\n/)
  assert.match(mit, /DEALINGS IN THE SOFTWARE\.\n$/)
  assert.match(templates.license.find('GPL-3.0')?.content ?? '', /^GNU GENERAL PUBLIC LICENSE\nVersion 3,/)
  assert.match(templates.license.find('MulanPSL-2.0')?.content ?? '', /^木兰宽松许可证/)
  assert.match(templates.license.find('Zlib')?.content ?? '', /^zlib License/)
})

for (const [set, list] of Object.entries(referenceLabels)) {
  test(`the label set ${set} is that of the reference, with a sentence for each label`, () => {
    const labels = templates.label.find(set)?.content ?? []
    const printed = labels.map(({ name, color, exclusive }) => `${name} ${color}${exclusive ? '!' : ''}`)
    assert.deepEqual(printed, list.split(/,\s*/))
    for (const { name, description } of labels) assert.match(description, /^[A-Z].+[^.]$/, name)
  })
}

test('the label sets are two, and priorities have their order', () => {
  assert.deepEqual(templates.label.names, ['Advanced', 'Default'])
  const labels = templates.label.find('Advanced')?.content ?? []
  const ranks = labels.filter(({ name }) => name.startsWith('Priority/')).map((label) => label.exclusiveOrder)
  assert.deepEqual(ranks, [1, 2, 3, 4])
})

test('the gitignore templates are listed in the order of their bytes', () => {
  const { names } = templates.gitignore
  assert.ok(names.length >= 70)
  assert.deepEqual(names, [...names].sort())
  assert.ok(names.includes('C++') && names.includes('Go'))
  assert.equal(names.at(-1), 'uVision')
})

test('every gitignore template is plain lines: no stray blank, no carriage return but in the icon of macOS', () => {
  for (const name of templates.gitignore.names) {
    const text = templates.gitignore.find(name)?.content ?? ''
    assert.match(text, /^\S[\s\S]*\S\n$/, name)
    assert.doesNotMatch(text, /[ \t]$|\n\n\n/m, name)
    assert.equal(text.replace('Icon[\r]', '').includes('\r'), false, name)
  }
})

test('no gitignore template says a pattern twice', () => {
  for (const name of templates.gitignore.names) {
    const patterns = (templates.gitignore.find(name)?.content ?? '')
      .split('\n')
      .filter((line) => /^[^#]/.test(line))
    const repeated = patterns.filter((line, at) => patterns.indexOf(line) !== at)
    assert.deepEqual(repeated, [], name)
  }
})
