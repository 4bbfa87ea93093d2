import type { IncomingMessage } from 'node:http'

/**
 * The first value of a request header, by its lower-case name. Scans the raw list: most requests need only two or three
 * headers, and building node's object of all headers costs more than these look-ups.
 */
export function headerOf({ rawHeaders }: IncomingMessage, name: string): string | undefined {
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const given = rawHeaders[at]
    if (given?.length === name.length && given.toLowerCase() === name) return rawHeaders[at + 1]
  }
  return undefined
}

/** Whether a request has exactly one `Host`, as HTTP/1.1 demands (RFC 9112, section 3.2); HTTP/1.0 knows none. */
export function namesOneHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const given = rawHeaders[at]
    if (given?.length === 4 && given.toLowerCase() === 'host') hosts++
  }
  return hosts === 1 || (hosts === 0 && httpVersion === '1.0')
}

/** Whether the client waits for 100 Continue before it sends its body (RFC 9110, section 10.1.1); never in HTTP/1.0. */
export function asksToContinue(req: IncomingMessage): boolean {
  return headerOf(req, 'expect')?.toLowerCase() === '100-continue' && req.httpVersion !== '1.0'
}

/** Every value of a repeated header, in the order received. */
export function linesOf({ rawHeaders }: IncomingMessage, name: string): string[] {
  return rawHeaders.filter((_, at) => {
    const given = at % 2 === 1 ? rawHeaders[at - 1] : undefined
    return given?.length === name.length && given.toLowerCase() === name
  })
}
