import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { dropTemplate, onServer, prepareTemplate } from './database.ts'
import { quickFolder } from './folder.ts'
import { optimizeLate } from './suite/engine.ts'
import { type Outcome, runInLanes } from './suite/lanes.ts'
import { forServer, inOrder } from './suite/selection.ts'

/**
 * Longest run of one test file, in milliseconds; most take seconds, on a machine with nothing else to do. Each of the
 * `PAIR_ROUNDS` of `forge/pairs` takes an hour or two, and histories take as long as `HISTORY_SECONDS` says besides.
 */
const longestFile =
  1_200_000 * Math.max(1, 9 * Number(process.env.PAIR_ROUNDS ?? 0)) +
  1000 * Number(process.env.HISTORY_SECONDS ?? 0)

/** How long a process may take to end by itself after a file that leaves something open, in milliseconds. */
const longestGoodbye = 180_000

/** Files at a time: more than the two processors of a small machine, as many tests wait for programs and deadlines. */
const lanes = 3

/**
 * Runs the bundled tests whose path contains one of the words given, or all of them, on the embedded database or, with
 * `DATABASE_URL`, on a PostgreSQL server. The migrated database that each file copies is made once. Without words only
 * those run on a server that test the database: the others would find there what they have found already.
 */
async function run(words: readonly string[]): Promise<number> {
  const root = bundle(import.meta.dirname)
  const found = await testFiles(root, words)
  const files = inOrder(onServer && words.length === 0 ? forServer(found) : found)
  if (files.length === 0) throw new Error(`No test file has ${words.join(' or ')} in its path`)
  const folder = await mkdtemp(join(quickFolder, 'forgehall-tests-'))
  try {
    const template = await prepareTemplate(join(folder, 'template'))
    console.log(`${files.length} test files on ${onServer ? 'a PostgreSQL server' : 'the embedded database'}`)
    const outcomes = await runFiles(root, files, template)
    const isWhole = !onServer && words.length === 0
    return (await report(outcomes, isWhole)) ? 0 : 1
  } finally {
    await dropTemplate()
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** This code may lie in a shared chunk beside the folders, or in one of them. */
const bundle = (folder: string) => (folder.endsWith('support') ? join(folder, '..') : folder)

async function testFiles(root: string, words: readonly string[]): Promise<string[]> {
  const found = await readdir(root, { recursive: true })
  const tests = found.filter((path) => path.endsWith('.test.js')).sort()
  const wanted = tests.filter((path) => words.length === 0 || words.some((word) => path.includes(word)))
  return wanted.map((path) => join(root, path))
}

async function runFiles(
  root: string,
  files: readonly string[],
  template: NodeJS.ProcessEnv,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  const named = files.map((path) => ({ path, name: relative(root, path) }))
  await runInLanes(named, {
    support: join(root, 'support/suite'),
    width: lanes,
    flags: [optimizeLate, '--enable-source-maps', '--expose-gc'],
    environment: { ...process.env, ...template },
    longest: longestFile,
    patience: longestGoodbye,
    onOutcome: (outcome) => {
      outcomes.push(outcome)
      process.stdout.write(outcome.text)
    },
  })
  return outcomes
}

/** Prints what became of the files; gives whether all is well. Only the whole suite has to produce every status. */
async function report(outcomes: readonly Outcome[], isWhole: boolean): Promise<boolean> {
  console.log(summary(outcomes))
  const missing = isWhole ? await unproducedIn(outcomes) : []
  if (missing.length > 0) console.log(`✖ declared statuses that no test produces:\n${missing.join('\n')}`)
  return missing.length === 0 && outcomes.every(({ failed }) => failed.length === 0)
}

/** The whole server is only loaded to be asked what it declares. */
async function unproducedIn(outcomes: readonly Outcome[]): Promise<string[]> {
  const { unproduced } = await import('./suite/statuses.ts')
  return unproduced(new Set(outcomes.flatMap(({ answered }) => answered)))
}

/** Again what was said of each file that failed, then what failed, and the counts: a log may keep only its end. */
function summary(outcomes: readonly Outcome[]): string {
  const sum = (count: (outcome: Outcome) => number) =>
    outcomes.reduce((total, each) => total + count(each), 0)
  return [
    ...outcomes.filter(({ failed }) => failed.length > 0).map(({ text }) => withoutPasses(text)),
    ...outcomes.flatMap(({ name, failed }) => failed.map((test) => `✖ ${name}: ${test}`)),
    `${sum(({ passed }) => passed)} passed, ${sum(({ failed }) => failed.length)} failed, ${sum(({ skipped }) => skipped)} skipped`,
  ].join('\n')
}

const withoutPasses = (text: string) =>
  text
    .split('\n')
    .filter((line) => !/^\s*✔/.test(line))
    .join('\n')

process.exitCode = await run(process.argv.slice(2))
