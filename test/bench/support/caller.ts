import { connect } from 'node:net'
import { AnswerReader } from './answer-reader.ts'

/** One keep-alive connection that asks when it is told to. */
export interface Caller {
  /** Sends one request and waits for its whole answer; gives the milliseconds. @throws Error unless it succeeded */
  ask: (request: string) => Promise<number>
  close: () => void
}

/** Opens a connection to 127.0.0.1. */
export function openCaller(port: number): Caller {
  let waiting: { resolve: (milliseconds: number) => void; reject: (error: Error) => void } | undefined
  let sent = 0
  const reader = new AnswerReader((status) => {
    if (status >= 200 && status < 300) waiting?.resolve(performance.now() - sent)
    else waiting?.reject(new Error(`Answered with ${status}`))
  })
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  socket.on('data', (bytes) => reader.feed(bytes, bytes.length))
  socket.on('error', (error) => waiting?.reject(error))
  return {
    ask: (request) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject }
        sent = performance.now()
        socket.write(request)
      }),
    close: () => socket.destroy(),
  }
}

/**
 * Asks both servers for the same, by turns, for some seconds after a third as much of warm-up; gives all times of each.
 * What else the machine does lies on both alike. `before` is asked before each of them and not counted.
 */
export async function askByTurns(
  ports: readonly [number, number],
  request: string,
  seconds: number,
  before?: string,
): Promise<[number[], number[]]> {
  const [one, other] = [openCaller(ports[0]), openCaller(ports[1])]
  const times: [number[], number[]] = [[], []]
  const counted = performance.now() + (seconds / 3) * 1000
  const end = counted + seconds * 1000
  const askOnce = async (caller: Caller) => {
    if (before !== undefined) await caller.ask(before)
    return caller.ask(request)
  }
  while (performance.now() < end) {
    const pair = [await askOnce(one), await askOnce(other)] as const
    if (performance.now() < counted) continue
    times[0].push(pair[0])
    times[1].push(pair[1])
  }
  one.close()
  other.close()
  return times
}
