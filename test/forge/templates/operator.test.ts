import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openTemplates } from '../../../src/forge/templates/open.ts'
import { TemplateFaults } from '../../../src/forge/templates/operator.ts'

type Files = Readonly<Record<string, string | Buffer>>

/** A folder with these files, gone after the test. */
function folder(t: TestContext, files: Files): string {
  const dir = mkdtempSync(join(tmpdir(), 'templates-'))
  t.after(() => rmSync(dir, { recursive: true }))
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true })
    writeFileSync(join(dir, name), content)
  }
  return dir
}

/** The faults of a folder, each as `path below the folder:line: message`. */
function faultsOf(dir: string): string[] {
  try {
    openTemplates({ dir })
  } catch (error) {
    assert.ok(error instanceof TemplateFaults, String(error))
    return error.details.map((line) => line.replace(`${dir}/`, ''))
  }
  return []
}

test('TEMPLATES_DIR adds to the built-in items and replaces those of the same name', (t) => {
  const dir = folder(t, {
    'gitignore/Go': 'own\n',
    'gitignore/House.gitignore': 'house\n',
    'label/Default.yaml': 'labels: [{name: only, color: fff}]\n',
    'label/Triage.yml': 'labels: []\n',
    'label/Old.txt': '#ee0701 bug ; broken\n',
    'license/MIT': 'ours\n',
    'license/House.txt': 'house\n',
  })
  const templates = openTemplates({ dir })
  const builtIn = openTemplates()
  assert.equal(templates.gitignore.find('Go')?.content, 'own\n')
  assert.equal(templates.gitignore.find('House')?.content, 'house\n')
  assert.equal(templates.gitignore.names.length, builtIn.gitignore.names.length + 1)
  assert.deepEqual(templates.label.names, ['Advanced', 'Default', 'Old', 'Triage'])
  assert.deepEqual(
    templates.label.find('Default')?.content.map(({ name }) => name),
    ['only'],
  )
  assert.deepEqual(templates.label.find('Triage')?.content, [])
  assert.deepEqual(
    templates.label.find('Old')?.content.map(({ description }) => description),
    ['broken'],
  )
  assert.equal(templates.license.find('MIT')?.content, 'ours\n')
  assert.equal(templates.license.find('House')?.content, 'house\n')
  assert.equal(templates.license.find('ISC')?.content, builtIn.license.find('ISC')?.content)
})

test('a checkout of a public collection works as it is: subfolders, links, its other files', (t) => {
  const dir = folder(t, {
    'gitignore/C++.gitignore': '*.o\n',
    'gitignore/Go.AllowList.gitignore': '*\n',
    'gitignore/Global/Vim.gitignore': '*~\n',
    'gitignore/README.md': 'about\n',
    'gitignore/.git/HEAD': 'ref\n',
    'gitignore/.travis.yml': 'x\n',
  })
  symlinkSync('C++.gitignore', join(dir, 'gitignore', 'Fortran.gitignore'))
  const { gitignore } = openTemplates({ dir })
  const { names } = openTemplates().gitignore
  assert.deepEqual(
    gitignore.names.filter((name) => !names.includes(name)),
    ['Global/Vim'],
  )
  assert.equal(gitignore.find('Go.AllowList')?.content, '*\n')
  assert.equal(gitignore.find('Fortran')?.content, '*.o\n')
  assert.deepEqual(gitignore.find('/Global\\Vim'), { name: 'Global/Vim', content: '*~\n' })
  assert.equal(gitignore.find('Global'), undefined)
})

test('TEMPLATES_DIR is read at the start only', (t) => {
  const dir = folder(t, { 'gitignore/House': 'before\n' })
  const { gitignore } = openTemplates({ dir })
  writeFileSync(join(dir, 'gitignore', 'House'), 'after\n')
  writeFileSync(join(dir, 'gitignore', 'Later'), 'after\n')
  assert.equal(gitignore.find('House')?.content, 'before\n')
  assert.equal(gitignore.find('Later'), undefined)
})

test('a byte order mark is no part of a text, and an empty folder is no fault', (t) => {
  const dir = folder(t, { 'license/Marked': '\uFEFFtext\n' })
  assert.equal(openTemplates({ dir }).license.find('Marked')?.content, 'text\n')
  assert.deepEqual(faultsOf(folder(t, {})), [])
})

test('all faults are reported at once, with file and line', (t) => {
  const dir = folder(t, {
    'gitignore/Latin': Buffer.from([0x66, 0xfc, 0x72]),
    'label/Bad.yaml': 'labels:\n  - name: x\n    color: red\n  - color: fff\n',
    'label/Worse.yaml': 'labels: [\n',
    'label/Old.txt': 'bug\n',
    'license/Long': 'x'.repeat((1 << 20) + 1),
  })
  symlinkSync('nowhere', join(dir, 'license', 'Lost'))
  const faults = faultsOf(dir)
  const expected = [
    /^gitignore\/Latin: is not UTF-8 text$/,
    /^label\/Bad\.yaml:3: color must be three or six hexadecimal digits$/,
    /^label\/Bad\.yaml:4: name is missing$/,
    /^label\/Old\.txt:1: name must not be empty$/,
    /^label\/Old\.txt:1: color must be/,
    /^label\/Worse\.yaml:\d: /,
    /^license\/Long: cannot be read: it is larger than 1 MiB$/,
    /^license\/Lost: cannot be read: .*no such file/,
  ]
  assert.equal(faults.length, expected.length, faults.join('\n'))
  for (const [at, pattern] of expected.entries()) assert.match(faults[at] ?? '', pattern)
})

test('two files for one name are a fault', (t) => {
  const set = 'labels: []\n'
  const dir = folder(t, {
    'label/A.yaml': set,
    'label/A.yml': set,
    'gitignore/Go': '',
    'gitignore/Go.gitignore': '',
  })
  assert.deepEqual(faultsOf(dir), [
    'gitignore/Go.gitignore: "Go" also exists with another ending',
    'label/A.yml: "A" also exists with another ending',
  ])
})

test('a missing folder, a file in its place, or a folder of something else is a fault', (t) => {
  const dir = folder(t, { 'options/gitignore/Go': '', label: 'a file' })
  assert.match(faultsOf(join(dir, 'nowhere'))[0] ?? '', /\/nowhere: cannot be listed: .*no such file/)
  assert.deepEqual(faultsOf(dir), ['label: is not a folder'])
  assert.deepEqual(faultsOf(join(dir, 'label')), [`${join(dir, 'label')}: is not a folder`])
  assert.match(faultsOf(join(dir, 'options', 'gitignore'))[0] ?? '', /: has none of the folders/)
})
