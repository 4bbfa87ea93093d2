import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { found, notFound } from '../route/problem.ts'
import { headerOf } from '../server/header.ts'
import { attachment } from './attachment.ts'
import { isNotModified } from './etag.ts'
import { pipeToResponse } from './pipe-to-response.ts'
import { rangeOf } from './range.ts'

/** A file to send. */
interface FileToSend {
  /** Opens the whole file, or the bytes from the first to the last one, both inclusive; undefined if it is missing. */
  read: (span?: { first: number; last: number }) => Promise<Readable | undefined>
  exists: () => Promise<boolean>
  /** Bytes. */
  size: number
  /** Strong (RFC 9110, section 8.8.3). */
  etag: string
  type: string
  /** The file name under which a browser saves it; absent: the browser shows it. */
  name?: string
  /** Further headers. */
  headers?: Readonly<Record<string, string>>
}

/**
 * Sends a file, or the part that `Range` selects, at the speed of the client; answers 304 if `If-None-Match` contains
 * its tag. Stops when the client disconnects or falls silent.
 * @throws Problem 404 when the file is missing
 */
export async function sendFile(req: IncomingMessage, res: ServerResponse, file: FileToSend): Promise<void> {
  const { size, etag, type, name } = file
  const headers = { ...file.headers, ETag: etag, 'Accept-Ranges': 'bytes' }
  if (isNotModified(req, etag)) return void res.writeHead(304, headers).end()
  const range = selectedRange(req, { etag, size })
  if (range === 'unsatisfiable') return refuseRange(res.setHeader('ETag', etag), size)
  const { first, last } = range === 'whole' ? { first: 0, last: size - 1 } : range
  const isEmpty = req.method === 'HEAD' || last < first
  const source = isEmpty ? undefined : found(await file.read(range === 'whole' ? undefined : { first, last }))
  if (isEmpty && !(await file.exists())) throw notFound()
  if (range !== 'whole') res.setHeader('Content-Range', `bytes ${first}-${last}/${size}`)
  res.writeHead(range === 'whole' ? 200 : 206, {
    ...headers,
    'Content-Type': type,
    'Content-Length': last - first + 1,
    ...(name !== undefined && { 'Content-Disposition': attachment(name) }),
  })
  if (source) await pipeToResponse(req, res, source)
  else res.end()
}

/**
 * The range that a request selects: with GET only (RFC 9110, section 14.2), and only of the content that `If-Range`
 * names.
 */
export function selectedRange(req: IncomingMessage, { etag, size }: Pick<FileToSend, 'etag' | 'size'>) {
  const isOfRange = req.method === 'GET' && (headerOf(req, 'if-range') ?? etag) === etag
  return isOfRange ? rangeOf(headerOf(req, 'range'), size) : 'whole'
}

/** Answers 416: the range starts after the end. */
export function refuseRange(res: ServerResponse, size: number): void {
  const headers = { 'Accept-Ranges': 'bytes', 'Content-Range': `bytes */${size}`, 'Content-Length': 0 }
  res.writeHead(416, headers).end()
}
