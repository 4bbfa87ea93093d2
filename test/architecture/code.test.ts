import assert from 'node:assert/strict'
import { posix } from 'node:path'
import { test } from 'node:test'
import { sourcesOf } from '../support/sources.ts'

const sources = sourcesOf('src')

/** Rooms by height: imports go downhill, within a room as they like. A file beside the rooms is a room of its own. */
const heights: Readonly<Record<string, number>> = {
  'boot.ts': 9,
  'main.ts': 8,
  cli: 7,
  'app.ts': 6,
  'config.ts': 5,
  site: 4,
  web: 4,
  forge: 4,
  actions: 3,
  background: 2,
  blobs: 2,
  git: 1,
  render: 1,
  http: 1,
  db: 1,
  threads: 0,
  'environment.ts': 0,
  'after-commit.ts': 5,
  runtime: 0,
  'errors.ts': -1,
  'data-dir.ts': 0,
  'log.ts': 0,
  'fsync.ts': 0,
  'units.ts': -1,
  'glob.ts': 0,
}

/** Where rooms of one height touch: who, what, and for which purpose. */
const doors = [
  ['src/http/route/route.ts', 'src/db/sql.ts', 'the types Sql and Begin'],
  ['src/http/pipeline/handle.ts', 'src/db/sql.ts', 'the types Sql and Begin'],
  ['src/http/reads/validated-cache.ts', 'src/db/version.ts', 'the type States'],
  ['src/http/pipeline/handle.ts', 'src/db/errors.ts', 'database errors become answers'],
  ['src/db/errors.ts', 'src/http/route/problem.ts', 'database errors become answers'],
  ['src/db/errors.ts', 'src/http/route/route.ts', 'the type Conflicts'],
].map(([from, to]) => `${from} → ${to}`)

interface Arrow {
  from: string
  to: string
  type: boolean
}

/** Every relative import and re-export of a TypeScript file. */
function arrowsOf({ path, text }: { path: string; text: string }): Arrow[] {
  const statements = text.matchAll(/^(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'(\.[^']+\.ts)'/gm)
  return [...statements].map(([, type, to = '']) => ({
    from: path,
    to: posix.join(posix.dirname(path), to),
    type: type !== undefined,
  }))
}

const roomOf = (path: string) => path.split('/')[1] ?? ''
const arrows = sources.flatMap(arrowsOf)
const between = arrows.filter(({ from, to }) => to.startsWith('src/') && roomOf(from) !== roomOf(to))

test('imports go downhill', () => {
  assert.ok(between.length > 100, 'the arrows were found')
  const uphill = between.filter(({ from, to, type }) => {
    if (roomOf(from) === 'build') return false
    // What the build makes has its types there.
    if (roomOf(to) === 'build') return !type
    const [high, low] = [heights[roomOf(from)], heights[roomOf(to)]]
    assert.ok(high !== undefined, `${roomOf(from)} has no height`)
    assert.ok(low !== undefined, `${roomOf(to)} has no height`)
    return high <= low && !doors.includes(`${from} → ${to}`)
  })
  assert.deepEqual(
    uphill.map(({ from, to }) => `${from} → ${to}`),
    [],
  )
})

test('each door between rooms of one height is used', () => {
  const used = new Set(between.map(({ from, to }) => `${from} → ${to}`))
  assert.deepEqual(
    doors.filter((door) => !used.has(door)),
    [],
  )
})

test('src imports nothing of the tests', () => {
  assert.deepEqual(
    arrows.filter(({ to }) => !to.startsWith('src/') && !to.startsWith('sql/')),
    [],
  )
})

/** Beside its writer: what only removes rows that have grown old. */
const sweepers: Readonly<Record<string, string>> = {
  'forge.hook_delivery': 'src/forge/webhooks/delivery/delivery-history.ts',
}

test('a table has one writer', () => {
  const writers = new Map<string, Set<string>>()
  for (const { path, text } of sources) {
    const statements = text.matchAll(
      /\b(?:insert\s+into|update|delete\s+from|merge\s+into|truncate)\s+(?:only\s+)?([a-z_]+\.[a-z_]+)\b/gi,
    )
    for (const [, table = ''] of statements) {
      if (sweepers[table] === path) continue
      writers.set(table, (writers.get(table) ?? new Set()).add(path))
    }
  }
  assert.ok(writers.size > 5, 'the statements were found')
  const shared = [...writers].filter(([, files]) => files.size > 1)
  assert.deepEqual(
    shared.map(([table, files]) => `${table}: ${[...files].join(', ')}`),
    [],
  )
})

test('a table of the site is written by the site only', () => {
  const strangers = sources.filter(
    ({ path, text }) => !path.startsWith('src/site/') && /\b(?:into|update|from)\s+site\.[a-z_]+/i.test(text),
  )
  assert.deepEqual(
    strangers.map(({ path }) => path),
    [],
  )
})

test('a path is one literal', () => {
  const places = new Map<string, string[]>()
  for (const { path, text } of sources) {
    for (const [, literal = ''] of text.matchAll(
      /^\s*(?:route\()?'((?:GET|POST|PUT|PATCH|DELETE) \/[^']*)',?$/gm,
    )) {
      places.set(literal, [...(places.get(literal) ?? []), path])
    }
  }
  assert.ok(places.size >= 11, 'the literals were found')
  const repeated = [...places].filter(([, files]) => files.length > 1)
  assert.deepEqual(repeated, [])
})

test('no file has more than 300 lines', () => {
  const long = sources
    .map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
    .filter(({ lines }) => lines > 300)
  assert.deepEqual(long, [])
})
