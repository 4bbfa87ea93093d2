import { keepAsking, requestText } from './connection.ts'
import { processCpu } from './process.ts'

/** What the load process is told: one kind of request, from many connections, for a while. */
export interface Plan {
  port: number
  /** The measured server; its processor time is read while it works. */
  pid: number
  connections: number
  /** Not counted. */
  warmUpSeconds: number
  seconds: number
  method: 'GET' | 'POST'
  path: string
  /** `{n}` in it becomes a number of twelve digits that is used once. */
  body?: string
  /** Header of that name. */
  authorization?: string
  /** `Accept-Encoding`. */
  encoding?: string
  /** Any other answer fails the measurement. */
  status: number
}

/** What it has seen. Times of one answer are in milliseconds. */
export interface Load {
  perSecond: number
  median: number
  p99: number
  /** Processors that were busy with the server, and with the load process itself; undefined where unknown. */
  serverCpu: number | undefined
  clientCpu: number
  /** Processor time of the server for one request, in microseconds: says more than the rate on a shared machine. */
  serverMicros: number | undefined
}

/** Runs a plan in this process. @throws Error when a connection breaks or an answer has another status */
export async function runPlan(plan: Plan): Promise<Load> {
  const asking = new Asking(plan)
  const connections = Array.from({ length: plan.connections }, () => asking.connection())
  const ended = Promise.all(connections)
  await passing(plan.warmUpSeconds, ended)
  const before = { ...clocks(plan.pid), count: asking.restart() }
  await passing(plan.seconds, ended)
  const after = { ...clocks(plan.pid), count: asking.count }
  asking.stop()
  await ended
  return summary(before, after, asking.times)
}

interface Reading {
  wall: number
  client: number
  server: number | undefined
  count: number
}

/** Seconds of the wall and of the processors. */
function clocks(pid: number) {
  const { user, system } = process.cpuUsage()
  return { wall: performance.now() / 1000, client: (user + system) / 1e6, server: processCpu(pid) }
}

function summary(before: Reading, after: Reading, times: number[]): Load {
  const wall = after.wall - before.wall
  const count = after.count - before.count
  const server =
    after.server === undefined || before.server === undefined ? undefined : after.server - before.server
  const sorted = Float64Array.from(times).sort()
  return {
    perSecond: count / wall,
    median: sorted[Math.floor(sorted.length * 0.5)] ?? Number.NaN,
    p99: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN,
    serverCpu: server === undefined ? undefined : server / wall,
    clientCpu: (after.client - before.client) / wall,
    serverMicros: server === undefined ? undefined : (server / count) * 1e6,
  }
}

/** The requests of a plan and what is counted of their answers. */
class Asking {
  readonly #plan: Plan
  readonly #request: () => string | Buffer
  #stopped = false
  count = 0
  times: number[] = []

  constructor(plan: Plan) {
    this.#plan = plan
    this.#request = requestsOf(plan)
  }

  restart(): number {
    this.times = []
    return this.count
  }

  stop(): void {
    this.#stopped = true
  }

  async connection(): Promise<void> {
    let sent = 0
    const byItself = await keepAsking({
      port: this.#plan.port,
      next: () => {
        if (this.#stopped) return undefined
        sent = performance.now()
        return this.#request()
      },
      answered: (status) => {
        if (status !== this.#plan.status) throw new Error(`${this.#plan.path} answered ${status}`)
        this.count++
        this.times.push(performance.now() - sent)
      },
    })
    if (!byItself) throw new Error('The server closed a connection under load')
  }
}

function requestsOf({ method, path, body, authorization, encoding }: Plan): () => string | Buffer {
  if (body === undefined) {
    const request = Buffer.from(requestText(method, path, undefined, authorization, encoding))
    return () => request
  }
  // Far enough apart that a process that follows at once does not use a number again.
  let used = (Date.now() % 1e9) * 100
  const text = requestText(method, path, body.replaceAll('{n}', '000000000000'), authorization)
  return () => text.replaceAll('000000000000', String(++used).padStart(12, '0'))
}

/** Waits, unless a connection fails before. */
function passing(seconds: number, ended: Promise<unknown>): Promise<unknown> {
  return Promise.race([ended, new Promise((resolve) => setTimeout(resolve, seconds * 1000))])
}
