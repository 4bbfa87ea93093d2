import source from 'worker:./worker.ts'
import { files, wasm } from 'embedded:postgres'
import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'
import type { Program } from './channel.ts'
import { decompress } from './pack.ts'

/** Stack of the worker thread in MB: PostgreSQL stops a runaway recursion itself (`max_stack_depth`) if there is room. */
const STACK = 16

/**
 * V8 optimizes a function of PostgreSQL when it has run so many of its bytes, roughly: a hundred times as many as by
 * default, which much of what a start runs once would reach. It validates functions when they are first called; most
 * never are.
 */
const WASM_FLAGS = ['--wasm-tiering-budget=180000000', '--wasm-lazy-validation']

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

/** Settles when nothing remains to be prepared. */
export async function prepared(): Promise<void> {
  prepareAhead()
  await ahead?.program
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
  for (const flag of WASM_FLAGS) setFlagsFromString(flag)
  return { wasm: await WebAssembly.compile(wasmBytes), files: new Uint8Array(fileBytes) }
}
