import { availableParallelism, totalmem } from 'node:os'
import type { PostgresServer } from '../../support/postgres-server.ts'

/** When and on what a section was measured; nothing that names the machine. */
export function madeOn(server: PostgresServer | undefined): string {
  const parts = [
    new Date().toISOString().slice(0, 10),
    `${availableParallelism()} cores`,
    `${Math.round(totalmem() / 2 ** 30)} GB of memory`,
    `${process.platform} ${process.arch}`,
    `Node ${process.versions.node}`,
  ]
  if (server) parts.push(`PostgreSQL ${server.version}`)
  return `Measured ${parts.join(', ')}.`
}
