import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Source, sourcesOf } from '../support/sources.ts'

/**
 * Biome's `noFloatingPromises` knows the types that this project declares. It does not know those of Node's functions,
 * of the statements of postgres.js, and of what a test takes out of `await startApp()`: their statements are read here.
 */
const alwaysAsync = ['fetch', 'call', 'once']

/** What may stand before the mark that ends a template; before all others a statement of SQL begins. */
const endsTemplate = ['esac']

const importOf = /^import \{([^}]*)\} from 'node:\w+\/promises'/gm
const promisified = /^\s*const (\w+) = promisify\(/gm

/** The last word or sign of a line after which the next line continues its expression. */
const continues = /(?:[([,?:=+|&]|=>|\breturn|\bawait|\bvoid)$/

const namesIn = (list: string) => list.split(',').map((name) => name.trim().replace(/.* as /, ''))

function asyncNames(text: string): Set<string> {
  const imported = [...text.matchAll(importOf)].flatMap(([, list = '']) => namesIn(list))
  const made = [...text.matchAll(promisified)].map(([, name = '']) => name)
  return new Set([...alwaysAsync, ...imported, ...made])
}

/** Places of statements that are only a call that gives a promise, or only a statement of SQL. */
function floatingIn({ path, text }: Source): string[] {
  const names = asyncNames(text)
  const lines = text.split('\n')
  return lines.flatMap((line, at) => {
    const [, name = '', sign] = /^\s*(\w+)(?:<[^>]*>)?([(`])/.exec(line) ?? []
    const isPromise = sign === '`' ? !endsTemplate.includes(name) : names.has(name)
    const isStatement = !continues.test(lines[at - 1]?.trimEnd() ?? '')
    const isHandled = line.includes('.catch(') || lines[at + 1]?.trimStart().startsWith('.catch(')
    return isPromise && isStatement && !isHandled ? [`${path}:${at + 1}`] : []
  })
}

test('no statement leaves a promise of Node, of a statement of SQL or of a request alone', () => {
  const others = sourcesOf('test').filter(({ path }) => path !== 'test/architecture/promises.test.ts')
  assert.deepEqual([...sourcesOf('src'), ...others].flatMap(floatingIn), [])
})

test('the search finds promises that are left alone, and no others', () => {
  const text = `import { readFile, rm as remove } from 'node:fs/promises'
const run = promisify(execFile)
async function work(tx: Tx): Promise<void> {
  remove('a')
  run('git', [
    'status',
  ])
  tx\`delete from t\`
  sql<Row[]>\`select 1\`
  call('GET /api/news')
  await remove('a')
  void run('git')
  readFile('a').catch(() => {})
  const all = await Promise.all([
    readFile('b'),
    tx\`select 1\`,
  ])
  return (
    tx\`select 1\`
  )
}`
  assert.deepEqual(floatingIn({ path: 'a.ts', text }), ['a.ts:4', 'a.ts:5', 'a.ts:8', 'a.ts:9', 'a.ts:10'])
})
