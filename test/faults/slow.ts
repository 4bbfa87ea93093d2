import { execFileSync } from 'node:child_process'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { Fault } from './support/fault.ts'
import { onPostgres } from './support/on-postgres.ts'

/** Connections of slow clients. */
const slow = 500

/** Most connections that do nothing. */
const mostIdle = 8_000

/** Open files that this process and the server need besides. */
const reserve = 500

/** How long the connections last once all are open, in milliseconds: a head has to be there after 10 s. */
const lasting = 14_000

/** Between one byte and the next of a slow client, in milliseconds. */
const pace = 1_000

/** How many connections are opened at once. */
const group = 100

interface Crowd {
  sockets: Socket[]
  /** How many of them the server has ended. */
  ended: () => number
}

/** Opens connections to the server; gives when all are open. */
async function gather(port: number, count: number): Promise<Crowd> {
  const sockets: Socket[] = []
  let ended = 0
  for (let at = 0; at < count; at += group) {
    const opened = Array.from({ length: Math.min(group, count - at) }, () => {
      const socket = connect({ port, host: '127.0.0.1' })
      // A connection that is not read does not tell that its other side has ended it.
      socket
        .resume()
        .on('error', () => {})
        .once('close', () => ended++)
      return socket
    })
    await Promise.all(
      opened.map(
        (socket) => new Promise((resolve) => socket.once('connect', resolve).once('close', resolve)),
      ),
    )
    sockets.push(...opened)
  }
  return { sockets, ended: () => ended }
}

/** What the connections of a fault do. */
interface Behaviour {
  count: number
  what: string
  /** What one of them does every second; `turn` and `index` count from 0. */
  act: (socket: Socket, turn: number, index: number) => void
}

/** Gathers connections, lets each do something every second, and ends them; gives a note about them. */
async function crowd(port: number, { count, what, act }: Behaviour): Promise<string> {
  const { sockets, ended } = await gather(port, count)
  const until = performance.now() + lasting
  for (let turn = 0; performance.now() < until; turn++) {
    for (const [index, socket] of sockets.entries()) if (!socket.destroyed) act(socket, turn, index)
    await pause(pace)
  }
  const note = `${count.toLocaleString('en')} ${what}; the server ended ${ended().toLocaleString('en')} of them.`
  for (const socket of sockets) socket.destroy()
  return note
}

function crowdFault(fault: Pick<Fault, 'name' | 'title'>, behaviour: Behaviour): Fault {
  return {
    ...fault,
    bring: async (context) => {
      let note = ''
      const finding = await onPostgres(context, async ({ server }) => {
        note = await crowd(server.port, behaviour)
      })
      return { ...finding, note }
    },
  }
}

const head = 'POST /api/news HTTP/1.1\r\nHost: forge.example.org\r\nContent-Type: application/json\r\n'

/** A head whose end never comes, or a body of which one byte comes each second. */
function sendSlowly(socket: Socket, turn: number, isHead: boolean): void {
  if (turn > 0) socket.write('x')
  else socket.write(isHead ? `${head}X-Slow: ` : `${head}Content-Length: 1000\r\n\r\n{`)
}

export const slowSenders: Fault = crowdFault(
  { name: 'slow-senders', title: `${slow} clients that send one byte a second, half of them in the head` },
  {
    count: slow,
    what: 'slow senders',
    act: (socket, turn, index) => sendSlowly(socket, turn, index % 2 === 0),
  },
)

/** Replies of more bytes than the buffers of the system hold: the document of the forge, asked for over and over. */
const question = 'GET /swagger.v1.json HTTP/1.1\r\nHost: forge.example.org\r\n\r\n'

export const slowReaders: Fault = crowdFault(
  { name: 'slow-readers', title: `${slow} clients that ask for large replies and read one byte a second` },
  {
    count: slow,
    what: 'slow readers',
    act: (socket, turn) => {
      if (turn === 0) socket.pause().write(question.repeat(20))
      else socket.read(1)
    },
  },
)

/** As many connections as one process may open. */
function idleCount(): number {
  const limit = execFileSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }).trim()
  return limit === 'unlimited' ? mostIdle : Math.max(0, Math.min(mostIdle, Number(limit) - reserve))
}

export const idle: Fault = crowdFault(
  {
    name: 'idle',
    title: `as many idle connections as \`ulimit -n\` allows, at most ${mostIdle.toLocaleString('en')}`,
  },
  { count: idleCount(), what: 'idle connections', act: () => {} },
)
