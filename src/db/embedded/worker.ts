import { parentPort } from 'node:worker_threads'
import { SYNCS, type WorkerStart } from './channel.ts'
import { startPostgres } from './postgres.ts'
import { startupPacket } from './protocol.ts'
import { Session } from './session.ts'

/**
 * The thread that runs PostgreSQL. On the main thread, each statement and each fsync would block all requests. Measured
 * on two cores, in its own thread and on the main thread: 8,700 and 3,400 statements/s one after another, 70,000 and
 * 10,000 pipelined; so the thread does not even cost speed.
 */
async function main(start: WorkerStart): Promise<void> {
  const lastLogLines: string[] = []
  const log = (line: string) => void lastLogLines.splice(0, lastLogLines.push(line) - 8)
  try {
    const counters = new Int32Array(start.counters)
    const onSync = () => void Atomics.add(counters, SYNCS, 1)
    const { folder, wasm, files } = start
    const pglite = await startPostgres({ folder, wasm, files, log, onSync })
    const greeting = await pglite.execProtocolRaw(startupPacket('postgres', 'postgres'))
    start.port.postMessage({ greeting: greeting.slice() })
    new Session(pglite.Module, start.port, start.counters).run()
    await pglite.close()
  } catch (error) {
    throw new Error(['The embedded PostgreSQL stopped', ...lastLogLines].join('\n'), { cause: error })
  }
  start.port.close()
}

parentPort?.once('message', (start: WorkerStart) => {
  main(start).catch((error) => {
    // Throw outside of the promise, so that the thread ends regardless of how the process handles rejections.
    setImmediate(() => {
      throw error
    })
  })
})
