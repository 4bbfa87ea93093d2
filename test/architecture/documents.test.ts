import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { test } from 'node:test'
import { variables } from '../../src/config.ts'
import { routesOfApp } from '../support/routes.ts'
import { sourcesOf } from '../support/sources.ts'

const pages = [
  ...['README.md', 'src/README.md', 'sql/README.md', 'test/README.md'],
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => `docs/${path}`),
].map((path) => ({ path, text: readFileSync(path, 'utf8') }))

const reference = pages.find(({ path }) => path === 'docs/reference.md')?.text ?? ''

/** What stands in the first column of the tables below a heading of the reference. */
function firstColumn(heading: string): string[] {
  const [, section = ''] = reference.split(`\n## ${heading}\n`)
  const [own = ''] = section.split('\n## ')
  const rows = own.matchAll(/^\| ((?:`\w+` ?)+) \|/gm)
  return [...rows].flatMap(([, cell = '']) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name))
}

test('links of documents lead to files that are there', () => {
  const broken = pages.flatMap(({ path, text }) =>
    [...text.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)]
      .map(([, to = '']) => posix.join(posix.dirname(path), to))
      .filter((to) => !existsSync(to))
      .map((to) => `${path} → ${to}`),
  )
  assert.ok(pages.length > 30, 'the pages were found')
  assert.deepEqual(broken, [])
})

test('the README of each folder of the source names only files that are there', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  const names = new Set([...files, ...readdirSync('.')].map((path) => posix.basename(path)))
  const readmes = files.filter((path) => posix.basename(path) === 'README.md')
  const missing = readmes.flatMap((path) =>
    [...readFileSync(posix.join('src', path), 'utf8').matchAll(/`(?:[\w-]+\/)*([\w-][\w.-]*\.ts)`/g)]
      .map(([, name = '']) => name)
      .filter((name) => !names.has(name) && name !== '-store.ts')
      .map((name) => `${path}: ${name}`),
  )
  assert.ok(readmes.length > 10, 'the READMEs were found')
  assert.deepEqual(missing, [])
})

test('each decision says what was measured, or that there is no figure', () => {
  const pages = readdirSync('docs/decisions').filter((name) => /^\d/.test(name))
  const silent = pages.filter((name) => {
    const [, section = ''] = readFileSync(`docs/decisions/${name}`, 'utf8').split('## What was measured\n')
    return !/\d|no figure/i.test(section.replace(/\n## [\s\S]*/, ''))
  })
  assert.ok(pages.length > 30, 'the decisions were found')
  assert.deepEqual(silent, [])
})

test('the reference lists every setting and no other', () => {
  assert.ok(variables.length > 20, 'the settings were found')
  assert.deepEqual(firstColumn('Settings').toSorted(), variables.toSorted())
})

test('the reference lists every scheduled task and no other', () => {
  const tasks = sourcesOf('src')
    .filter(({ text }) => text.includes('CronTask'))
    .flatMap(({ text }) => [...text.matchAll(/\b(?:name: |\w+Task\()'([a-z]+(?:_[a-z]+)+)'/g)])
    .map(([, name = '']) => name)
  assert.ok(tasks.length > 10, 'the tasks were found')
  assert.deepEqual(firstColumn('Tasks').toSorted(), tasks.toSorted())
})

test('the row of a scheduled task begins with its summary', () => {
  const rows = new Map(
    [...reference.matchAll(/^\| `(\w+)` \| [^|]+ \| ([^|]+) \|$/gm)].map(([, name, text]) => [name, text]),
  )
  const summaries = sourcesOf('src').flatMap(({ text }) => [
    ...text.matchAll(/\bname: '([a-z_]+)',\s+(?:schedule: [^\n]+,\s+)?summary: '([A-Z][^']+)\.'/g),
  ])
  assert.equal(summaries.length, firstColumn('Tasks').length, 'every task has a summary')
  for (const [, name, summary = ''] of summaries) {
    const start = summary[0]?.toLowerCase() + summary.slice(1)
    assert.ok(rows.get(name)?.startsWith(start), `${name}: ${start}`)
  }
})

test('the tables of what bounds git have each operation that is declared to run git in one row', () => {
  const text = readFileSync('docs/SECURITY.md', 'utf8')
  const [, section = ''] = text.split('\n## What bounds each use of git\n')
  const rows = section.replace(/\n## [\s\S]*/, '').matchAll(/^\| ([^|]+) \|/gm)
  const tails = [...rows].map(([, cell = '']) =>
    [...cell.matchAll(/`…\/([\w/-]+)`/g)].map(([, tail]) => tail),
  )
  const operations = routesOfApp().filter(({ route }) => route.runsGit)
  assert.ok(operations.length > 25, 'the operations were found')
  const rowsOf = (path: string) =>
    tails.filter((own) => own.some((tail) => new RegExp(`[}r]/${tail}(?:/|$)`).test(path))).length
  const wrong = operations
    .filter(({ path }) => rowsOf(path) !== 1)
    .map(({ method, path }) => `${method} ${path}`)
  assert.deepEqual(wrong, [])
  const unknown = tails.flat().filter((tail) => !operations.some(({ path }) => path.includes(`/${tail}`)))
  assert.deepEqual(unknown, [])
})

test('the front page and the map of the source have at most 150 lines', () => {
  for (const { path, text } of pages.slice(0, 2)) assert.ok(text.split('\n').length <= 151, path)
})

test('both systemd units are the same but for the port', () => {
  const settingsOf = (name: string) =>
    readFileSync(`docs/${name}`, 'utf8')
      .replace('Forgehall on port %i', 'Forgehall')
      .replace(' PORT=%i', '')
      .split('\n')
      .filter((line) => !line.startsWith('#') && line !== 'EnvironmentFile=-/etc/forgehall-%i.env')
  assert.deepEqual(settingsOf('forgehall@.service'), settingsOf('forgehall.service'))
})
