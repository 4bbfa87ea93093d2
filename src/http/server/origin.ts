import { setMaxListeners } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isIP } from 'node:net'
import { bareAddress, networkOf } from './addresses.ts'
import { headerOf, isHost, linesOf } from './header.ts'
import type { Proxies } from './proxies.ts'

/** The server's own address and the proxies in front of it. */
export interface ServerAddress {
  /** Public root URL with a slash at its end. */
  root: string
  /** Whether the operator set `root`: then every link uses it, whatever the request says. */
  isRootSet: boolean
  proxies: Proxies
}

/** The client of a request, and how it addresses this server. Values are computed on access: most requests need none. */
export class Origin {
  readonly #req: IncomingMessage | undefined
  readonly #res: ServerResponse | undefined
  #gone: AbortSignal | undefined
  #address: string | undefined
  #network: string | undefined
  #sharers: readonly Origin[] | undefined

  constructor(
    /** Absent where an answer does not depend on the request. */
    req: IncomingMessage | undefined,
    /** `X-Request-Id`. */
    readonly id: string,
    readonly server: ServerAddress,
    res?: ServerResponse,
  ) {
    this.#req = req
    this.#res = res
  }

  /**
   * Aborts when no client waits for the answer: it has been sent (for example a refusal, because the run took too
   * long), or the client has closed its connection or only its side of it, which the server cannot tell apart. For a run
   * that several requests share: when no client waits for any of them.
   */
  get gone(): AbortSignal {
    if (!this.#gone) {
      this.#gone = this.#sharers ? allGone(this.#sharers) : goneOf(this.#req, this.#res)
      // Whatever works for the request listens, and a page asks git many questions at once.
      setMaxListeners(0, this.#gone)
    }
    return this.#gone
  }

  /** The same for a run that these requests share. */
  sharedWith(sharers: readonly Origin[]): Origin {
    const shared = new Origin(this.#req, this.id, this.server)
    shared.#sharers = sharers
    return shared
  }

  /**
   * The client's IP address: the peer's, or, behind trusted proxies, the last address of `X-Forwarded-For` that is not
   * a trusted proxy. Entries further left were written by the client, and so were header lines above the proxy's: some
   * proxies append to the existing line, others add a line of their own.
   */
  get address(): string {
    this.#address ??= this.#client()
    return this.#address
  }

  /** What a limit per client counts as one: `networkOf` the address. */
  get network(): string {
    this.#network ??= networkOf(this.address)
    return this.#network
  }

  #client(): string {
    const peer = this.#peer()
    const { proxies } = this.server
    if (!proxies.trusts(peer)) return peer
    const lines = this.#req ? linesOf(this.#req, 'x-forwarded-for') : []
    const addresses = lines
      .join()
      .split(',')
      .map((text) => bareAddress(text.trim()))
    const client = addresses.reverse().find((address) => !proxies.trusts(address))
    return client !== undefined && isIP(client) > 0 ? client : peer
  }

  /** Whether a trusted proxy has forwarded the request. */
  get isProxied(): boolean {
    return this.#header('x-forwarded-for') !== undefined && this.server.proxies.trusts(this.#peer())
  }

  /**
   * Root of links in replies, with a trailing slash: the operator's, or else that of this request. The forwarded scheme
   * is only accepted from a trusted proxy.
   */
  get host(): string {
    const { root, isRootSet } = this.server
    if (isRootSet) return root
    const host = this.#header('host') ?? ''
    return isHost(host) ? `${this.#scheme()}://${host}/` : root
  }

  #peer(): string {
    return bareAddress(this.#req?.socket.remoteAddress ?? '')
  }

  #header(name: string): string | undefined {
    return this.#req && headerOf(this.#req, name)
  }

  #scheme(): 'http' | 'https' {
    const scheme = this.#header('x-forwarded-proto') ?? this.#header('x-forwarded-protocol')
    // The peer is checked last: most requests do not need it.
    const isSecure = scheme?.trim().toLowerCase() === 'https' && this.server.proxies.trusts(this.#peer())
    return isSecure ? 'https' : 'http'
  }
}

/** Aborts when the last of them does. */
function allGone(origins: readonly Origin[]): AbortSignal {
  const controller = new AbortController()
  const waiting = new Set(origins.map(({ gone }) => gone))
  const leave = (gone: AbortSignal) => {
    waiting.delete(gone)
    if (waiting.size === 0) controller.abort()
  }
  for (const gone of waiting) {
    if (gone.aborted) leave(gone)
    else gone.addEventListener('abort', () => leave(gone), { once: true })
  }
  return controller.signal
}

function goneOf(req: IncomingMessage | undefined, res: ServerResponse | undefined): AbortSignal {
  const controller = new AbortController()
  if (!req || !res) return controller.signal
  const { socket } = req
  const end = () => {
    res.off('close', end)
    socket.off('close', end).off('end', end)
    controller.abort()
  }
  // Node does not close an answer that waits behind earlier ones when their connection closes.
  res.once('close', end)
  socket.once('close', end).once('end', end)
  if (res.closed || socket.destroyed || socket.readableEnded) end()
  return controller.signal
}
