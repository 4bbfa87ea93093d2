import { readdir } from 'node:fs/promises'
import { type ClientRequest, type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { connectIn } from '../../common/socket-path.ts'

/** A refusal of the server, or no server: one sentence for the client. */
export class ServerError extends Error {
  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message)
  }
}

/** A request to the server, whose body the caller writes. */
interface Asked {
  outgoing: ClientRequest
  /** Resolves when the head of the answer has arrived. */
  answered: Promise<IncomingMessage>
}

/** Sends requests to one of the servers whose sockets are in a folder. */
export class Server {
  constructor(
    readonly folder: string,
    /** Headers of each request. */
    readonly headers: OutgoingHttpHeaders,
  ) {}

  /** Begins a request. @throws ServerError when no server listens */
  async begin(method: string, path: string, headers: OutgoingHttpHeaders = {}): Promise<Asked> {
    const socket = await this.#connect()
    const outgoing = request({
      createConnection: () => socket,
      method,
      path,
      headers: { ...this.headers, ...headers },
    })
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      outgoing.once('response', resolve)
      outgoing.on('error', () => reject(new ServerError('the server has ended meanwhile', 503)))
    })
    // Whoever awaits it later gets the rejection.
    answered.catch(() => {})
    return { outgoing, answered }
  }

  /** Sends a request with this body; the answer may be a redirect. @throws ServerError for a refusal */
  async send(
    method: string,
    path: string,
    { headers = {}, body = Buffer.alloc(0) }: { headers?: OutgoingHttpHeaders; body?: Buffer } = {},
  ): Promise<IncomingMessage> {
    const length = method === 'GET' ? {} : { 'Content-Length': body.length }
    const { outgoing, answered } = await this.begin(method, path, { ...headers, ...length })
    outgoing.end(body)
    return accepted(await answered)
  }

  /** Several processes may serve one folder; a socket without one is left from a crash. */
  async #connect(): Promise<Socket> {
    const entries = await readdir(this.folder).catch(() => [])
    for (const name of shuffled(entries.filter((entry) => entry.endsWith('.sock')))) {
      const socket = await connectIn(this.folder, name, connected).catch(() => undefined)
      if (socket) return socket
    }
    throw new ServerError('the server is not running; try again in a moment', 503)
  }
}

/** The answer, unless it is a refusal, whose text is a sentence. @throws ServerError */
export async function accepted(answer: IncomingMessage): Promise<IncomingMessage> {
  const { statusCode = 500 } = answer
  if (statusCode < 400) return answer
  throw new ServerError(sentenceIn(await text(answer)) || `the server answers ${statusCode}`, statusCode)
}

/** A refusal is a text, or JSON where the server answers so to all clients. */
const sentenceIn = (body: string) => /^\{"message":"((?:[^"\\]|\\.)*)"/.exec(body)?.[1] ?? body.trim()

function connected(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(path)
    socket.once('connect', () => resolve(socket)).once('error', reject)
  })
}

function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .sort((left, right) => left.at - right.at)
    .map(({ item }) => item)
}
