import type { Duplex } from 'node:stream'
import { ensureCluster } from './cluster.ts'
import type { Parts } from './parts.ts'
import { Server } from './server.ts'

export type { Parts }

/** A running PostgreSQL. */
export interface EmbeddedPostgres {
  /** Settles when it has started; rejects with PostgreSQL's error message if it cannot. Connections wait for it. */
  opened: Promise<unknown>
  /**
   * A new connection in place of a socket, for postgres.js: `postgres({ socket: () => server.connect(), max: 1 })`.
   * PostgreSQL has only one session here: while another connection is open, a new one fails with ECONNREFUSED.
   */
  connect(): Duplex
  /**
   * The version of the committed data: it changes with each commit, before the commit is acknowledged, and no value
   * returns. Undefined while PostgreSQL is not running.
   */
  version(): number | undefined
  /**
   * Stops PostgreSQL with its shutdown checkpoint. Afterwards nothing keeps the process alive. If this takes longer
   * than 1 s, PostgreSQL is killed and the next start replays the log; acknowledged commits are on disk.
   */
  close(): Promise<void>
  /** Kills PostgreSQL, because another process uses the folder. Connections fail with `reason` from now on. */
  abandon(reason: string): void
}

/**
 * Starts PostgreSQL in a thread on the data folder `folder`, which is created if it is missing. Every acknowledged
 * commit is on disk. The caller makes sure that no other process uses the folder: two would destroy it.
 *
 * When this resolves, PostgreSQL may still be starting, but its thread needs nothing more from this thread.
 */
export async function startEmbeddedPostgres(options: {
  folder: string
  parts: Parts
}): Promise<EmbeddedPostgres> {
  const { folder, parts } = options
  await ensureCluster(folder, parts.cluster)
  const server = new Server(folder, parts)
  const opened = server.start()
  // Callers that await `opened` get the error; if the server is closed before that, it does not matter.
  opened.catch(() => {})
  return {
    opened,
    connect: () => server.connect(),
    version: () => server.version(),
    close: () => server.stop(),
    abandon: (reason) => server.abandon(reason),
  }
}
