import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { temporaryFolder } from '../support/folder.ts'
import { instrumented } from './instrument.ts'
import { takeWalks } from './walks.ts'

/** Largest number of files that each request enters. A bound goes down with a simpler way, and up only with a reason. */
const bounds: Readonly<Record<string, number>> = {
  'POST /api/news': 27,
  'PATCH /api/v1/admin/users/{username}': 60,
  'GET /api/v1/notifications': 55,
  // It closes the pull requests that it merges and records the push, in the transaction that publishes it.
  'POST /api/v1/repos/{owner}/{repo}/contents/{filepath}': 130,
  'GET /explore/repos': 60,
  'push to fetched job': 188,
}

const walks = await takeWalks(await temporaryFolder())

test('requests enter no more files than their bounds', () => {
  assert.deepEqual(walks.map(({ name }) => name).sort(), Object.keys(bounds).sort())
  for (const { name, files } of walks) {
    const distinct = new Set(files)
    const bound = bounds[name] ?? 0
    assert.ok(distinct.size > 10, `${name} was walked`)
    assert.ok(
      distinct.size <= bound,
      `${name} enters ${distinct.size} files, not ${bound}: ${[...distinct].join(' ')}`,
    )
  }
})

test('the README of the source shows one request as it is', () => {
  const walk = walks.find(({ name }) => name === 'POST /api/news')
  const [, section = ''] = readFileSync('src/README.md', 'utf8').split('## One request')
  const cells = [...section.matchAll(/^\| \w+ \|.*\| ([^|]+) \|$/gm)].slice(1)
  const shown = cells.flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, file]) => `src/${file}`),
  )
  assert.deepEqual(shown, [...new Set(walk?.files)])
})

test('every function says which file it is of', () => {
  const call = 'globalThis.enterFile?.("src/a.ts")'
  assert.equal(instrumented('src/a.ts', 'const a = () => 1'), `const a = () => (${call},(1))`)
  assert.equal(
    instrumented('src/a.ts', 'class A { get b() { return () => ({}) } }'),
    `class A { get b() {;${call}; return () => (${call},(({}))) } }`,
  )
})
