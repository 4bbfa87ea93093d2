import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { headerOf, linesOf } from '../server/header.ts'

/** A strong entity tag (RFC 9110, section 8.8.3) of a reply's bytes. */
export function etagOf(chunks: readonly (Buffer | string)[]): string {
  const hash = createHash('sha1')
  for (const chunk of chunks) hash.update(chunk)
  return `"${hash.digest('base64url')}"`
}

/**
 * Whether `If-None-Match` says that the client has what this tag names; the comparison is weak (RFC 9110, section 13.1.2).
 * The header may stand on several lines (section 5.3).
 */
export function hasAlready(req: IncomingMessage, etag: string): boolean {
  const first = headerOf(req, 'if-none-match')
  if (first === undefined || first === etag) return first !== undefined
  const known = linesOf(req, 'if-none-match').join()
  return known.trim() === '*' || known.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
}
