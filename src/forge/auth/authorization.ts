/** One credential that a request presents. */
export type Credential =
  /** A bare token: from the query, or `Authorization: token …` and `Bearer …`. `via` decides what `/token` answers. */
  | { readonly kind: 'token'; readonly token: string; readonly via: 'query' | 'header' }
  /** Basic: `token` is the part to try as a token first, then `user` and `password` are tried as such. */
  | { readonly kind: 'basic'; readonly token: string; readonly user: string; readonly password: string }
  /** Well formed, but nobody can be called so: wrong without a look-up. */
  | { readonly kind: 'impossible' }

/** The texts of a request in which credentials stand; absent ones are undefined. */
export interface Presented {
  readonly authorization?: string | undefined
  /** `?token=` and `?access_token=`, from the query or an urlencoded body; leave both out where they are switched off. */
  readonly token?: string | undefined
  readonly accessToken?: string | undefined
}

const BLANKS = /[ \t]+/
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const CONTROL = /[\u0000-\u001f\u007f]/

/**
 * All credentials of a request, in the order in which they are tried: the first that belongs to somebody is the
 * caller; when none does, the answer is 401; with an empty list the caller is anonymous.
 */
export function credentials(presented: Presented): readonly Credential[] {
  const inQuery = presented.token || presented.accessToken
  const inHeader = parseAuthorization(presented.authorization)
  const found: Credential[] = []
  if (inQuery) found.push({ kind: 'token', token: inQuery, via: 'query' })
  if (inHeader) found.push(inHeader)
  return found
}

/**
 * The `Authorization` header as a credential (RFC 9110 §11.6.2, RFC 7617, RFC 6750). Undefined means "as if absent":
 * clients and proxies put many things there, and whatever is not one of our schemes in exactly two parts makes an
 * anonymous caller, not an error.
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
  // RFC 7617 §2 forbids control characters, and PostgreSQL cannot even be asked for a NUL.
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

/** How an account is looked up: by e-mail address if there is an `@`, else by name; trimmed, in lower case. */
export function accountKey(user: string): { readonly by: 'email' | 'name'; readonly key: string } {
  const key = user.trim().toLowerCase()
  return { by: key.includes('@') ? 'email' : 'name', key }
}

/** Whom an administrator wants to act as: the parameter wins over the header; empty is not given. */
export function sudoName(parameter: string | undefined, header: string | undefined): string | undefined {
  return parameter || header || undefined
}

/** The one-time code: `X-Gitea-OTP`, or the header name of a sister project's clients, `X-Forgejo-OTP`. */
export function oneTimeCode(gitea: string | undefined, forgejo: string | undefined): string | undefined {
  return gitea?.trim() || forgejo?.trim() || undefined
}

/** The first of a header's lines. */
export const one = (header: string | string[] | undefined) => (Array.isArray(header) ? header[0] : header)
