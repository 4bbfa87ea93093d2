import assert from 'node:assert/strict'
import { stat } from 'node:fs'
import { after, suite } from 'node:test'
import { pathToFileURL } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import type { Worker } from 'node:worker_threads'
import { usages } from '../../../src/limiter/usage.ts'
import { turns, until } from '../wait.ts'
import { takeAnswered } from './answered.ts'
import type { Report, TestFile } from './lanes.ts'

/** How long what a file has closed may take to be gone, in milliseconds: git ends within two seconds of a signal. */
const patience = 3_000

/** Runs one test file after the other, each as a suite of its own, as the runner names them. */
process.on('message', ({ path, name }: TestFile) => {
  suite(name, async () => {
    await import(pathToFileURL(path).href)
    // Hooks run in the order in which they are given, so this one comes after all of the file's own.
    after(leavesNothing)
  })
})

const leave = () => process.exit()
process.once('disconnect', leave)

// Before glibc 2.41, libuv's threads may miss that a request of the file system waits (BZ 25847); the next request wakes them.
setInterval(() => stat('/', () => {}), 1000).unref()

const threads = new Set<Worker>()
process.on('worker', (thread) => {
  threads.add(thread)
  thread.once('exit', () => threads.delete(thread))
})

/**
 * Errors that nobody took; of those that it cannot lay to a test, node's runner says nothing before the process ends.
 */
const uncaught: unknown[] = []
process.on('uncaughtException', (error) => uncaught.push(error))
process.on('unhandledRejection', (error) => uncaught.push(error))
// Otherwise it is a line among those of the tests, and one in an operator's log.
process.on('warning', (warning) => warning.name === 'MaxListenersExceededWarning' && uncaught.push(warning))

/** What a file finds, which the next one is to find as well. */
const found = () => ({
  // Requests of the system end by themselves.
  open: process.getActiveResourcesInfo().filter((kind) => !kind.includes('Req')),
  threads: threads.size,
  running: [...usages].filter(([, { running }]) => running > 0).map(([kind]) => kind),
  uncaught: [...uncaught],
  environment: { ...process.env },
  folder: process.cwd(),
})

// Those that are pipes are open from their first use.
void [process.stdout, process.stderr]
const clean = found()
const { open: _open, threads: _threads, ...settings } = clean

/** What is still open after the patience is told to the runner, which has this process end. */
async function leavesNothing(): Promise<void> {
  process.send?.({ answered: takeAnswered() } satisfies Report)
  await turns()
  // A response whose body no test reads keeps its connection open until the garbage collector finds it.
  if (!(await becomesClean())) globalThis.gc?.()
  await becomesClean()
  const { open, threads, ...rest } = found()
  const more = [...open.slice(clean.open.length), ...Array.from({ length: threads }, () => 'Worker')]
  if (more.length > 0) {
    process.off('disconnect', leave)
    process.send?.({ open: more } satisfies Report)
  }
  assert.deepEqual(rest, settings, 'The file leaves the process as it found it')
}

/** Whether everything that the file opened closes within the patience. */
const becomesClean = () =>
  until('all is closed', () => isDeepStrictEqual(found(), clean), patience).then(
    () => true,
    () => false,
  )
