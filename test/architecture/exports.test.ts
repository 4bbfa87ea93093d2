import assert from 'node:assert/strict'
import { posix } from 'node:path'
import { test } from 'node:test'
import { sourcesOf } from '../support/sources.ts'

const sources = sourcesOf('src')

/** `path#name` of everything that another file imports; `path#*` where it imports all. */
function importedNames(): Set<string> {
  const found = new Set<string>()
  for (const { path, text } of [...sources, ...sourcesOf('test')]) {
    for (const [, to = ''] of text.matchAll(/\bimport\('(\.[^']+)'\)/g))
      found.add(`${posix.join(posix.dirname(path), to)}#*`)
    const imports = text.matchAll(
      /^(?:import|export)\s+(?:type\s+)?(\{[^}]*\}|\*[^']*?)\s+from\s+'(\.[^']+)'/gm,
    )
    for (const [, names = '', to = ''] of imports) {
      const target = posix.join(posix.dirname(path), to)
      const each = names.startsWith('*') ? ['*'] : names.slice(1, -1).split(',')
      for (const name of each) found.add(`${target}#${name.trim().replace(/^type |\s+as\s.*/g, '')}`)
    }
  }
  return found
}

test('whatever is exported is imported somewhere', () => {
  const imported = importedNames()
  assert.ok(imported.size > 1000, 'the imports were found')
  // The configuration of the bundler imports the plugins.
  const checked = sources.filter(({ path }) => !path.startsWith('src/build/'))
  const unused = checked.flatMap(({ path, text }) =>
    [...text.matchAll(/^export (?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm)]
      .map(([, name]) => name)
      .filter((name) => !imported.has(`${path}#${name}`) && !imported.has(`${path}#*`))
      .map((name) => `${path}: ${name}`),
  )
  assert.deepEqual(unused, [])
})
