import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { headerOf, linesOf } from '../server/header.ts'

/** A strong entity tag (RFC 9110, section 8.8.3) of a reply's bytes. */
export function etagOf(chunks: readonly Buffer[]): string {
  const hash = createHash('sha1')
  for (const chunk of chunks) hash.update(chunk)
  return `"${hash.digest('base64url')}"`
}

/**
 * Whether `If-None-Match` contains this tag, by weak comparison (RFC 9110, section 13.1.2). The header may be split
 * over several lines (section 5.3).
 */
export function isNotModified(req: IncomingMessage, etag: string): boolean {
  const first = headerOf(req, 'if-none-match')
  if (first === undefined || first === etag) return first !== undefined
  const tags = linesOf(req, 'if-none-match').join()
  return tags.trim() === '*' || tags.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
}
