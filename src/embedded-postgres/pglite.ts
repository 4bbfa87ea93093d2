import { fdatasyncSync, fsyncSync } from 'node:fs'
import { PGlite } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'

/**
 * The release of PGlite for which this folder was written; a test compares it with the installed one. The folder uses the
 * following parts of PGlite beyond its documented interface. When the release changes, check these, then run
 * `test/embedded-postgres`:
 *
 * - `PGlite.Module` is Emscripten's runtime, with PostgreSQL's main loop split into the exported functions of
 *   `Runtime`, and with a jump out of an error reported as an exception of status 100.
 * - The filesystem class's `init` returns Emscripten's options; the functions in `preRun` get the runtime with `FS` and
 *   `NODEFS`, whose `stream_ops.fsync` PostgreSQL's fsync ends in.
 * - `_initArrayTypes` reads the type catalogue at the start.
 * - `startParams` replaces all of PGlite's own parameters (among them `-F`, which turns fsync off).
 * - A PostgreSQL of a new major version needs a new cluster: `make-cluster.ts`.
 */
export const PGLITE_RELEASE = '0.5.16'

/** The functions of Emscripten's runtime and of PostgreSQL used here. */
interface Runtime {
  wasmMemory: WebAssembly.Memory
  addFunction(callback: (pointer: number, length: number) => number, signature: string): number
  stackSave(): number
  stackRestore(pointer: number): void
  /** Installs the callbacks through which PostgreSQL reads from its client and writes to it. */
  _pgl_set_rw_cbs(read: number, write: number): void
  /** Reads and runs one message and writes the reply. */
  _PostgresMainLoopOnce(): void
  /** PostgreSQL's error handling after an ERROR has jumped out of the loop: roll back and report to the client. */
  _PostgresMainLongJmp(): void
}

/** The status of the exception that stands for PostgreSQL's jump back to its main loop. */
const LONGJMP = 100

interface Stream {
  nfd: number
  node: { mode: number }
}

interface FileSystems {
  FS: { isDir(mode: number): boolean }
  NODEFS: { stream_ops: { fsync?: (stream: Stream) => number }; tryFSOperation(run: () => void): void }
}

/**
 * Starts PostgreSQL on a data folder. `wasm` and `files` are PGlite's program and its read-only files; `log` gets the
 * lines of PostgreSQL's log; `onSync` is called when a file has been synced to the disk, before PostgreSQL continues.
 */
export async function startPglite(options: {
  folder: string
  commandLine: string[]
  wasm: WebAssembly.Module
  files: Blob
  log: (line: string) => void
  onSync: () => void
}): Promise<PGlite> {
  const pglite = new Untyped({
    fs: new DurableFS(options.folder, options.onSync),
    pgliteWasmModule: options.wasm,
    fsBundle: options.files,
    startParams: options.commandLine,
    onStderr: (line) => {
      options.log(line)
      return false
    },
  })
  await pglite.waitReady
  return pglite
}

/** PGlite without its query of the type catalogue: clients read what they need, and each start would wait for it. */
class Untyped extends PGlite {
  override async _initArrayTypes(): Promise<void> {}
}

/**
 * The host's file system with a working fsync. Emscripten has none (PostgreSQL's calls would succeed without effect),
 * and its fdatasync cannot be replaced, hence `wal_sync_method=fsync`.
 */
class DurableFS extends NodeFS {
  readonly #onSync: () => void

  constructor(folder: string, onSync: () => void) {
    super(folder)
    this.#onSync = onSync
  }

  override async init(...[pglite, options]: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(pglite, options)
    const preRun = [...(emscriptenOpts.preRun ?? []), (mod: FileSystems) => addFsync(mod, this.#onSync)]
    return { emscriptenOpts: { ...emscriptenOpts, preRun } }
  }
}

/**
 * For a file, fdatasync(2) is enough: it includes the size. For a folder it is not: names are only written by fsync(2).
 * A failure is returned to PostgreSQL as an errno; it stops then, as it must.
 */
function addFsync({ FS, NODEFS }: FileSystems, onSync: () => void): void {
  NODEFS.stream_ops.fsync = (stream) => {
    NODEFS.tryFSOperation(() => (FS.isDir(stream.node.mode) ? fsyncSync : fdatasyncSync)(stream.nfd))
    onSync()
    return 0
  }
}

/** PostgreSQL's client, as PostgreSQL sees it. */
interface Client {
  /** Returns 1 to `max` bytes; blocks until there are some. */
  read(max: number): Uint8Array
  /** Takes bytes, which are only valid during the call. */
  write(bytes: Uint8Array): void
}

/**
 * Connects PostgreSQL to its client. Returns a function that runs one step of PostgreSQL's main loop, which reads and
 * answers about one message. It throws when PostgreSQL has crashed.
 */
export function mainLoop(pglite: PGlite, client: Client): () => void {
  const runtime: Runtime = pglite.Module
  const memory = (at: number, length: number) => new Uint8Array(runtime.wasmMemory.buffer, at, length)
  const read = (at: number, max: number) => {
    const bytes = client.read(max)
    memory(at, bytes.length).set(bytes)
    return bytes.length
  }
  const write = (at: number, length: number) => {
    client.write(memory(at, length))
    return length
  }
  runtime._pgl_set_rw_cbs(runtime.addFunction(read, 'ipi'), runtime.addFunction(write, 'ipi'))
  return () => runStep(runtime)
}

function runStep(runtime: Runtime): void {
  const stack = runtime.stackSave()
  try {
    runtime._PostgresMainLoopOnce()
  } catch (error) {
    // After anything but PostgreSQL's jump (a trap, an exit), its memory is in an undefined state.
    if (!isLongJump(error)) throw error
    runtime.stackRestore(stack)
    runtime._PostgresMainLongJmp()
  }
}

function isLongJump(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'status' in error && error.status === LONGJMP
}
