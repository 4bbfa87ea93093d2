import {
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  ServerResponse,
} from 'node:http'

type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[]

/**
 * A response that can be sent with a head that has been written before. node:http checks and writes each header of each
 * response again; a shared reply has the same head for everybody.
 */
export class Answer<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  /** The turn of the event loop that brought the request (`turn.ts`); undefined where that cannot be told. */
  turn: number | undefined = undefined

  /** Whether its `100 Continue` waits behind the answers to earlier requests of the connection. */
  #inviteWaits = false

  /** The head as node:http has made it, null before that. No documented name: where it is missing, nothing is sent early. */
  declare protected _header: string | null | undefined

  /**
   * Sends an answer of one piece on a connection that goes on. `head` is its status line and headers, `Content-Length`
   * among them, each line with its end; `Date` and `Connection` are added as node:http adds them. `body` is text of one
   * character for each byte, or bytes.
   * False where an ordinary answer has to be made: nothing was sent then.
   */
  sendWhole(status: number, head: string, body: string | Buffer): boolean {
    if (this._header !== null || !this.shouldKeepAlive || this.req.headers.expect !== undefined) return false
    this.statusCode = status
    this._header = `${head}Date: ${dateOf(Date.now())}\r\nConnection: keep-alive\r\n\r\n`
    if (typeof body === 'string') {
      // As one text with the head it is one write to the socket; a body by itself would be collected with it first.
      this._header += body
      this.end()
    } else this.end(body)
    return true
  }

  override writeContinue(callback?: () => void): void {
    this.#inviteWaits = this.socket === null
    super.writeContinue(callback)
  }

  override writeHead(status: number, reason?: string | Headers, headers?: Headers): this {
    if (typeof reason === 'string') super.writeHead(status, reason, headers)
    else super.writeHead(status, reason)
    // Left to itself, node:http puts the head of a body of bytes before all that waits, an invitation among it.
    if (this.#inviteWaits) this.flushHeaders()
    return this
  }
}

let lastSecond = 0
let lastDate = ''

/** `Date` (RFC 9110, section 6.6.1) of a moment in milliseconds. Many answers are of one second. */
function dateOf(moment: number): string {
  const second = Math.floor(moment / 1000)
  if (second !== lastSecond) lastDate = new Date(moment).toUTCString()
  lastSecond = second
  return lastDate
}
