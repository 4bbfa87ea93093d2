import assert from 'node:assert/strict'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { temporaryFolder } from '../folder.ts'
import { type Outcome, runInLanes } from './lanes.ts'

const folder = await temporaryFolder()

/** Runs files of these names and texts, one at a time, and gives what became of each. */
async function runFiles(texts: Readonly<Record<string, string>>, longest = 60_000): Promise<Outcome[]> {
  const own = await mkdtemp(join(folder, 'run-'))
  const files = Object.keys(texts).map((name) => ({ name, path: join(own, `${name}.mjs`) }))
  for (const { name, path } of files)
    await writeFile(path, `import { suite, test } from 'node:test'\n${texts[name]}`)
  const outcomes: Outcome[] = []
  await runInLanes(files, {
    support: import.meta.dirname,
    width: 1,
    flags: [],
    environment: process.env,
    longest,
    patience: 500,
    onOutcome: (outcome) => outcomes.push(outcome),
  })
  return outcomes
}

const counts = ({ name, passed, skipped, failed }: Outcome) => ({ name, passed, skipped, failed })

/** Says which process it runs in. */
const tellsProcess = 'test(`pid ${process.pid}`, () => {})'

/** The numbers of the processes that said so. */
const processes = (outcomes: readonly Outcome[]) =>
  new Set(outcomes.flatMap(({ text }) => /pid \d+/.exec(text) ?? []))

test('files that pass share a process and are counted each for itself', async () => {
  const two = "suite('inside', () => { test('a', () => {}); test('b', { skip: true }, () => {}) })"
  const outcomes = await runFiles({ first: tellsProcess, second: `${tellsProcess}; await 0; ${two}` })
  assert.deepEqual(outcomes.map(counts), [
    { name: 'first', passed: 1, skipped: 0, failed: [] },
    { name: 'second', passed: 2, skipped: 1, failed: [] },
  ])
  assert.equal(processes(outcomes).size, 1)
})

test('a file that measures memory has a process of its own', async () => {
  const measures = `${tellsProcess}; process.memoryUsage()`
  const outcomes = await runFiles({ first: tellsProcess, second: measures, third: tellsProcess })
  assert.equal(processes(outcomes).size, 3)
})

/** What goes wrong, which tests are to blame, and what is said of it. */
const faults: [what: string, text: string, failed: string[], said: RegExp][] = [
  ['a test that fails', "test('breaks', () => { throw new Error('broken') })", ['breaks'], /broken/],
  ['a file that cannot be loaded', "throw new Error('unloaded')", ['it'], /unloaded/],
  ['a timer that is left', 'setInterval(() => {}, 1000)', ['it'], /left open: .*Timeout/],
  ['a thread that is left', leavesThread(), ['it'], /left open: .*Worker/],
  ['a changed environment', "process.env.LEFT = 'behind'", ['it'], /behind/],
  [
    'what fails late',
    "test('ends', () => { setTimeout(() => { throw 1 }, 20) })",
    ['it'],
    /uncaught: \[\s*.*1/,
  ],
  ['the end of its process', "test('ends', () => process.exit(0))", ['it'], /ended its process: 0/],
]

function leavesThread(): string {
  return "import { Worker } from 'node:worker_threads'; new Worker('setInterval(() => {}, 1000)', { eval: true })"
}

// Side by side, as what is left open is given its time to close.
suite('a fault fails its own file, and the next has a new process:', { concurrency: true }, () => {
  for (const [what, text, failed, said] of faults) {
    test(what, async () => {
      const [first, second, ...more] = await runFiles({ it: `${text}; ${tellsProcess}`, next: tellsProcess })
      assert.ok(first && second)
      assert.deepEqual(first.failed, failed)
      assert.match(first.text, said)
      assert.deepEqual(counts(second), { name: 'next', passed: 1, skipped: 0, failed: [] })
      assert.deepEqual(more, [])
    })
  }
})

test('a file that hangs is cut off', async () => {
  const [first, second] = await runFiles({ it: "test('hangs', () => { for (;;); })", next: '' }, 3_000)
  assert.deepEqual(first?.failed, ['it'])
  assert.match(first.text, /it was cut off after 3 s/)
  assert.deepEqual(second?.failed, [])
})
