import { randomUUID } from 'node:crypto'
import { closeSync, fstatSync, openSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { asError } from '../../common/errors.ts'
import { isSameSecret } from '../../common/same-secret.ts'
import type { Order, Report, Request } from './launcher-protocol.ts'
import type { Answer } from './pre-receive.ts'
import { exitOf, signalGroup, spawnProgram, unstarted } from './spawn.ts'

// The program of the launcher (`launcher.ts`): a small process that starts processes for the server.

/** The parts of a process that have arrived before it starts. */
interface Parts {
  request?: Request
  input?: Socket
  output?: Socket
  /** It was ended before it was started. */
  signal?: NodeJS.Signals
}

/** A process of the server's, and how the question of its hook is answered. */
interface Child {
  pid: number | undefined
  answer: (line: string | undefined) => void
}

/** Longest first line: the token, a number and a role. */
const maxLine = 100

const token = randomUUID()
const path = `\0forgehall-${randomUUID()}`
const incomplete = new Map<number, Parts>()
const children = new Map<number, Child>()

const report = (message: Report) => {
  if (process.connected) process.send?.(message)
}

/** Reads the first line of a connection. The server sends nothing else before the process has the connection. */
function receive(socket: Socket): void {
  let line = ''
  const read = (chunk: Buffer) => {
    line += chunk.toString('latin1')
    if (line.length > maxLine) socket.destroy()
    if (!line.endsWith('\n')) return
    socket.off('data', read).pause()
    const [secret = '', id, role] = line.trim().split(' ')
    if (!isSameSecret(secret, token)) socket.destroy()
    else add(Number(id), role === 'input' ? { input: socket } : { output: socket })
  }
  socket.on('error', () => {}).on('data', read)
  socket.resume()
}

/** Starts the process when all its parts have arrived. */
function add(id: number, part: Parts): void {
  const parts = { ...incomplete.get(id), ...part }
  incomplete.set(id, parts)
  const { request, input, output, signal } = parts
  if (!request || !input || (!output && request.file === undefined)) return
  incomplete.delete(id)
  if (signal) report({ id, exit: { code: null, signal, stderr: '' } })
  else start(request, input, output)
  // The process has its connections now, if there is one.
  input.destroy()
  output?.destroy()
}

function start(request: Request, input: Socket, output: Socket | undefined): void {
  const { id, hasHook } = request
  let reply: Child['answer'] = () => {}
  const answer: Answer = (question) =>
    new Promise((resolve) => {
      reply = resolve
      if (process.connected) report({ id, question })
      else resolve(undefined)
    })
  try {
    const target = output ?? openFile(request)
    const child = spawnProgram(request, [input, target], hasHook ? answer : undefined)
    if (typeof target === 'number') closeSync(target)
    children.set(id, { pid: child.pid, answer: (line) => reply(line) })
    if (child.pid !== undefined) report({ id, pid: child.pid })
    void exitOf(child).then((exit) => {
      children.delete(id)
      report({ id, exit })
    })
  } catch (error) {
    report({ id, exit: unstarted(asError(error)) })
  }
}

/** Opens the file of the server, which must have no name, so that no other file is written by mistake. */
function openFile({ file }: Request): number {
  const opened = openSync(`/proc/${process.ppid}/fd/${file}`, 'r+')
  if (fstatSync(opened).nlink === 0) return opened
  closeSync(opened)
  throw new Error('the file for the output has a name')
}

process.on('message', (order: Order) => {
  if ('command' in order) return add(order.id, { request: order })
  const child = children.get(order.id)
  if (!('signal' in order)) child?.answer(order.answer)
  else if (child) signalGroup(child, order.signal)
  else if (incomplete.has(order.id)) add(order.id, { signal: order.signal })
})

// A signal to all processes of the service concerns the server, which ends its processes in order.
for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, () => {})

const server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, receive)
// The server has ended and answers no more hooks. The launcher ends after the last of its processes.
process.on('disconnect', () => {
  server.close()
  for (const child of children.values()) child.answer(undefined)
})
server.listen(path, () => report({ path, token }))
