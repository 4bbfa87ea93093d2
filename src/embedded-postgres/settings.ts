import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Server settings. WebAssembly only has single-user mode: there are no other processes, so no parallel or background
 * workers (maintenance.ts does their work). PGlite's own defaults turn fsync off.
 */
const SETTINGS = {
  fsync: 'on',
  // The only method that pglite.ts connects to the disk.
  wal_sync_method: 'fsync',
  // The default depends on `shared_buffers`, and on a small site a group commit may exceed it.
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

/** The command line of PostgreSQL. `--single` must come first; `-j`: a newline does not end a query. */
export function commandLine(folder: string): string[] {
  const settings = { ...SETTINGS, shared_buffers: `${bufferMegabytes(folder)}MB` }
  return [
    '--single',
    '-j',
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]
}

/** Minimum and maximum of PostgreSQL's own cache of tables, in megabytes. */
const BUFFERS = { minimum: 8, maximum: 32 }

/**
 * Half the size of the tables: all buffers are cleared at startup and stay resident. If the tables grow, they get more
 * at the next start; until then the operating system caches the files.
 */
function bufferMegabytes(folder: string): number {
  const base = join(folder, 'base')
  const paths = readdirSync(base, { recursive: true, encoding: 'utf8' })
  const bytes = paths.reduce((sum, path) => sum + statSync(join(base, path)).size, 0)
  return Math.min(BUFFERS.maximum, Math.max(BUFFERS.minimum, Math.ceil(bytes / 2 / 2 ** 20)))
}
