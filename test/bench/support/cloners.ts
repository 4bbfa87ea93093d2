import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { BenchContext } from './bench.ts'

/** What a process of clones did. */
export interface Cloned {
  clones: number
  seconds: number
}

/** Longest time until what has begun comes to its end, in milliseconds. */
const patience = 180_000

/** Starts a process that clones a repository until it is stopped; what has begun then comes to its end. */
export function startCloners(
  context: BenchContext,
  address: string,
  { atOnce, megabytes }: { atOnce: number; megabytes: number },
): { stop: () => Promise<Cloned> } {
  const words = [context.script('support/clone-process'), address, String(atOnce), String(megabytes)]
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  const abandon = () => child.kill('SIGKILL')
  process.once('exit', abandon)
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    said += text
  })
  const ended = once(child, 'close')
  return {
    stop: async () => {
      child.kill('SIGTERM')
      const cut = setTimeout(() => child.kill('SIGKILL'), patience)
      await ended
      clearTimeout(cut)
      process.off('exit', abandon)
      if (said === '') throw new Error('The clones did not come to their end')
      return JSON.parse(said)
    },
  }
}
