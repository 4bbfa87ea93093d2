import assert from 'node:assert/strict'
import { posix } from 'node:path'
import { test } from 'node:test'
import { sourcesOf } from '../support/sources.ts'

const sources = sourcesOf('src')

/** Folders and files of `src/forge`, the lowest layer first: an import leads to a lower layer. */
const layers: readonly string[] = [
  'audit blobs document-descriptions.ts document-examples.ts git-service.ts issue-events openpgp protocol site-picture-store.ts templates',
  'accounts document.ts webhooks',
  'permissions ssh-keys',
  'auth watching',
  'encrypted-columns.ts open-authenticator.ts route.ts site-publishers.ts',
  'admin follows repos tokens',
  'activity attachments avatars commit-statuses hooks issue-templates labels milestones orgs protection stars',
  'actions collaborators issues packages push',
  'artifacts code notifications pulls repo-lifecycle timeline users',
  'cron-tasks.ts keys letters misc pull-changes releases site-pictures.ts',
  'routes.ts',
  'api.ts',
]

/** Imports that lead to a higher layer of the forge: each makes a pair of folders that import each other. */
const upward: Readonly<Record<string, string>> = {
  'issues → pulls': 'a pull request is an issue: what changes issues emits the events of pull requests',
  'push → pulls': 'a push moves the heads of pull requests in the transaction that publishes it',
}

/** Largest circle of folders outside the forge: two that import each other. */
const largestCircle: Readonly<Record<string, number>> = { 'src/forge': 3, 'src/actions': 2, 'src/pages': 2 }

/** Folders that import each other, besides `upward`, by why. */
const pairs: Readonly<Record<string, string>> = {
  'src/actions: run ⇄ runner':
    'a job of a run is a task of a runner: each moves the other in one transaction',
  'src/pages: code ⇄ repositories':
    'the start page of a repository shows its files, and a page of a file its repository',
}

/** Parts of `folder` by what they import of each other, with one import as the example of each. */
function partsOf(folder: string): Map<string, Map<string, string>> {
  const parts = new Map<string, Map<string, string>>()
  const partOf = (path: string) => path.slice(folder.length + 1).split('/')[0] ?? ''
  for (const { path, text } of sources.filter((each) => each.path.startsWith(`${folder}/`))) {
    const imported = parts.get(partOf(path)) ?? new Map<string, string>()
    parts.set(partOf(path), imported)
    for (const [, to = ''] of text.matchAll(/^(?:import|export)\s+(?:[^'";]*?\sfrom\s+)?'(\.[^']+\.ts)'/gm)) {
      const target = posix.join(posix.dirname(path), to)
      if (target.startsWith(`${folder}/`) && partOf(target) !== partOf(path))
        imported.set(partOf(target), `${path} imports ${target}`)
    }
  }
  return parts
}

/** Every part that one reaches over imports. */
function reached(parts: Map<string, Map<string, string>>, from: string): Set<string> {
  const found = new Set<string>()
  const visit = (part: string): void => {
    for (const next of parts.get(part)?.keys() ?? [])
      if (!found.has(next)) {
        found.add(next)
        visit(next)
      }
  }
  visit(from)
  return found
}

test('imports in the forge lead to lower layers, except those that are listed with a reason', () => {
  const layerOf = new Map(layers.flatMap((names, layer) => names.split(' ').map((name) => [name, layer])))
  const faults: string[] = []
  const used = new Set<string>()
  for (const [from, imported] of partsOf('src/forge'))
    for (const [to, example] of imported) {
      const [high, low] = [layerOf.get(from), layerOf.get(to)]
      assert.ok(high !== undefined, `src/forge/${from} has no layer`)
      assert.ok(low !== undefined, `src/forge/${to} has no layer`)
      const arrow = `${from} → ${to}`
      if (upward[arrow]) used.add(arrow)
      else if (high <= low) faults.push(`${example}, but ${to} is not below ${from}`)
    }
  assert.deepEqual(faults, [])
  assert.deepEqual([...used].sort(), Object.keys(upward).sort(), 'no exception outlives its import')
})

test('no two folders import each other, except those that are listed with a reason', () => {
  const folders = new Set(sources.flatMap(({ path }) => path.split('/').slice(1, -1).slice(0, 1)))
  const found = [...folders].flatMap((folder) => {
    const parts = partsOf(`src/${folder}`)
    return [...parts].flatMap(([one, imported]) =>
      [...imported.keys()]
        .filter((other) => one < other && parts.get(other)?.has(one))
        .map((other) => `src/${folder}: ${one} ⇄ ${other}`),
    )
  })
  const ofForge = Object.keys(upward).map((arrow) => `src/forge: ${arrow.split(' → ').sort().join(' ⇄ ')}`)
  assert.deepEqual(found.sort(), [...Object.keys(pairs), ...ofForge].sort())
  assert.ok(found.length <= 5, 'at most five pairs')
})

test('circles of folders are no larger than what is listed', () => {
  const folders = new Set(sources.flatMap(({ path }) => path.split('/').slice(1, -1).slice(0, 1)))
  assert.ok(folders.size > 10, 'the folders were found')
  for (const folder of folders) {
    const parts = partsOf(`src/${folder}`)
    const reach = new Map([...parts.keys()].map((part) => [part, reached(parts, part)]))
    for (const [part, over] of reach) {
      const circle = [...over].filter((other) => other !== part && reach.get(other)?.has(part))
      const size = circle.length === 0 ? 0 : circle.length + 1
      const examples = circle.flatMap((other) => parts.get(part)?.get(other) ?? [])
      assert.ok(
        size <= (largestCircle[`src/${folder}`] ?? 0),
        `in src/${folder}, ${[part, ...circle].join(', ')} import each other in a circle: ${examples.join('; ')}`,
      )
    }
  }
})
