import { availableParallelism, totalmem } from 'node:os'
import { postgresVersion } from '../../support/postgres-server.ts'

/** When and on what a section was measured; nothing that names the machine. */
export function madeOn(): string {
  const parts = [
    new Date().toISOString().slice(0, 10),
    `${availableParallelism()} cores`,
    `${Math.round(totalmem() / 2 ** 30)} GB of memory`,
    `${process.platform} ${process.arch}`,
    `Node ${process.versions.node}`,
  ]
  const version = postgresVersion()
  if (version !== undefined) parts.push(`PostgreSQL ${version}`)
  return `Measured ${parts.join(', ')}.`
}
