import { parentPort } from 'node:worker_threads'
import { type FromWorker, SYNCS, type WorkerStart } from './channel.ts'
import { inflate } from './inflate.ts'
import { startPglite } from './pglite.ts'
import { startupPacket } from './protocol.ts'
import { Session } from './session.ts'
import { commandLine } from './settings.ts'

/**
 * The thread that runs PostgreSQL. On the main thread, each statement and each fsync would block all requests. Measured
 * on two cores, in its own thread and on the main thread: 8,700 and 3,400 statements/s one after another, 70,000 and
 * 10,000 pipelined.
 */
async function main({ folder, wasm, files, port, counters }: WorkerStart): Promise<void> {
  const lastLogLines: string[] = []
  const counts = new Int32Array(counters)
  try {
    const pglite = await startPglite({
      folder,
      commandLine: commandLine(folder),
      wasm: await WebAssembly.compile(await inflate(wasm)),
      files: new Blob([await inflate(files)]),
      log: (line) => void lastLogLines.splice(0, lastLogLines.push(line) - 8),
      onSync: () => void Atomics.add(counts, SYNCS, 1),
    })
    const greeting = await pglite.execProtocolRaw(startupPacket('postgres', 'postgres'))
    port.postMessage({ greeting: greeting.slice() } satisfies FromWorker)
    new Session(pglite, port, counts).run()
    await pglite.close()
  } catch (error) {
    throw new Error(['The embedded PostgreSQL stopped', ...lastLogLines].join('\n'), { cause: error })
  }
  port.close()
}

parentPort?.once('message', (start: WorkerStart) => {
  main(start).catch((error) => {
    // Throw outside of the promise, so that the thread ends regardless of how the process handles rejections.
    setImmediate(() => {
      throw error
    })
  })
})
