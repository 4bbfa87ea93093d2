import { parentPort } from 'node:worker_threads'
import { SYNCS, type WorkerStart } from './channel.ts'
import { startPostgres } from './postgres.ts'
import { startupPacket } from './protocol.ts'
import { Session } from './session.ts'

/**
 * The thread PostgreSQL runs in. On the main thread each statement and each fsync would stop every request. Measured on
 * two cores, in a thread of its own and on the main thread: 8,700 and 3,400 statements/s one after another, 70,000 and
 * 10,000 pipelined; so the thread is not even paid for with speed.
 */
async function main(start: WorkerStart): Promise<void> {
  const lastLines: string[] = []
  const log = (line: string) => void lastLines.splice(0, lastLines.push(line) - 8)
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
    throw new Error(['The embedded PostgreSQL stopped', ...lastLines].join('\n'), { cause: error })
  }
  start.port.close()
}

parentPort?.once('message', (start: WorkerStart) => {
  main(start).catch((error) => {
    // Out of the promise, so that the thread ends whatever the process is told to do with rejections.
    setImmediate(() => {
      throw error
    })
  })
})
