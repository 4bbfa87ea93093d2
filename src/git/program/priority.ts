import type { ChildProcess } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasCode } from '../../errors.ts'

/** Niceness of long runs: few of them run at a time, and greater numbers would let a busy machine starve them. */
const niceness = 10

/** Lets everything else on the machine go before a process and what it starts, where the system can do that. */
export function stepBack(child: ChildProcess): void {
  if (child.pid === undefined) return
  try {
    setPriority(child.pid, niceness)
  } catch {
    // It has ended already.
  }
  void stepBackAsGroup(child, child.pid)
}

/**
 * Linux shares time among sessions first (sched(7), "The autogroup feature"), and each git leads one, so that its own
 * niceness alone would mean nothing. An ordinary user may change ten of them a second; beyond that it is tried again.
 */
async function stepBackAsGroup(child: ChildProcess, pid: number): Promise<void> {
  for (let tries = 0; tries < 5 && child.exitCode === null; tries++) {
    try {
      return await writeFile(`/proc/${pid}/autogroup`, String(niceness))
    } catch (error) {
      if (!hasCode(error, 'EAGAIN')) return
      await sleep(200, undefined, { ref: false })
    }
  }
}
