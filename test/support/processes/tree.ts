import { execFile } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'

/** Longest time until killed processes are gone, in milliseconds. */
const killPatience = 30_000

/**
 * Kills a process and its children: a server process that outlived its postmaster would keep the data locked. Waits
 * until their entries in the process table are gone too, by which PostgreSQL tells whether the lock file is a dead
 * one's.
 */
export async function killTree(parent: number): Promise<void> {
  // Stopped, it makes no more of them while they are counted; they themselves work on until the moment of the kill.
  signal(parent, 'SIGSTOP')
  const all = [parent, ...(await childrenOf(parent))]
  for (const pid of all) signal(pid, 'SIGKILL')
  const until = performance.now() + killPatience
  while (all.some((pid) => signal(pid, 0))) {
    if (performance.now() > until) throw new Error('Killed processes of PostgreSQL are still there')
    await pause(10)
  }
}

/** Sends SIGSTOP to a process and its children; gives a function that lets all of them go on. */
export async function stopTree(parent: number): Promise<() => void> {
  signal(parent, 'SIGSTOP')
  const all = [...(await childrenOf(parent)), parent]
  for (const pid of all) signal(pid, 'SIGSTOP')
  return () => {
    for (const pid of all) signal(pid, 'SIGCONT')
  }
}

/** Process ids of the direct children of a process. */
export async function childrenOf(parent: number): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'pid=', '--ppid', String(parent)])
  return stdout.split('\n').map(Number).filter(Boolean)
}

/** Sends a signal, or with 0 only asks; gives whether there was a process to hear it. */
export function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name)
  } catch {
    return false
  }
}
