/**
 * How long a process may hold work that outlasts a transaction, in milliseconds, without a heartbeat. The process
 * writes its own mark and the expiry time into the row; after that time it is taken for dead, and others take over.
 * Longer work must send heartbeats. The mark decides who owns the work: a process that was only suspended or
 * disconnected finds another mark in the row.
 *
 * Not shorter than a failover of the database, during which no heartbeat can be sent.
 */
export const lease = 60_000

/** Milliseconds between two heartbeats: two in a row may be lost. */
export const heartbeatInterval = (duration: number): number => duration / 3
