/**
 * Who takes work that outlasts a transaction writes a mark of its own into the row, and until when it holds that. A process
 * that has been silent for this long, in milliseconds, is taken to be dead, and others take over; what may last longer
 * shows signs of life. The mark decides whose work it is: who was only stopped, or cut off, finds another one there.
 *
 * No shorter than a failover of the database takes, in which nobody can show signs of life.
 */
export const lease = 60_000

/** Milliseconds between two signs of life: two may be lost. */
export const beatOf = (held: number): number => held / 3
