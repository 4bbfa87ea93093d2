import type { IncomingMessage } from 'node:http'

/**
 * One header of a request by its lower-case name, the first when it came more than once. Reads the raw list: most
 * requests are asked for two or three headers, and node's own object of all of them costs more than those look-ups.
 */
export function headerOf({ rawHeaders }: IncomingMessage, name: string): string | undefined {
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const given = rawHeaders[at]
    if (given?.length === name.length && given.toLowerCase() === name) return rawHeaders[at + 1]
  }
  return undefined
}

/** Whether a client waits to be told that it may send its body (RFC 9110, section 10.1.1); in HTTP/1.0 none does. */
export function asksToContinue(req: IncomingMessage): boolean {
  return headerOf(req, 'expect')?.toLowerCase() === '100-continue' && req.httpVersion !== '1.0'
}

/** Every line of a header, in the order in which they came. */
export function linesOf({ rawHeaders }: IncomingMessage, name: string): string[] {
  return rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name)
}
