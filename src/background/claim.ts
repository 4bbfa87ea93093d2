/**
 * How long a process may hold work that outlasts a transaction, in milliseconds, without a heartbeat. The process
 * writes a random mark and the expiry time into the row; after that time others assume that it is dead and take over.
 * Longer work must send heartbeats. The mark tells who owns the work: a process that was only suspended or disconnected
 * finds another mark in the row.
 *
 * It is longer than a failover of the database, during which no heartbeat can be sent.
 */
export const lease = 60_000

/** Milliseconds between two heartbeats: two in a row may be lost. */
export const heartbeatInterval = (duration: number): number => duration / 3
