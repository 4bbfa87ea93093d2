/** One credential that a request presents. */
export type Credential =
  /** A bare token: from the query, or `Authorization: token …` and `Bearer …`. `via` decides what `/token` answers. */
  | { readonly kind: 'token'; readonly token: string; readonly via: 'query' | 'header' }
  /** Basic: `token` is the part to try as a token first, then `user` and `password` are tried as such. */
  | { readonly kind: 'basic'; readonly token: string; readonly user: string; readonly password: string }
  /** Well formed, but no account can have this name: wrong without a look-up. */
  | { readonly kind: 'impossible' }

/** The texts of a request that may hold credentials; absent ones are undefined. */
interface Presented {
  readonly authorization?: string | undefined
  /** `?token=` and `?access_token=`, from the query or an urlencoded body; left out if query tokens are disabled. */
  readonly token?: string | undefined
  readonly accessToken?: string | undefined
}

const BLANKS = /[ \t]+/
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const CONTROL = /[\u0000-\u001f\u007f]/

/**
 * All credentials of a request, in the order in which they are tried. The first valid one identifies the caller; if
 * none is valid the answer is 401. An empty list means an anonymous caller.
 */
export function credentials(presented: Presented): readonly Credential[] {
  const inQuery = presented.token || presented.accessToken
  const inHeader = parseAuthorization(presented.authorization)
  return [
    ...(inQuery ? [{ kind: 'token', token: inQuery, via: 'query' } as const] : []),
    ...(inHeader ? [inHeader] : []),
  ]
}

/**
 * Parses the `Authorization` header (RFC 9110 §11.6.2, RFC 7617, RFC 6750). Undefined means "as if absent": clients and
 * proxies send all kinds of values, so anything but a known scheme with exactly one value makes an anonymous caller,
 * not an error.
 */
export function parseAuthorization(header: string | undefined): Credential | undefined {
  const [scheme = '', value, ...more] = (header ?? '').trim().split(BLANKS)
  if (value === undefined || more.length > 0) return undefined
  switch (scheme.toLowerCase()) {
    case 'token':
    case 'bearer':
      return { kind: 'token', token: value, via: 'header' }
    case 'basic':
      return parseBasic(value)
    default:
      return undefined
  }
}

function parseBasic(encoded: string): Credential | undefined {
  if (!BASE64.test(encoded)) return undefined
  const pair = decodeText(Buffer.from(encoded, 'base64'))
  // RFC 7617 §2: the user name cannot contain a colon, the password can.
  const colon = pair.indexOf(':')
  if (colon < 0) return undefined
  const user = pair.slice(0, colon)
  const password = pair.slice(colon + 1)
  if (user === '' && password === '') return undefined
  // RFC 7617 §2 forbids control characters, and PostgreSQL rejects NUL in a parameter.
  if (CONTROL.test(user)) return { kind: 'impossible' }
  const tokenIsUser = password === '' || password === 'x-oauth-basic'
  return { kind: 'basic', token: tokenIsUser ? user : password, user, password }
}

/** RFC 7617 §2.1 asks for UTF-8; older clients send Latin-1, whose non-ASCII texts are hardly ever valid UTF-8. */
function decodeText(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return bytes.toString('latin1')
  }
}

/** The look-up key of an account: an e-mail address if `user` contains an `@`, else a name; trimmed, in lower case. */
export function accountKey(user: string): { readonly by: 'email' | 'name'; readonly key: string } {
  const key = user.trim().toLowerCase()
  return { by: key.includes('@') ? 'email' : 'name', key }
}

/** The one-time code: `X-Gitea-OTP`, or `X-Forgejo-OTP`, which Forgejo clients send. */
export function oneTimeCode(gitea: string | undefined, forgejo: string | undefined): string | undefined {
  return gitea?.trim() || forgejo?.trim() || undefined
}

/** The first value of a header. */
export const firstValue = (header: string | string[] | undefined) =>
  Array.isArray(header) ? header[0] : header
