import { chmodSync, rmSync } from 'node:fs'
import { createServer, request, type Server } from 'node:http'
import { text } from 'node:stream/consumers'
import * as v from 'valibot'
import { socketPath } from '../db/embedded/lock-socket.ts'
import { hasCode, messageOf } from '../errors.ts'
import { SetupError, UsageError } from './command.ts'

/** What a command said, and how it ended. */
const Outcome = v.object({
  lines: v.array(v.string()),
  error: v.optional(v.object({ message: v.string(), usage: v.boolean() })),
})
type Outcome = v.InferOutput<typeof Outcome>

const Words = v.array(v.string())

/** Name of the socket in the data folder. */
const socketName = 'admin.sock'

/**
 * Takes commands from other processes of the same user while this one holds the embedded database. The socket lies in
 * the data folder and only its owner can open it; whoever can do that can read the database's files as well.
 */
export async function serveSocket(
  dataDir: string,
  run: (words: readonly string[], print: (line: string) => void) => Promise<void>,
): Promise<Server> {
  const { path, release } = await socketPath(dataDir, socketName)
  // We hold the lock of the folder, so a socket that lies here belongs to nobody any more.
  rmSync(path, { force: true })
  const server = createServer(async (req, res) => {
    const lines: string[] = []
    const outcome: Outcome = { lines }
    try {
      await run(v.parse(Words, JSON.parse(await text(req))), (line) => lines.push(line))
    } catch (error) {
      outcome.error = { message: messageOf(error), usage: error instanceof UsageError }
    }
    res.end(JSON.stringify(outcome))
  })
  server.once('close', release)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
  chmodSync(path, 0o600)
  return server
}

/**
 * Has a command run by the server that holds the data folder. Gives false when there is none.
 * @throws UsageError, or ObstacleError with the words of whatever else went wrong there
 */
export async function callSocket(
  dataDir: string,
  words: readonly string[],
  print: (line: string) => void,
): Promise<boolean> {
  const answer = await askIn(dataDir, JSON.stringify(words))
  if (answer === undefined) return false
  const { lines, error } = v.parse(Outcome, JSON.parse(answer))
  for (const line of lines) print(line)
  if (error) throw error.usage ? new UsageError(error.message) : new SetupError(error.message)
  return true
}

/** Undefined when nobody listens, or there is no such folder yet. */
async function askIn(dataDir: string, body: string): Promise<string | undefined> {
  const place = await socketPath(dataDir, socketName).catch((error: unknown) => {
    if (hasCode(error, ...nobody)) return undefined
    throw error
  })
  return place && (await ask(place.path, body).finally(place.release))
}

/** What the system says where nobody listens. */
const nobody = ['ENOENT', 'ENOTDIR', 'ECONNREFUSED']

function ask(socket: string, body: string): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const call = request({ socketPath: socket, method: 'POST', path: '/' }, (res) => {
      text(res).then(resolve, reject)
    })
    call.once('error', (error) => {
      if (hasCode(error, ...nobody)) resolve(undefined)
      else reject(new SetupError(`the server in DATA_DIR cannot be asked: ${error.message}`))
    })
    call.end(body)
  })
}
