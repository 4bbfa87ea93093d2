import source from 'worker:./worker.ts'
import { files, wasm } from 'embedded:postgres'
import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'
import type { Program } from './channel.ts'
import { decompress } from './pack.ts'

/** Stack of the worker thread in MB: PostgreSQL stops a runaway recursion itself (`max_stack_depth`) if there is room. */
const STACK = 16

/**
 * How much a function of PostgreSQL runs before V8 optimizes it, in its own rough bytes: thirty times its default, which
 * much of what a start runs once would reach; two processors would optimize that while the server should come up.
 */
const OPTIMIZED_AFTER = 50_000_000

/** What PostgreSQL runs in and what of it runs: all of a start that needs no folder. */
interface Prepared {
  thread: Worker
  program: Promise<Program>
}

let ahead: Prepared | undefined

/** Begins with what `takePrepared` will give. It keeps no process alive. */
export function prepareAhead(): void {
  ahead ??= prepare()
  ahead.thread.unref()
}

/** What was prepared ahead, once, or prepared now. Whoever has it ends the thread. */
export function takePrepared(): Prepared {
  const taken = ahead ?? prepare()
  ahead = undefined
  taken.thread.ref()
  return taken
}

function prepare(): Prepared {
  // The code comes from the bundle, not from a file: there is none beside a single executable.
  const thread = new Worker(source(), { eval: true, resourceLimits: { stackSizeMb: STACK } })
  // While the thread comes up, this one unpacks.
  const program = unpackProgram()
  program.catch(() => {})
  return { thread, program }
}

async function unpackProgram(): Promise<Program> {
  const [wasmBytes, fileBytes] = await Promise.all([decompress(wasm()), decompress(files())])
  setFlagsFromString(`--wasm-tiering-budget=${OPTIMIZED_AFTER}`)
  return { wasm: await WebAssembly.compile(wasmBytes), files: new Uint8Array(fileBytes) }
}
