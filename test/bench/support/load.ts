import { keepAsking, requestText } from './connection.ts'
import { processCpu } from './process.ts'

/** What is asked of a server, and how it is to answer. */
export interface Request {
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

/** What the load process is told: requests by turns, from many connections, for a while. */
export interface Plan {
  port: number
  /** The measured server; its processor time is read while it works. */
  pid: number
  /** Further processes of it, which get connections by turns; their processor time is added. */
  others?: readonly { port: number; pid: number }[]
  /** The database server, if its processor time is to be read too. */
  databasePid?: number
  connections: number
  /** Not counted. */
  warmUpSeconds: number
  seconds: number
  requests: readonly Request[]
}

/** What it has seen. Times of one answer are in milliseconds. */
export interface Load {
  perSecond: number
  median: number
  p99: number
  /** Processors that were busy with the server, and with the load process itself; undefined where unknown. */
  serverCpu: number | undefined
  clientCpu: number
  /** Processors that were busy with the database server; absent where none was named. */
  databaseCpu?: number
  /** Processor time of the server for one request, in microseconds: says more than the rate on a shared machine. */
  serverMicros: number | undefined
}

/** Runs a plan in this process. @throws Error when a connection breaks or an answer has another status */
export async function runPlan(plan: Plan): Promise<Load> {
  const asking = new Asking(plan)
  const connections = Array.from({ length: plan.connections }, (_, at) => asking.connection(at))
  const ended = Promise.all(connections)
  await passing(plan.warmUpSeconds, ended)
  const before = { ...clocks(plan), count: asking.restart() }
  await passing(plan.seconds, ended)
  const after = { ...clocks(plan), count: asking.count }
  asking.stop()
  await ended
  return summary(before, after, asking.times)
}

interface Reading {
  wall: number
  client: number
  server: number | undefined
  database: number | undefined
  count: number
}

/** Seconds of the wall and of the processors. */
function clocks({ databasePid, ...plan }: Plan): Omit<Reading, 'count'> {
  const { user, system } = process.cpuUsage()
  return {
    wall: performance.now() / 1000,
    client: (user + system) / 1e6,
    server: serverCpu(plan),
    database: databasePid === undefined ? undefined : processCpu(databasePid),
  }
}

function serverCpu({ pid, others = [] }: Pick<Plan, 'pid' | 'others'>): number | undefined {
  const times = [pid, ...others.map((each) => each.pid)].map(processCpu)
  return times.reduce((sum, time) => (sum === undefined || time === undefined ? undefined : sum + time))
}

function summary(before: Reading, after: Reading, times: number[]): Load {
  const wall = after.wall - before.wall
  const count = after.count - before.count
  const used = (who: 'server' | 'database') => {
    const [from, to] = [before[who], after[who]]
    return from === undefined || to === undefined ? undefined : to - from
  }
  const [server, database] = [used('server'), used('database')]
  const sorted = Float64Array.from(times).sort()
  return {
    perSecond: count / wall,
    median: sorted[Math.floor(sorted.length * 0.5)] ?? Number.NaN,
    p99: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN,
    serverCpu: server === undefined ? undefined : server / wall,
    clientCpu: (after.client - before.client) / wall,
    ...(database !== undefined && { databaseCpu: database / wall }),
    serverMicros: server === undefined ? undefined : (server / count) * 1e6,
  }
}

/** The requests of a plan and what is counted of their answers. */
class Asking {
  readonly #ports: readonly number[]
  readonly #requests: readonly { path: string; status: number; next: () => string | Buffer }[]
  #turns = 0
  #stopped = false
  count = 0
  times: number[] = []

  constructor({ port, others = [], requests }: Plan) {
    this.#ports = [port, ...others.map((each) => each.port)]
    const number = numbers()
    this.#requests = requests.map((request) => ({ ...request, next: textsOf(request, number) }))
  }

  restart(): number {
    this.times = []
    return this.count
  }

  stop(): void {
    this.#stopped = true
  }

  async connection(at: number): Promise<void> {
    let sent = 0
    let asked = this.#requests[0]
    const byItself = await keepAsking({
      port: this.#ports[at % this.#ports.length] ?? Number.NaN,
      next: () => {
        if (this.#stopped) return undefined
        asked = this.#requests[this.#turns++ % this.#requests.length]
        sent = performance.now()
        return asked?.next()
      },
      answered: (status) => {
        if (status !== asked?.status) throw new Error(`${asked?.path} answered ${status}`)
        this.count++
        this.times.push(performance.now() - sent)
      },
    })
    if (!byItself) throw new Error('The server closed a connection under load')
  }
}

/** Numbers of twelve digits, far enough apart that a process that follows at once does not use one again. */
function numbers(): () => string {
  let used = (Date.now() % 1e9) * 100
  return () => String(++used).padStart(12, '0')
}

/** The texts of a request, one for each time that it is sent. */
function textsOf(
  { method, path, body, authorization, encoding }: Request,
  number: () => string,
): () => string | Buffer {
  if (body === undefined) {
    const request = Buffer.from(requestText(method, path, undefined, authorization, encoding))
    return () => request
  }
  const text = requestText(method, path, body.replaceAll('{n}', '000000000000'), authorization)
  return () => text.replaceAll('000000000000', number())
}

/** Waits, unless a connection fails before. */
function passing(seconds: number, ended: Promise<unknown>): Promise<unknown> {
  return Promise.race([ended, new Promise((resolve) => setTimeout(resolve, seconds * 1000))])
}
