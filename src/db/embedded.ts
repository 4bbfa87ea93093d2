import type { Duplex } from 'node:stream'
export async function openEmbedded(_: {
  dataDir: string
}): Promise<{ connect: () => Duplex; maxConnections: number; close: () => Promise<void> }> {
  throw new Error('The embedded database is not part of this build yet: set DATABASE_URL')
}
