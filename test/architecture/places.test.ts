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

test('a store returns rows by the functions of db/rows.ts', () => {
  const wrong = sources.flatMap(({ path, text }) => {
    const awaited = [...text.matchAll(/\breturn await (?:sql|tx|pool)(?:<[^`;]*?>)?`/g)]
    const first = [...text.matchAll(/\bconst \[(\w+)\] = await (?:sql|tx|pool)\b/g)].filter(
      ({ index, 1: name = '' }) => {
        const [rest = ''] = text.slice(index).split(/\n\}\n/, 1)
        const uses = rest.match(new RegExp(`(?<![.\\w])${name}\\b`, 'g')) ?? []
        return uses.length === 2 && new RegExp(`\\breturn ${name}\\n`).test(`${rest}\n`)
      },
    )
    return [...awaited, ...first].map(([statement]) => `${path}: ${statement}`)
  })
  assert.deepEqual(wrong, [])
})

test('a result whose failure is a value is an Outcome, with the member `ok`', () => {
  const others = sources.filter(
    ({ path, text }) =>
      /'(?:value|fault|problem|error)' in |\| \{ (?:readonly )?(?:value|fault|problem|error): /.test(text) ||
      (path !== 'src/common/outcome.ts' && /\bok: (?:true|false)\n? *(?:;|readonly)/.test(text)),
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

test('bodies that go out are declared in .shape.ts files, those that come in in .option.ts files', () => {
  const declaredIn = (ending: string) => {
    const files = sources.filter(({ path }) => path.endsWith(ending))
    return new Set(
      files.flatMap(({ text }) => [...text.matchAll(/^export const (\w+)/gm)].map(([, name = '']) => name)),
    )
  }
  const [shapes, options] = [declaredIn('.shape.ts'), declaredIn('.option.ts')]
  assert.ok(shapes.size > 50 && options.size > 20, 'the declarations were found')
  const wrong = sources.flatMap(({ path, text }) => {
    const returned = [...text.matchAll(/\breturns: [^\n]*/g)].flatMap(([line]) => line.match(/\w+/g) ?? [])
    const received = [...text.matchAll(/\bbody: (\w+)/g)].map(([, name = '']) => name)
    const misplaced = [
      ...returned.filter((name) => options.has(name)),
      ...received.filter((name) => shapes.has(name)),
    ]
    const hasOption = path.endsWith('.shape.ts') && /\boption\(/.test(text)
    return [...misplaced, ...(hasOption ? ['option('] : [])].map((name) => `${path}: ${name}`)
  })
  assert.deepEqual(wrong, [])
})
