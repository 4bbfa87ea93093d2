import source from 'worker:./launcher-process.ts'
import { type ChildProcess, spawn } from 'node:child_process'
import { statSync } from 'node:fs'
import { Socket } from 'node:net'
import { platform } from 'node:os'
import { isSea } from 'node:sea'
import { PassThrough, Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Listening, Order, Report } from './launcher-protocol.ts'
import type { Answer } from './pre-receive.ts'
import { type Exit, exitOf, type Launch, launchHere, signalGroup, unstarted } from './spawn.ts'

/** Starts processes from a small process, the launcher process, where that is possible. */
export interface Launcher {
  launch: Launch
  /** Starts no more. The launcher process ends after the last one that it has started. */
  close: () => void
}

/**
 * `fork` holds a process while it copies its page tables, so that a large one starts others slowly. The launcher process
 * starts with the first launch.
 */
export function createLauncher(): Launcher {
  if (!isPossible()) return { launch: launchHere, close: () => {} }
  let current: LauncherProcess | undefined
  return {
    launch: (program, connections) => {
      if (!current?.isOpen) current = new LauncherProcess()
      return current.launch(program, connections)
    },
    close: () => current?.close(),
  }
}

/**
 * The launcher process needs the abstract namespace of sockets (unix(7)), and the entries of this process in /proc, which
 * belong to root if the file of the program has capabilities. A single executable cannot run another script.
 */
function isPossible(): boolean {
  try {
    return platform() === 'linux' && !isSea() && statSync('/proc/self/fd').uid === process.getuid?.()
  } catch {
    return false
  }
}

/** The launcher process gets only the variable of the server that Node itself may need to start. */
function environment(): NodeJS.ProcessEnv {
  const { LD_LIBRARY_PATH } = process.env
  return LD_LIBRARY_PATH === undefined ? {} : { LD_LIBRARY_PATH }
}

/** A process that the launcher process starts. */
interface Child {
  pid?: number | undefined
  /** Called when the process has its connections. */
  begin: () => void
  answer: Answer | undefined
  end: (exit: Exit) => void
}

/** The launcher process, and the processes that it has started. */
class LauncherProcess {
  readonly #process: ChildProcess
  readonly #children = new Map<number, Child>()
  readonly #listening: Promise<Listening>
  #lastId = 0
  #isClosing = false

  constructor() {
    this.#process = spawn(process.execPath, ['-'], {
      // The terminal sends its signals to the server only.
      detached: true,
      env: environment(),
      // It inherits no other descriptor of this process.
      stdio: ['pipe', 'ignore', 'pipe', 'ipc'],
    })
    this.#process.stdin?.on('error', () => {})
    this.#process.stdin?.end(source())
    this.#listening = new Promise((resolve) => {
      this.#process.on('message', (report: Report) => {
        if ('path' in report) resolve(report)
        else this.#receive(report)
      })
    })
    if (this.#process.stderr instanceof Socket) this.#process.stderr.unref()
    void exitOf(this.#process).then((exit) => this.#lose(exit))
    this.#keepAlive(false)
  }

  get isOpen(): boolean {
    return this.#process.connected && !this.#isClosing
  }

  readonly launch: Launch = ({ command, args, folder, environment, niced, limits }, { file, answer }) => {
    const id = ++this.#lastId
    const stdin = new PassThrough()
    const input = new Socket()
    const output = file === undefined ? new Socket() : undefined
    const fail = (error: Error) => this.#receive({ id, exit: unstarted(error) })
    input.on('error', (error) => this.#children.get(id)?.pid ?? fail(error))
    let begin = () => {}
    const begun = new Promise<void>((resolve) => {
      begin = () => {
        passOn(stdin, input)
        resolve()
      }
    })
    const exit = new Promise<Exit>((end) => {
      this.#children.set(id, { begin, answer, end })
    }).then(async (result) => {
      stdin.destroy()
      input.destroy()
      await readToEnd(output, result)
      return result
    })
    this.#keepAlive(true)
    void this.#listening.then((listening) => {
      // The caller has left meanwhile.
      if (stdin.destroyed || output?.destroyed) return fail(new Error('its caller has left'))
      join(input, `${id} input`, listening)
      if (output) join(output, `${id} output`, listening)
      const program = { command, args, folder, environment, niced, limits }
      this.#send({ ...program, id, file, hasHook: answer !== undefined })
    })
    const signal = (name: NodeJS.Signals) => this.#send({ id, signal: name })
    return { stdin, stdout: output ?? Readable.from([]), begun: Promise.race([begun, exit]), signal, exit }
  }

  /** Ends the launcher process after the last process that it has started. */
  close(): void {
    this.#isClosing = true
    if (this.#children.size === 0 && this.#process.connected) this.#process.disconnect()
  }

  /** Whether this process waits for messages of the launcher process before it ends. */
  #keepAlive(isWaiting: boolean): void {
    const { channel } = this.#process
    this.#process[isWaiting ? 'ref' : 'unref']()
    channel?.[isWaiting ? 'ref' : 'unref']()
  }

  #send(order: Order): void {
    if (this.#process.connected) this.#process.send(order)
  }

  #receive(report: Exclude<Report, Listening>): void {
    const child = this.#children.get(report.id)
    if (!child) return
    if ('exit' in report) {
      this.#children.delete(report.id)
      this.#keepAlive(this.#children.size > 0)
      if (this.#isClosing) this.close()
      child.end(report.exit)
    } else if ('question' in report) void this.#answer(child, report)
    else {
      child.pid = report.pid
      child.begin()
    }
  }

  async #answer({ answer }: Child, { id, question }: { id: number; question: string }): Promise<void> {
    const line = await answer?.(question).catch(() => undefined)
    this.#send({ id, answer: line })
  }

  /** The launcher process has ended unexpectedly, and cannot report when its processes end. */
  #lose({ stderr, error }: Exit): void {
    const lost = unstarted(new Error(`the process that starts git has ended: ${error?.message ?? stderr}`))
    for (const [id, child] of this.#children)
      void endGroup(child).then(() => this.#receive({ id, exit: lost }))
  }
}

/** Connects to the launcher process; `role` is the number of a process, and `input` or `output`. */
function join(socket: Socket, role: string, { path, token }: Listening): void {
  socket.connect({ path }).write(`${token} ${role}\n`)
}

/** Passes the input on until either side ends. */
function passOn(stdin: PassThrough, input: Socket): void {
  stdin.once('close', () => input.end())
  if (stdin.destroyed) input.end()
  else stdin.pipe(input)
  // The process sends nothing on this connection; it closes when the process reads no more.
  input.resume().once('close', () => stdin.destroy())
}

/** Resolves when all output is read; output without a reader is dropped. */
async function readToEnd(output: Socket | undefined, { error }: Exit): Promise<void> {
  if (!output || output.closed) return
  const closed = new Promise((resolve) => output.once('close', resolve))
  if (error) output.destroy()
  else if (output.readableFlowing === null) output.resume()
  await closed
}

/** Ends a process and its descendants; resolves when they have ended, or after five seconds. */
async function endGroup(child: Child): Promise<void> {
  for (let tries = 0; tries < 100 && signalGroup(child, tries < 40 ? 'SIGTERM' : 'SIGKILL'); tries++)
    await sleep(50)
}
