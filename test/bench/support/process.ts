import { readFileSync, writeFileSync } from 'node:fs'

/** What `/proc` (Linux) says of a process; undefined on other systems. */
function proc(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return undefined
  }
}

/** Clock ticks of a second: fixed at 100 in what Linux shows to programs. */
const ticksPerSecond = 100

/** Seconds of processor time that a process has used in all its threads, with the processes that it has started. */
export function processCpu(pid: number): number | undefined {
  // The name, in parentheses, may hold blanks; fields 14 to 17 are user and system time, its own and of ended children.
  const fields = proc(pid, 'stat')
    ?.replace(/^.*\) /s, '')
    .split(' ')
  if (!fields) return undefined
  const own = fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / ticksPerSecond
  const children = (proc(pid, `task/${pid}/children`) ?? '').split(' ').filter(Boolean)
  return children.reduce((sum, child) => sum + (processCpu(Number(child)) ?? 0), own)
}

/** Resident memory of a process in megabytes (10⁶): now, and the most it has been. */
export function processMemory(pid: number): { now: number; peak: number } | undefined {
  const status = proc(pid, 'status')
  if (status === undefined) return undefined
  const megabytes = (name: string) =>
    (Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024) / 1e6
  return { now: megabytes('VmRSS'), peak: megabytes('VmHWM') }
}

/** Lets `peak` begin again at what is resident now (`man proc`, clear_refs, 5). */
export function forgetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5')
  } catch {
    // Elsewhere the peak stays that of the whole life.
  }
}
