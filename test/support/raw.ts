import { connect, type Socket } from 'node:net'

/** A reply as it came over the wire. */
export interface RawReply {
  status: number
  /** Names in lower case. */
  headers: Record<string, string>
  body: string
}

/** A TCP connection on which a test writes what no client would. */
export interface RawConnection {
  socket: Socket
  write: (text: string | Buffer) => void
  /** All that has come so far, as latin1, one character per byte. */
  received: () => string
  /** Settles when the other side has closed, with all that came. */
  closed: Promise<string>
}

/** Connects to a server given as `http://host:port`. What is still open after the test is its leak: close it. */
export async function openRaw(url: string): Promise<RawConnection> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  let bytes = ''
  socket.setEncoding('latin1')
  socket.on('data', (text) => {
    bytes += text
  })
  // A reset is an end as well; what came before it is what counts.
  socket.on('error', () => {})
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(bytes)))
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', reject)
  })
  return { socket, write: (text) => void socket.write(text), received: () => bytes, closed }
}

/** Sends `text` and reads until the server closes; so `text` must ask for that, or be refused. */
export async function exchange(url: string, text: string | Buffer): Promise<RawReply[]> {
  const raw = await openRaw(url)
  raw.write(text)
  return parseReplies(await raw.closed)
}

/**
 * Splits what came into replies, by `Content-Length`; an interim reply and a reply to HEAD have no body. A chunked reply
 * must be the last one; its body is given as it came.
 */
export function parseReplies(received: string): RawReply[] {
  const replies: RawReply[] = []
  let rest = received
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n')
    if (end === -1) throw new Error(`No whole head in ${JSON.stringify(rest.slice(0, 200))}`)
    const [first = '', ...lines] = rest.slice(0, end).split('\r\n')
    const headers = Object.fromEntries(lines.map((line) => splitHeader(line)))
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1])
    const isChunked = headers['transfer-encoding'] === 'chunked'
    const length = isChunked ? Number.POSITIVE_INFINITY : Number(headers['content-length'] ?? 0)
    const body = Buffer.from(rest.slice(end + 4, end + 4 + length), 'latin1').toString('utf8')
    replies.push({ status, headers, body })
    rest = rest.slice(end + 4 + length)
  }
  return replies
}

function splitHeader(line: string): [string, string] {
  const colon = line.indexOf(':')
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
}
/** A request whose head was judged, and whose body the client holds back. */
export interface HeldRequest {
  /** Sends the body; resolves with the answer. */
  release: () => Promise<RawReply>
}

/** What a held request sends. */
interface Held {
  method: string
  path: string
  headers: Readonly<Record<string, string>>
  body: string
}

/**
 * Sends the head of a request and waits for `100 Continue`, which the server sends after it has authorized the request;
 * where it refuses the request instead, `release` gives the refusal.
 */
export async function hold(url: string, { method, path, headers, body }: Held): Promise<HeldRequest> {
  const raw = await openRaw(url)
  const all = {
    Host: 'forgehall.example',
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
    Expect: '100-continue',
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  raw.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
  await new Promise<void>((resolve) => {
    const check = () => /^HTTP\/1\.1 \d{3} /.test(raw.received()) && resolve()
    raw.socket.on('data', check)
    check()
  })
  return {
    release: async () => {
      raw.write(body)
      const reply = parseReplies(await raw.closed).at(-1)
      if (!reply) throw new Error(`${method} ${path} got no answer`)
      return reply
    },
  }
}
