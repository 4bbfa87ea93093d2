import { clockSet } from './clock.ts'
import { databaseKilled, databasePaused, databaseSlow, databaseStopped } from './database.ts'
import { diskFull, diskFullEmbedded, logFull } from './disk.ts'
import { failover } from './failover.ts'
import { busyHour } from './memory.ts'
import { processKilled } from './processes.ts'
import { embeddedKilled, serverKilled, wrongKey } from './server.ts'
import { idle, slowReaders, slowSenders } from './slow.ts'
import type { Fault } from './support/fault.ts'

/** All faults, in the order in which they are brought and reported. */
export const faults: readonly Fault[] = [
  databaseKilled,
  databaseStopped,
  databasePaused,
  databaseSlow,
  failover,
  processKilled,
  serverKilled,
  embeddedKilled,
  slowSenders,
  slowReaders,
  idle,
  diskFull,
  diskFullEmbedded,
  logFull,
  wrongKey,
  clockSet,
  busyHour,
]
