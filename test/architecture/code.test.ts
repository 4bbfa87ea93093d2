import assert from 'node:assert/strict'
import { posix } from 'node:path'
import { test } from 'node:test'
import { sourcesOf } from '../support/sources.ts'

const sources = sourcesOf('src')

/** Folders and files of `src` by layer: an import leads to a lower layer, or stays inside its folder. */
const layers: Readonly<Record<string, number>> = {
  'main.ts': 8,
  cli: 7,
  'app.ts': 6,
  'api-documents.ts': 5,
  'app-workers.ts': 5,
  backup: 5,
  metrics: 5,
  'config.ts': 5,
  pages: 5,
  site: 4,
  web: 4,
  forge: 4,
  actions: 3,
  mail: 3,
  background: 2,
  blobs: 2,
  git: 1,
  render: 1,
  http: 0.5,
  db: 0,
  threads: 0,
  'environment.ts': 0,
  'ignored-settings.ts': 0,
  limiter: -1,
  'embedded-postgres': -1,
  'log.ts': -1,
  common: -2,
}

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

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>()
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return groups
}

const partOf = (path: string) => path.split('/')[1] ?? ''
const arrows = sources.flatMap(arrowsOf)
const between = arrows.filter(({ from, to }) => to.startsWith('src/') && partOf(from) !== partOf(to))

test('imports lead to lower layers', () => {
  assert.ok(between.length > 100, 'the imports were found')
  const uphill = between.filter(({ from, to, type }) => {
    if (partOf(from) === 'build') return false
    // Modules that the build makes have their types there.
    if (partOf(to) === 'build') return !type
    const [high, low] = [layers[partOf(from)], layers[partOf(to)]]
    assert.ok(high !== undefined, `${partOf(from)} has no layer`)
    assert.ok(low !== undefined, `${partOf(to)} has no layer`)
    return high <= low
  })
  assert.deepEqual(
    uphill.map(({ from, to }) => `${from} → ${to}`),
    [],
  )
})

test('the embedded PostgreSQL can be taken out: it imports itself, node and PGlite alone', () => {
  const own = sources.filter(({ path }) => path.startsWith('src/embedded-postgres/'))
  const imports = own.flatMap(({ path, text }) =>
    [...text.matchAll(/^(?:import |(?:import|export|\}).* from )'([^']+)'$/gm)].map(([, name = '']) => ({
      path,
      name,
    })),
  )
  assert.ok(imports.length > 20, 'the imports were found')
  const allowed = /^(\.\/[\w-]+\.ts|node:[\w/]+|@electric-sql\/pglite(\/nodefs)?)$/
  assert.deepEqual(
    imports.filter(({ name }) => !allowed.test(name)),
    [],
  )
})

test('no imports lead in a circle, not even those of types', () => {
  const importsOf = groupBy(arrows, ({ from }) => from)
  const done = new Set<string>()
  const circles: string[] = []
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) circles.push([...trail.slice(trail.indexOf(path)), path].join(' → '))
    if (done.has(path)) return
    done.add(path)
    for (const { to } of importsOf.get(path) ?? []) visit(to, [...trail, path])
  }
  for (const { path } of sources) visit(path, [])
  assert.deepEqual(circles, [])
})

test('no folder has more than 30 files of code', () => {
  const folders = groupBy(sourcesOf('test').concat(sources), ({ path }) => posix.dirname(path))
  const full = [...folders].filter(([, files]) => files.length > 30)
  assert.deepEqual(
    full.map(([folder, files]) => `${folder}: ${files.length}`),
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
  'forge.action_annotation': 'src/actions/runner/task-store.ts',
  'forge.action_summary': 'src/actions/runner/task-store.ts',
  'forge.hook_delivery': 'src/forge/webhooks/delivery/delivery-history-store.ts',
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

/** Functions that change rows outside a transaction of a request, by why its rights need no second look. */
const withoutConfirmation: Readonly<Record<string, readonly string[]>> = {
  'the request is authorized by them': [
    'claimTotpAttempt',
    'deleteSession',
    'renewPassword',
    'touchAccount',
    'touchDeployKey',
    'touchKey',
    'touchTokens',
    'useTotpStep',
  ],
  'who may read may do it': ['countDownload'],
  'they finish or undo what is committed already': [
    'deletePush',
    'endMerge',
    'deleteReleased',
    'deleteRemovedPull',
    'deleteUnmade',
    'releaseDeliveries',
    'updateMeasured',
  ],
  'events, tasks and commands call them': [
    'bringDeliveriesForward',
    'deleteAccountAvatars',
    'deleteAttachmentsWith',
    'deleteEntriesBefore',
    'deleteExpiredArtifacts',
    'deleteFilesOf',
    'deleteRepositoryAvatars',
    'deleteSitePicturesWith',
    'deleteVersion',
    'forgetStore',
    'identity',
    'insertDeliveries',
    'insertJobStatuses',
    'insertTransferThreads',
    'noticeAllAutoMerges',
    'noticeAutoMerges',
    'releaseAllDeliveries',
    'releaseAutoMerge',
    'removeAllButNewestDeliveries',
    'removeDeliveriesBefore',
  ],
}

test('what a request of the forge changes, it changes in a transaction, which confirms its rights', () => {
  const changing: string[] = []
  for (const { path, text } of sources.filter((each) => /^src\/(?:forge|pages)\//.test(each.path)))
    for (const { index } of text.matchAll(/\bsql(?:<[^`]*>)?`\s*(?:insert into|update|delete from)\s/g)) {
      const names = text.slice(0, index).matchAll(/^(?:export )?(?:async )?(?:function|const) (\w+)/gm)
      changing.push([...names].at(-1)?.[1] ?? path)
    }
  assert.deepEqual([...new Set(changing)].sort(), Object.values(withoutConfirmation).flat().sort())
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

test('a path is one literal; that of a page may be that of an operation without the prefix of its API', () => {
  const places = new Map<string, string[]>()
  for (const { path, text } of sources) {
    const isPage = path.startsWith('src/pages/')
    for (const [, literal = ''] of text.matchAll(/\broute\('((?:GET|POST|PUT|PATCH|DELETE) \/[^']*)',/g)) {
      const place = isPage ? `page ${literal}` : literal
      places.set(place, [...(places.get(place) ?? []), path])
    }
  }
  assert.ok(places.size >= 250, 'the literals were found')
  const repeated = [...places].filter(([, files]) => files.length > 1)
  assert.deepEqual(repeated, [])
})

test('no file has more than 300 lines', () => {
  const long = sources
    .map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
    .filter(({ lines }) => lines > 300)
  assert.deepEqual(long, [])
})
