import source from 'worker:./worker.ts'
import { files, wasm } from 'embedded:postgres'
import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'
import type { Program } from './channel.ts'
import { decompress } from './pack.ts'

/** Stack of the worker thread in MB: enough for PostgreSQL to stop a runaway recursion itself (`max_stack_depth`). */
const STACK = 16

/**
 * V8 optimizes a function of PostgreSQL when about this many of its bytes have run: a hundred times the default, which
 * much code that only runs once at startup would reach. Functions are validated when they are first called; most never
 * are.
 */
const WASM_FLAGS = ['--wasm-tiering-budget=180000000', '--wasm-lazy-validation']

/** The worker thread and the program that it will run: the part of a start that needs no folder. */
interface Prepared {
  thread: Worker
  program: Promise<Program>
}

let ahead: Prepared | undefined

/** Starts to prepare what `takePrepared` returns. Does not keep the process alive. */
function prepareAhead(): void {
  ahead ??= prepare()
  ahead.thread.unref()
}

/** Resolves when the preparation is complete. */
export async function prepared(): Promise<void> {
  prepareAhead()
  await ahead?.program
}

/** Returns what was prepared, once, or prepares it now. The caller must end the thread. */
export function takePrepared(): Prepared {
  const taken = ahead ?? prepare()
  ahead = undefined
  taken.thread.ref()
  return taken
}

function prepare(): Prepared {
  // The code comes from the bundle, because a single executable has no files beside it.
  const thread = new Worker(source(), { eval: true, resourceLimits: { stackSizeMb: STACK } })
  // Unpack here while the thread starts.
  const program = unpackProgram()
  program.catch(() => {})
  return { thread, program }
}

async function unpackProgram(): Promise<Program> {
  const [wasmBytes, fileBytes] = await Promise.all([decompress(wasm()), decompress(files())])
  for (const flag of WASM_FLAGS) setFlagsFromString(flag)
  return { wasm: await WebAssembly.compile(wasmBytes), files: new Uint8Array(fileBytes) }
}
