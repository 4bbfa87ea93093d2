import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** How long a lane may take to end, in milliseconds. */
const farewell = 2_000

/** A bundled test file, and how it is called. */
export interface TestFile {
  path: string
  name: string
}

/**
 * From a lane: words for whoever looks on, what a file leaves open, what operations have answered in it, or what became
 * of a test, a suite or the whole file.
 */
export type Report = { text: string } | { open: readonly string[] } | { answered: readonly string[] } | Result

export interface Result {
  name: string
  became: 'passed' | 'skipped' | 'failed'
  kind: 'test' | 'suite' | 'file'
}

/** What became of one file. */
export interface Outcome {
  name: string
  /** All that was said of it. */
  text: string
  passed: number
  skipped: number
  /** Literals of operations, each with a status that it answered. */
  answered: readonly string[]
  /** Names of the tests that failed; the file's own where something failed outside of them. */
  failed: string[]
}

export interface LaneOptions {
  /** Folder of the bundled lane. */
  support: string
  /** How many files at a time. */
  width: number
  /** Options of Node. */
  flags: readonly string[]
  environment: NodeJS.ProcessEnv
  /** Longest run of one file, in milliseconds. */
  longest: number
  /** How long a process may take to end by itself after a file that leaves something open, in milliseconds. */
  patience: number
  /** Hears of each file as it ends. */
  onOutcome: (outcome: Outcome) => void
}

/**
 * Runs test files in a few processes, in each one file after the other: what a process has loaded, compiled and
 * optimized serves all of its files. One that fails, crashes or is cut off takes its process along, and the next has a
 * new one.
 */
export async function runInLanes(files: readonly TestFile[], options: LaneOptions): Promise<void> {
  const queue = [...files]
  await Promise.all(Array.from({ length: options.width }, () => runLane(queue, options)))
}

async function runLane(queue: TestFile[], options: LaneOptions): Promise<void> {
  let lane: ChildProcess | undefined
  for (let file = queue.shift(); file; file = queue.shift()) {
    const isAlone = measuresMemory(file)
    if (isAlone) lane = end(lane)
    lane ??= start(options)
    const outcome = await runFile(lane, file, options)
    if (isAlone || outcome.failed.length > 0 || !lane.connected) lane = end(lane)
    options.onOutcome(outcome)
  }
  end(lane)
}

/** What other files have left in memory would be taken for this one's. */
function measuresMemory({ path }: TestFile): boolean {
  return readFileSync(path, 'utf8').includes('process.memoryUsage')
}

function start({ support, flags, environment }: LaneOptions): ChildProcess {
  const reporter = ['--test-reporter', join(support, 'lane-report.js'), '--test-reporter-destination=stdout']
  const stdio = ['ignore', 'inherit', 'inherit', 'ipc'] as const
  return spawn(process.execPath, [...flags, ...reporter, join(support, 'lane.js')], {
    stdio: [...stdio],
    env: environment,
  })
}

/** Hangs up, at which a lane ends all that it has started; one that does not hear is killed. */
function end(lane: ChildProcess | undefined): undefined {
  if (!lane || lane.exitCode !== null || lane.signalCode !== null) return
  const timer = setTimeout(() => lane.kill('SIGKILL'), farewell)
  lane.once('exit', () => clearTimeout(timer))
  if (lane.connected) lane.disconnect()
}

/** Never rejects: what happens to the process has happened to the file. */
function runFile(lane: ChildProcess, file: TestFile, { longest, patience }: LaneOptions): Promise<Outcome> {
  const { name } = file
  const outcome: Outcome = { name, text: '', passed: 0, skipped: 0, answered: [], failed: [] }
  let open: readonly string[] = []
  return new Promise((resolve) => {
    const settle = () => {
      clearTimeout(timer)
      lane.off('message', hear).off('exit', onExit).off('exit', settle)
      resolve(outcome)
    }
    const lose = (how: string) => {
      outcome.failed.push(name)
      outcome.text += `✖ ${name} ${how}\n`
      settle()
    }
    // A socket that nobody reads stays open and keeps no process alive: whether it ends by itself decides.
    const part = () => {
      clearTimeout(timer)
      timer = setTimeout(() => lose(`left open: ${open}`), patience)
      lane.off('exit', onExit).once('exit', settle).disconnect()
    }
    const hear = (report: Report) => {
      if ('text' in report) outcome.text += report.text
      else if ('open' in report) open = report.open
      else if ('answered' in report) outcome.answered = report.answered
      else if (note(outcome, report)) (open.length > 0 ? part : settle)()
    }
    const onExit = (code: number | null, signal: string | null) =>
      lose(`ended its process: ${signal ?? code}`)
    let timer = setTimeout(() => lose(`was cut off after ${longest / 1000} s`), longest)
    lane.on('message', hear).once('exit', onExit)
    lane.send(file, (error) => error && lose(`found no process: ${error.message}`))
  })
}

/** Counts a result; gives whether it is that of the file. */
function note(outcome: Outcome, { name, became, kind }: Result): boolean {
  if (kind === 'test' && became !== 'failed') outcome[became]++
  const isFound = kind === 'test' || (kind === 'file' && outcome.failed.length === 0)
  if (became === 'failed' && isFound) outcome.failed.push(name)
  return kind === 'file'
}
