import { chmodSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type Server } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import * as v from 'valibot'
import { hasCode, messageOf } from '../common/errors.ts'
import { connectIn, listenIn } from '../common/socket-path.ts'
import type { LockedError } from '../db/lock.ts'
import { SetupError, UsageError } from './command.ts'

/** The output of a command and its error. */
const Outcome = v.object({
  lines: v.array(v.string()),
  error: v.optional(v.object({ message: v.string(), usage: v.boolean() })),
})
type Outcome = v.InferOutput<typeof Outcome>

const Args = v.array(v.string())

/** The path at which the server sends a backup. */
const backupPath = '/backup'

/** File name of the socket in the data folder. */
const socketName = 'admin.sock'

/**
 * Accepts commands from other processes of the same user while this one holds the embedded database. The socket is in
 * the data folder and only its owner can open it, who can read the database's files anyway.
 */
export async function serveSocket(
  dataDir: string,
  run: (args: readonly string[], print: (line: string) => void) => Promise<void>,
  backup: () => AsyncIterable<Buffer>,
): Promise<Server> {
  const server = createServer(async (req, res) => {
    // A caller that leaves ends the backup.
    if (req.url === backupPath) return void pipeline(backup, res).catch(() => {})
    const lines: string[] = []
    const outcome: Outcome = { lines }
    try {
      await run(v.parse(Args, JSON.parse(await text(req))), (line) => lines.push(line))
    } catch (error) {
      outcome.error = { message: messageOf(error), usage: error instanceof UsageError }
    }
    res.end(JSON.stringify(outcome))
  })
  const path = join(dataDir, socketName)
  // This process holds the lock of the folder, so an existing socket is stale.
  rmSync(path, { force: true })
  await listenIn(dataDir, socketName, server)
  chmodSync(path, 0o600)
  return server
}

/**
 * Sends a command to the server that holds the data folder. Returns false when there is none.
 * @throws UsageError, or SetupError with the server's message for other errors
 */
export async function callSocket(
  dataDir: string,
  args: readonly string[],
  print: (line: string) => void,
): Promise<boolean> {
  const answer = await ifListening(dataDir, async (path) => {
    return await text(bytesOf(await send(path, '/', JSON.stringify(args))))
  })
  if (answer === undefined) return false
  const { lines, error } = v.parse(Outcome, JSON.parse(answer))
  for (const line of lines) print(line)
  if (error) throw error.usage ? new UsageError(error.message) : new SetupError(error.message)
  return true
}

/** The backup that the server in the data folder sends, as frames; undefined when there is none. */
export async function streamFromServer(dataDir: string): Promise<AsyncIterable<Buffer> | undefined> {
  return await ifListening(dataDir, async (path) => bytesOf(await send(path, backupPath, '')))
}

/** Milliseconds for which a command waits for the socket of a process that holds the database, and between two attempts. */
const socketPatience = 15_000
const socketPause = 100

/**
 * Calls a server that is starting until it answers: it holds the database before it accepts commands.
 * @throws LockedError when the holder accepts none: it is another command
 */
export async function untilServed<Answer>(
  call: () => Promise<Answer | undefined>,
  locked: LockedError,
): Promise<Answer> {
  const end = performance.now() + socketPatience
  for (;;) {
    const answer = await call()
    if (answer !== undefined) return answer
    if (performance.now() > end) throw locked
    await sleep(socketPause)
  }
}

/** @throws SetupError when the server ends before it has sent the whole answer */
async function* bytesOf(response: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    yield* response
  } catch (error) {
    throw hasCode(error, 'ECONNRESET') ? new SetupError('the server in DATA_DIR has ended meanwhile') : error
  }
}

/** Undefined when no server listens or the folder does not exist. */
async function ifListening<Result>(
  dataDir: string,
  call: (path: string) => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await connectIn(dataDir, socketName, call)
  } catch (error) {
    if (hasCode(error, ...noListenerCodes)) return undefined
    throw error
  }
}

/** Error codes when no server listens. */
const noListenerCodes = ['ENOENT', 'ENOTDIR', 'ECONNREFUSED']

function send(socketPath: string, path: string, body: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ socketPath, method: 'POST', path }, resolve)
    outgoing.once('error', (error) => {
      if (hasCode(error, ...noListenerCodes)) reject(error)
      else reject(new SetupError(`the server that uses DATA_DIR does not answer: ${error.message}`))
    })
    outgoing.end(body)
  })
}
