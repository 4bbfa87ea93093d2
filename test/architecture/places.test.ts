import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sourcesOf } from '../support/sources.ts'

const sources = sourcesOf('src')

/** Folders and files that hold statements although their names do not end in `-store.ts`. */
const statementsElsewhere: Readonly<Record<string, string>> = {
  'src/db/': 'parts of statements, and the statements of migrations, keys and the outbox, for all layers',
  'src/backup/': 'reads and writes every table, by names from the schema',
  'src/cli/doctor/database.ts': 'asks for the version and the clock of the server, not for rows',
  'src/forge/protocol/search-pattern.ts': 'says how a pattern is compared, beside how it is made',
  'src/site/health.ts': 'asks whether the database answers',
}

/** A statement or a part of one: a template of `sql`, a transaction or a pool. */
const statement = /\b(?:sql|tx|pool|connection)(?:<[^`]*?>)?`/

const isExcepted = (path: string) => Object.keys(statementsElsewhere).some((place) => path.startsWith(place))

test('SQL is in files whose names end in -store.ts', () => {
  const elsewhere = sources.filter(
    ({ path, text }) => statement.test(text) && !path.endsWith('-store.ts') && !isExcepted(path),
  )
  assert.deepEqual(
    elsewhere.map(({ path }) => path),
    [],
  )
})

test('each exception still holds SQL', () => {
  const used = (place: string) =>
    sources.some(({ path, text }) => path.startsWith(place) && statement.test(text))
  assert.deepEqual(
    Object.keys(statementsElsewhere).filter((place) => !used(place)),
    [],
  )
})

test('a file whose name ends in -store.ts has statements, and no operations', () => {
  const stores = sources.filter(({ path }) => path.endsWith('-store.ts'))
  assert.ok(stores.length > 50, 'the files were found')
  const wrong = stores.filter(({ text }) => !statement.test(text) || /\broute\(/.test(text))
  assert.deepEqual(
    wrong.map(({ path }) => path),
    [],
  )
})

test('a result whose failure is a value is an Outcome, which is told by `ok`', () => {
  const others = sources.filter(
    ({ path, text }) =>
      /'(?:value|fault|problem|error)' in |\| \{ (?:readonly )?(?:value|fault|problem|error): /.test(text) ||
      (path !== 'src/outcome.ts' && /\bok: (?:true|false)\n? *(?:;|readonly)/.test(text)),
  )
  assert.deepEqual(
    others.map(({ path }) => path),
    [],
  )
})

test('bodies are declared in files whose names end in .shape.ts or .option.ts, beside no operation', () => {
  // The served documents are bodies that this program does not make.
  const operations = sources.filter(
    ({ path, text }) => /\broute\(\s*'/.test(text) && !/^src\/(?:pages|web)\//.test(path),
  )
  assert.ok(operations.length > 50, 'the files were found')
  const declared = operations.filter(({ text }) =>
    /\b(?:shape|option)\('|\b(?:returns|body): [^\n]*v\.\w*[oO]bject\(/.test(text),
  )
  assert.deepEqual(
    declared.map(({ path }) => path),
    [],
  )
})
