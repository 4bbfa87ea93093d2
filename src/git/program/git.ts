import { resolve } from 'node:path'
import { gitEnvironment, prepareHome, type Settings } from './environment.ts'
import { done, fault, type GitFault, type GitOutcome } from './outcome.ts'
import { type Begin, type Running, type RunningProcess, start } from './process.ts'
import { createRooms, type Room, type RoomOptions } from './rooms.ts'

/** Oldest git that knows all that is asked of it here. */
const oldest = [2, 34] as const

export interface GitOptions extends RoomOptions {
  /** Folder of our own that stands for git's home; made when it is not there. */
  home: string
  /** The program: a name looked up in `PATH`, or a path. */
  command?: string
  settings?: Settings
}

/** Whether git can be used here; `sentence` is for the log at start. */
export type GitVersion =
  | { usable: true; version: string; sentence: string }
  | { usable: false; sentence: string }

export interface RunOptions {
  /** Written to git's standard input. */
  input?: string | Buffer
  signal?: AbortSignal | undefined
  /** Most bytes of output, 16 MiB unless told; git is ended beyond. */
  most?: number
  /** What comes after `most`: a fault, or the end of what is given back. */
  cut?: boolean
  environment?: Readonly<Record<string, string>>
}

export interface StreamOptions {
  signal?: AbortSignal | undefined
  environment?: Readonly<Record<string, string>>
  /** Only lists refs: it waits behind no clone. */
  light?: boolean
  /** What serves the client once there is a place for it; git of its own unless told. */
  launch?: (begin: Begin, signal: AbortSignal) => RunningProcess
}

/** What serves a client in a place. */
export interface Streamed extends RunningProcess {
  /** Lets the next in line work; for when git waits for its client. */
  stepAside: () => void
}

/** Who has got a place. */
type Placed<What> = What & Pick<Streamed, 'stepAside'>

/** The git program with an environment of our own, bounded in time and number. */
export interface Git {
  /** The folder that stands for git's home; it may hold files of ours. */
  home: string
  check: () => Promise<GitVersion>
  /**
   * Runs git in a repository (absolute path) to its end and gives its output. Arguments go to the program as they are,
   * without a shell; values in them are to be checked by `names.ts` first.
   * Faults: busy, cancelled, late, missing, gone, large, failed.
   */
  run: (folder: string, args: readonly string[], options?: RunOptions) => Promise<GitOutcome<Buffer>>
  /**
   * Starts git for a clone, fetch or push when a place is free; the place is kept until `ended`, `stepAside` or the end
   * of its turn. The time limit begins with the place. Faults: busy, cancelled.
   */
  stream: (folder: string, args: readonly string[], options?: StreamOptions) => Promise<GitOutcome<Streamed>>
  /** Ends every run and starts none any more. */
  close: () => void
}

/** Makes the way to git; starts nothing yet. */
export function createGit(options: GitOptions): Git {
  const { command = 'git' } = options
  const home = resolve(options.home)
  const base = gitEnvironment(home, options.settings)
  const rooms = createRooms(options)
  const runs = new Set<AbortController>()
  let closed = false
  let preparing: Promise<GitFault | undefined> | undefined

  async function open<What extends RunningProcess>(
    { places, milliseconds, patient, turn }: Room,
    folder: string,
    args: readonly string[],
    more: Pick<StreamOptions, 'signal' | 'environment'>,
    launch: (begin: Begin, signal: AbortSignal) => What,
  ): Promise<GitOutcome<Placed<What>>> {
    preparing ??= ready(home)
    const unready = await preparing
    if (unready) {
      preparing = undefined
      return { ok: false, fault: unready }
    }
    const { signal, abort, end } = ending(more.signal)
    const place = closed ? 'cancelled' : await places.enter(signal)
    if (place === 'busy' || place === 'cancelled') {
      end()
      return fault(
        place,
        place === 'busy' ? 'every place for git is taken' : 'cancelled before git was started',
      )
    }
    const { leave, stepAside } = place
    const environment = { ...base, GIT_DIR: '.', ...more.environment }
    const over = setTimeout(stepAside, turn)
    let late: NodeJS.Timeout | undefined
    const gone = () => {
      clearTimeout(over)
      clearTimeout(late)
      leave()
      end()
    }
    try {
      const what = { command, args, folder, environment, milliseconds, patient }
      const launched = launch((other) => start({ ...what, signal, ...other }), signal)
      // Git has a limit of its own, which comes first and says more; who reads along has this one.
      late = setTimeout(abort, milliseconds)
      launched.ended.then(gone)
      return done({ ...launched, stepAside })
    } catch (error) {
      // What no program can be given, such as an argument with a NUL.
      gone()
      return fault('failed', String(error))
    }
  }

  /** A signal that fires with the caller's or when all is closed; `end` forgets it. */
  function ending(given: AbortSignal | undefined) {
    const controller = new AbortController()
    const abort = () => controller.abort()
    runs.add(controller)
    if (given?.aborted) abort()
    given?.addEventListener('abort', abort, { once: true })
    const end = () => {
      runs.delete(controller)
      given?.removeEventListener('abort', abort)
    }
    return { signal: controller.signal, abort, end }
  }

  return {
    home,
    check: () => checkVersion(open({ ...rooms.short, milliseconds: 10_000 }, '/', ['version'], {}, alone)),
    run: async (folder, args, more = {}) => {
      const opened = await open(rooms.short, folder, args, more, alone)
      return opened.ok ? collect(opened.value, more) : opened
    },
    stream: (folder, args, more = {}) =>
      open(more.light ? rooms.light : rooms.long, folder, args, more, more.launch ?? alone),
    close: () => {
      closed = true
      for (const controller of runs) controller.abort()
    },
  }
}

const alone = (begin: Begin): Running => begin()

async function ready(home: string): Promise<GitFault | undefined> {
  try {
    await prepareHome(home)
    return undefined
  } catch (error) {
    return fault('failed', `the home of git cannot be written: ${String(error)}`).fault
  }
}

/** Feeds the input, gathers the output. */
async function collect(
  running: Running,
  { input, most = 16 * 1024 * 1024, cut }: RunOptions,
): Promise<GitOutcome<Buffer>> {
  const chunks: Buffer[] = []
  let size = 0
  running.stdout.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size - chunk.length < most) chunks.push(chunk.subarray(0, most - (size - chunk.length)))
    // Git ends when nobody reads what it writes.
    if (size > most) running.stdout.destroy()
  })
  running.stdin.end(input)
  const ended = await running.ended
  if (size > most)
    return cut ? done(Buffer.concat(chunks)) : fault('large', `git wrote more than ${most} bytes`)
  return ended.fault ? { ok: false, fault: ended.fault } : done(Buffer.concat(chunks))
}

async function checkVersion(opening: Promise<GitOutcome<Running>>): Promise<GitVersion> {
  const opened = await opening
  const output = opened.ok ? await collect(opened.value, {}) : opened
  if (!output.ok) {
    const why = output.fault.kind === 'missing' ? 'it was not found' : output.fault.log
    return { usable: false, sentence: `repositories cannot be served without the git program: ${why}` }
  }
  const version = /^git version (\d+\.\d+[\w.-]*)/.exec(output.value.toString('utf8'))?.[1]
  if (version === undefined || !isRecent(version)) {
    const sentence = `git ${oldest.join('.')} or newer is needed for repositories; this is ${version ?? 'unknown'}`
    return { usable: false, sentence }
  }
  return { usable: true, version, sentence: `git ${version}` }
}

function isRecent(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > oldest[0] || (major === oldest[0] && minor >= oldest[1])
}
