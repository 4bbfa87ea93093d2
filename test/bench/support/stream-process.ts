import { Streams } from './streams.ts'

// The readers have a process of their own, which publishes too: so one clock sees a change leave and arrive.

/** What the process is told: to open so many streams, or to publish once. */
export type StreamOrder = { open: number } | { publish: string }

const streams = new Streams(Number(process.argv[2]))

process.on('message', async (order: StreamOrder) => {
  process.send?.('open' in order ? await streams.open(order.open) : await streams.publish(order.publish))
})
// Whoever began this process has ended.
process.once('disconnect', () => process.exit())
