import assert from 'node:assert/strict'
import { builtinModules } from 'node:module'
import { test } from 'node:test'
import lock from '../../package-lock.json'
import { noticesText } from '../../src/cli/licenses.ts'
import { sourcesOf } from '../support/sources.ts'

interface Locked {
  version?: string
  license?: string
  dev?: boolean
}

const packages: Readonly<Record<string, Locked>> = lock.packages
const text = noticesText()
const sections = text.split(/^-{80}\n/m).slice(1)

/** The libraries that source files import, also for workers and browsers; those of the build run before. */
const imported = new Set(
  sourcesOf('src')
    .filter(({ path }) => !path.startsWith('src/build/'))
    .flatMap(({ text }) =>
      [
        ...text
          .replace(/import type [^']*'[^']*'/g, '')
          .matchAll(/(?:from |import\(|import )'(?:asset:|worker:)?(@[\w-]+\/[\w.-]+|\w[\w.-]*)[^':]*'/g),
      ]
        .map(([, name = '']) => name)
        .filter((name) => !builtinModules.includes(name)),
    ),
)

test('forgehall licenses names every library that the built file may hold, with a text', () => {
  assert.ok(imported.size > 30)
  for (const name of imported) {
    const { version, dev } = packages[`node_modules/${name}`] ?? {}
    assert.notEqual(dev, true, `${name} is bundled, but no dependency`)
    assert.ok(
      sections.some((section) => section.startsWith(`${name} ${version} (`)),
      name,
    )
  }
  for (const section of sections) assert.ok(section.length > 400, section)
  for (const name of ['PostgreSQL', 'spdx-license-list', '@electric-sql/pglite', 'swagger-ui-dist'])
    assert.ok(text.includes(name), name)
})

test('each licence permits what is done here', () => {
  const known =
    /^\(?(?:MIT|MIT-0|ISC|0BSD|BSD-[23]-Clause|Apache-2\.0|BlueOak-1\.0\.0|Unlicense|CC0-1\.0|PostgreSQL|Python-2\.0)(?: (?:AND|OR) [\w.-]+)*\)?$/
  const licenses = sections.map((section) => /^[^\n]* \((.*)\)\n/.exec(section)?.[1] ?? '')
  assert.deepEqual(
    licenses.filter((license) => !known.test(license)),
    [],
  )
})
