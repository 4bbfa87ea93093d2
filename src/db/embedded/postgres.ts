import { fdatasyncSync, fsyncSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'

/** The internals of PGlite used here: Emscripten's runtime with PostgreSQL's main loop split into single steps. */
export interface Runtime {
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

interface Stream {
  nfd: number
  node: { mode: number }
}

interface FileSystems {
  FS: { isDir(mode: number): boolean }
  NODEFS: { stream_ops: { fsync?: (stream: Stream) => number }; tryFSOperation(run: () => void): void }
}

/**
 * The host's file system with a working fsync. Emscripten has none (PostgreSQL's calls would succeed without effect),
 * and its fdatasync cannot be replaced, hence `wal_sync_method=fsync`. For a file, fdatasync(2) is enough: it includes
 * the size. For a folder it is not: names are only written by fsync(2). A failure is returned to PostgreSQL as an
 * errno; it stops then, as it must.
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
 * Server settings. WebAssembly only has single-user mode: there are no other processes, so no parallel or background
 * workers (maintenance.ts does their work). PGlite's own defaults include `-F`, which turns fsync off.
 */
const SETTINGS = {
  fsync: 'on',
  wal_sync_method: 'fsync',
  // The default depends on `shared_buffers`; on a small site a group commit can be as large as that.
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
  // Clients get every error; only errors that end the server are logged.
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

/** Minimum and maximum of PostgreSQL's own cache of tables, in megabytes. */
const BUFFER_MB = { least: 8, most: 32 }

/**
 * Half the size of the tables: all buffers are cleared at startup and stay resident. If the site grows, it gets more at
 * the next start; until then the operating system caches the files.
 */
function buffersFor(folder: string): number {
  const base = join(folder, 'base')
  const paths = readdirSync(base, { recursive: true, encoding: 'utf8' })
  const bytes = paths.reduce((sum, path) => sum + statSync(join(base, path)).size, 0)
  return Math.min(BUFFER_MB.most, Math.max(BUFFER_MB.least, Math.ceil(bytes / 2 / 2 ** 20)))
}

/** PGlite without its query of the type catalogue at startup (0.1 s): postgres.js reads what it needs. */
class Postgres extends PGlite {
  override async _initArrayTypes(): Promise<void> {}
}

/** A Blob that refers to the given bytes, for PGlite: a real one would copy them. */
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
 * Starts PostgreSQL on a data folder. `wasm` and `files` are PGlite's program and its read-only files; `log` gets the
 * lines of PostgreSQL's log; `onSync` is called when a file has been synced to the disk, before PostgreSQL continues.
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
