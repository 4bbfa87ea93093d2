import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { dropTemplate, onServer, prepareTemplate } from './database.ts'
import { quickFolder } from './folder.ts'
import { reaches } from './reach.ts'

/** Longest run of one test file, in milliseconds: a leaked timer or socket ends here, as a failure. */
const longestFile = 180_000

/**
 * How much of the embedded PostgreSQL's program runs before V8 optimizes it: seven times as much as Node 20 would let,
 * since a run as short as that of a test file is over before optimizing pays.
 */
const optimizeLater = '--wasm-tiering-budget=13000000'

/**
 * Runs the bundled tests whose path contains one of the words given, or all of them, on the embedded database or, with
 * `DATABASE_URL`, on a PostgreSQL server. The migrated database that each file copies is made once. Without words only
 * those run on a server whose modules ask for it: the others would find there what they have found already.
 */
async function run(words: readonly string[]): Promise<number> {
  const found = await testFiles(import.meta.dirname, words)
  const files = onServer && words.length === 0 ? found.filter((path) => reaches(path, 'DATABASE_URL')) : found
  if (files.length === 0) throw new Error(`No test file has ${words.join(' or ')} in its path`)
  const folder = await mkdtemp(join(quickFolder, 'forgehall-tests-'))
  try {
    const template = await prepareTemplate(join(folder, 'template'))
    console.log(`${files.length} test files on ${onServer ? 'a PostgreSQL server' : 'the embedded database'}`)
    return await runFiles(files, template)
  } finally {
    await dropTemplate()
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

async function testFiles(chunkFolder: string, words: readonly string[]): Promise<string[]> {
  // This code may lie in a shared chunk beside the folders, or in one of them.
  const root = chunkFolder.endsWith('support') ? join(chunkFolder, '..') : chunkFolder
  const found = await readdir(root, { recursive: true })
  const tests = found.filter((path) => path.endsWith('.test.js')).sort()
  const wanted = tests.filter((path) => words.length === 0 || words.some((word) => path.includes(word)))
  return wanted.map((path) => join(root, path))
}

async function runFiles(files: readonly string[], template: Record<string, string>): Promise<number> {
  const options = [
    optimizeLater,
    '--enable-source-maps',
    '--test',
    '--test-concurrency=2',
    `--test-timeout=${longestFile}`,
  ]
  const reporter = ['--test-reporter=spec', '--test-reporter-destination=stdout']
  const runner = spawn(process.execPath, [...options, ...reporter, ...files], {
    stdio: 'inherit',
    env: { ...process.env, ...template },
  })
  const [code] = await once(runner, 'exit')
  return code ?? 1
}

process.exitCode = await run(process.argv.slice(2))
