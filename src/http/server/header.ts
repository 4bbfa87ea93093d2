import type { IncomingMessage } from 'node:http'
import { memoize } from '../../memoize.ts'

/**
 * The first value of a request header, by its lower-case name. Scans the raw list: most requests need only two or three
 * headers, and building node's object of all headers costs more than these look-ups.
 */
export function headerOf(
  { rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>,
  name: string,
): string | undefined {
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const given = rawHeaders[at]
    if (given?.length === name.length && given.toLowerCase() === name) return rawHeaders[at + 1]
  }
  return undefined
}

/**
 * The only `Host` of a request, as HTTP/1.1 demands one (RFC 9112, section 3.2); empty if HTTP/1.0 sends none, undefined
 * if there is none or several.
 */
export function onlyHost({ rawHeaders, httpVersion }: IncomingMessage): string | undefined {
  let hosts = 0
  let host: string | undefined
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const given = rawHeaders[at]
    if (given?.length !== 4 || given.toLowerCase() !== 'host') continue
    hosts++
    host = rawHeaders[at + 1]
  }
  if (hosts === 0 && httpVersion === '1.0') return ''
  return hosts === 1 ? host : undefined
}

/** A host with an optional port, as in a URL (RFC 3986, section 3.2). */
const authority = /^(?:\w[\w.-]*|\[[0-9A-Fa-f:.]+\])(?::\d{0,5})?$/

/**
 * Whether a text is a host that links can begin with. The form alone does not tell: `x:99999`, `1.2.3.999` and, before
 * Node 24, `xn--a` have it, and no URL can contain them.
 */
export const isHost: (text: string) => boolean = memoize(
  1000,
  (text) => authority.test(text) && URL.canParse(`http://${text}/`),
)

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
