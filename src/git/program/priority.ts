import type { ChildProcess } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasCode } from '../../common/errors.ts'

/** Niceness of long runs: only few run at a time, and with a higher number a busy machine would starve them. */
const niceness = 10

/** Lowers the priority of a process and its children below everything else on the machine, where possible. */
export function lowerPriority(child: ChildProcess): void {
  if (child.pid === undefined) return
  try {
    setPriority(child.pid, niceness)
  } catch {
    // The process has already ended.
  }
  void lowerGroupPriority(child, child.pid)
}

/**
 * Linux schedules sessions before processes (sched(7), "The autogroup feature"), and each git process leads a session,
 * so its own niceness alone would have no effect. An unprivileged user may change ten per second; beyond that this
 * retries.
 */
async function lowerGroupPriority(child: ChildProcess, pid: number): Promise<void> {
  for (let tries = 0; tries < 5 && child.exitCode === null; tries++) {
    try {
      return await writeFile(`/proc/${pid}/autogroup`, String(niceness))
    } catch (error) {
      if (!hasCode(error, 'EAGAIN')) return
      await sleep(200, undefined, { ref: false })
    }
  }
}
