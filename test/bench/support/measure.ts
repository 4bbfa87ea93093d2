import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { type Ground, median } from './bench.ts'
import type { Child } from './child.ts'
import type { Load, Plan } from './load.ts'

/** What is asked of a server, and how it is to answer. */
export type Request = Pick<Plan, 'method' | 'path' | 'body' | 'authorization' | 'status'>

/** Loads a server from a process of its own and gives what that has seen. */
export async function measure(
  ground: Ground,
  { port, pid }: Child,
  request: Request,
  connections: number,
): Promise<Load> {
  const { seconds } = ground.settings
  const plan: Plan = { port, pid, connections, warmUpSeconds: seconds / 3, seconds, ...request }
  const words = [ground.script('support/load-process'), JSON.stringify(plan)]
  const { stdout } = await promisify(execFile)(process.execPath, words, {
    timeout: (seconds * 2 + 30) * 1000,
  })
  return JSON.parse(stdout)
}

/** The load of the middle rate. */
export function middle(loads: readonly Load[]): Load {
  const wanted = median(loads.map(({ perSecond }) => perSecond))
  const load = loads.find(({ perSecond }) => perSecond === wanted)
  if (!load) throw new Error('Nothing was measured')
  return load
}

/** Sizes of a reply's body, for a peer that answers with as much. */
export async function replySize({ port }: Child, path: string): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`)
  return (await answer.arrayBuffer()).byteLength
}
