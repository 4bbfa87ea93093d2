import type { IncomingMessage } from 'node:http'
import { memoize } from '../../common/memoize.ts'

/**
 * The first value of a request header, by its lower-case name. Scans the raw list: most requests need only two or three
 * headers, and building node's object of all headers costs more than these look-ups.
 */
export function headerOf(
  { rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>,
  name: string,
): string | undefined {
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const each = rawHeaders[at]
    if (each?.length === name.length && each.toLowerCase() === name) return rawHeaders[at + 1]
  }
  return undefined
}

/**
 * The only `Host` of a request, since HTTP/1.1 requires exactly one (RFC 9112, section 3.2); empty if HTTP/1.0 sends none, undefined
 * if there is none or several.
 */
export function onlyHost({ rawHeaders, httpVersion }: IncomingMessage): string | undefined {
  let hosts = 0
  let host: string | undefined
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]
    if (name?.length !== 4 || name.toLowerCase() !== 'host') continue
    hosts++
    host = rawHeaders[at + 1]
  }
  if (hosts === 0 && httpVersion === '1.0') return ''
  return hosts === 1 ? host : undefined
}

/** A host with an optional port, as in a URL (RFC 3986, section 3.2). */
const authority = /^(?:\w[\w.-]*|\[[0-9A-Fa-f:.]+\])(?::\d{0,5})?$/

/**
 * Whether links can begin with this host. `x:99999`, `1.2.3.999` and, before Node 24, `xn--a` match the pattern, but no URL
 * can contain them.
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
    const each = at % 2 === 1 ? rawHeaders[at - 1] : undefined
    return each?.length === name.length && each.toLowerCase() === name
  })
}
