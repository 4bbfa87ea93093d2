import { createHash } from 'node:crypto'
import type { Piece } from './reply.ts'

/** A strong entity tag (RFC 9110, section 8.8.3) of a reply's bytes. */
export function etagOf(chunks: readonly Piece[]): string {
  const hash = createHash('sha1')
  for (const chunk of chunks) hash.update(chunk)
  return `"${hash.digest('base64url')}"`
}

/** Whether `If-None-Match` names this tag; the comparison is weak (RFC 9110, section 13.1.2). */
export function matches(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch === etag || ifNoneMatch.trim() === '*') return true
  return ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
}
