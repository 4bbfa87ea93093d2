import { readlinkSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'

/** What a thread sends: first where its processor time is told, then the outcome of each request. */
export type ThreadMessage<Outcome> = { clock: string | undefined } | { outcome: Outcome }

/** Answers the requests of a pool in this thread, one at a time: the pool sends the next one after the outcome. */
export function answerRequests<Request, Outcome>(outcomeOf: (request: Request) => Outcome): void {
  const say = (message: ThreadMessage<Outcome>) => parentPort?.postMessage(message)
  say({ clock: ownClock() })
  parentPort?.on('message', (request: Request) => say({ outcome: outcomeOf(request) }))
}

/** The file in which the kernel counts the time that this thread has run, see proc_pid_schedstat(5); undefined without Linux. */
function ownClock(): string | undefined {
  try {
    return `/proc/${readlinkSync('/proc/thread-self')}/schedstat`
  } catch {
    return undefined
  }
}
