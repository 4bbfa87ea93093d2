import { fdatasyncSync, fsyncSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'

/** What this server needs of PGlite's inside: Emscripten's runtime with PostgreSQL's main loop cut open. */
export interface Runtime {
  wasmMemory: WebAssembly.Memory
  addFunction(callback: (pointer: number, length: number) => number, signature: string): number
  stackSave(): number
  stackRestore(pointer: number): void
  /** Installs the two functions through which PostgreSQL reads from its client and writes to it. */
  _pgl_set_rw_cbs(read: number, write: number): void
  /** Reads one message, runs it, writes the reply. */
  _PostgresMainLoopOnce(): void
  /** What PostgreSQL does after an ERROR has jumped out of the loop: roll back, tell the client. */
  _PostgresMainLongJmp(): void
}

interface Stream {
  nfd: number
  node: { mode: number }
}

interface FileSystems {
  FS: { isDir(mode: number): boolean }
  NODEFS: { stream_ops: { fsync?: (stream: Stream) => number }; tryFSOperation(run: () => void): void }
}

/**
 * The host's file system with a working fsync. Emscripten's has none (PostgreSQL's calls would succeed and do nothing)
 * and its fdatasync cannot be supplied, hence `wal_sync_method=fsync`. For a file fdatasync(2) is enough: it includes
 * the size. For a folder it is not: names are written by fsync(2) alone. A failure reaches PostgreSQL as an errno, which
 * stops at it, as it must.
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

function addFsync({ FS, NODEFS }: FileSystems, onSync: () => void): void {
  NODEFS.stream_ops.fsync = (stream) => {
    NODEFS.tryFSOperation(() => (FS.isDir(stream.node.mode) ? fsyncSync : fdatasyncSync)(stream.nfd))
    onSync()
    return 0
  }
}

/**
 * Server settings. Single-user mode is the only one WebAssembly has: no other process, hence no parallel or background
 * workers (see upkeep.ts for what they would have done). PGlite's own defaults add `-F`, which turns fsync off.
 */
const SETTINGS = {
  fsync: 'on',
  wal_sync_method: 'fsync',
  // By default it follows `shared_buffers`, and common commits of many are as large on a small site.
  wal_buffers: '1MB',
  maintenance_work_mem: '32MB',
  min_wal_size: '16MB',
  timezone: 'UTC',
  io_method: 'sync',
  max_worker_processes: '0',
  max_parallel_workers: '0',
  max_parallel_workers_per_gather: '0',
  max_parallel_maintenance_workers: '0',
  exit_on_error: 'off',
  // The client is told of every error; only what ends the server is worth the text.
  log_min_messages: 'fatal',
  log_checkpoints: 'off',
}

/** `--single` must come first; `-j`: a newline does not end a query. */
const startParams = (folder: string) => [
  '--single',
  '-j',
  ...Object.entries({ ...SETTINGS, shared_buffers: `${buffersFor(folder)}MB` }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]),
]

/** Least and most megabytes of tables that PostgreSQL keeps at hand itself. */
const BUFFERS = { least: 8, most: 32 }

/**
 * Half of what the tables take: all buffers are cleared at a start and stay resident. A site that has grown gets more at
 * its next start; until then the operating system caches its files.
 */
function buffersFor(folder: string): number {
  const base = join(folder, 'base')
  const paths = readdirSync(base, { recursive: true, encoding: 'utf8' })
  const bytes = paths.reduce((sum, path) => sum + statSync(join(base, path)).size, 0)
  return Math.min(BUFFERS.most, Math.max(BUFFERS.least, Math.ceil(bytes / 2 / 2 ** 20)))
}

/** PGlite without its own reading of the type catalogue at start (0.1 s): postgres.js reads what it needs. */
class Postgres extends PGlite {
  override async _initArrayTypes(): Promise<void> {}
}

/** What PGlite takes for a file: a Blob would hold the bytes once more. */
class Bytes extends Blob {
  readonly #bytes: ArrayBuffer

  constructor(bytes: Uint8Array<ArrayBuffer>) {
    super()
    this.#bytes = bytes.buffer
  }

  override async arrayBuffer(): Promise<ArrayBuffer> {
    return this.#bytes
  }
}

/**
 * Starts PostgreSQL on a data folder. `wasm` and `files` are PGlite's program and its read-only files, `log` gets
 * PostgreSQL's own lines, and `onSync` is called when a file has been written to the disk, before PostgreSQL goes on.
 */
export async function startPostgres(options: {
  folder: string
  wasm: WebAssembly.Module
  files: Uint8Array<ArrayBuffer>
  log: (line: string) => void
  onSync: () => void
}): Promise<PGlite> {
  const postgres = new Postgres({
    fs: new DurableFS(options.folder, options.onSync),
    pgliteWasmModule: options.wasm,
    fsBundle: new Bytes(options.files),
    startParams: startParams(options.folder),
    onStderr: (line) => {
      options.log(line)
      return false
    },
  })
  await postgres.waitReady
  return postgres
}
