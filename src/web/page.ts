import sources from 'folder:./reference'
import readerFiles from 'swagger-ui:'
import { type Prepared, prepare, prepareCompressed } from './prepared.ts'

/** The reference page of both APIs. */
export const page = prepare('text/html; charset=utf-8', sources['page.html'] ?? '')

/** The page may load what this server sends, and nothing else (Content Security Policy 3). */
export const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // The reader's style has its pictures in itself.
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
}

const typeOf = (name: string) => types[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream'

/** What the page loads, by name: the reader, and what starts it. */
export const files: ReadonlyMap<string, Prepared> = new Map([
  ...['start.js', 'reference.css'].map((name) => [name, prepare(typeOf(name), sources[name] ?? '')] as const),
  ...readerFiles.map(
    ({ name, version, brotli }) => [name, prepareCompressed(typeOf(name), version, brotli)] as const,
  ),
])
