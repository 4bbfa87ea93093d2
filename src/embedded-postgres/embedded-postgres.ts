import { ensureCluster } from './cluster.ts'
import type { Parts } from './parts.ts'
import { Server } from './server.ts'

export type { Parts }

/** A running PostgreSQL. */
export type EmbeddedPostgres = Awaited<ReturnType<typeof startEmbeddedPostgres>>

/**
 * Starts PostgreSQL in a thread on the data folder `folder`, which is created if it is missing. Every acknowledged
 * commit is on disk. The caller makes sure that no other process uses the folder: two would destroy it.
 *
 * When this resolves, PostgreSQL may still be starting, but its thread needs nothing more from this thread.
 */
export async function startEmbeddedPostgres({ folder, parts }: { folder: string; parts: Parts }) {
  await ensureCluster(folder, parts.cluster)
  const server = new Server(folder, parts)
  const opened = server.start()
  // Callers that await `opened` get the error. Nobody needs it if the server is closed before that.
  opened.catch(() => {})
  return {
    /** Settles when it has started; rejects with PostgreSQL's error message if it cannot. Connections wait for it. */
    opened,
    /**
     * A new connection in place of a socket, for postgres.js: `postgres({ socket: () => server.connect(), max: 1 })`.
     * PostgreSQL has only one session here: while another connection is open, a new one fails with ECONNREFUSED.
     */
    connect: () => server.connect(),
    /**
     * The version of the committed data: it changes with each commit, before the commit is acknowledged, and no value is
     * reused. Undefined while PostgreSQL is not running.
     */
    version: () => server.version(),
    /**
     * Stops PostgreSQL with its shutdown checkpoint. Afterwards it no longer keeps the process alive. If this takes longer
     * than 1 s, PostgreSQL is killed and the next start replays the log; acknowledged commits are on disk.
     */
    close: () => server.stop(),
    /** Kills PostgreSQL, because another process uses the folder. Connections fail with `reason` from now on. */
    abandon: (reason: string) => server.abandon(reason),
  }
}
