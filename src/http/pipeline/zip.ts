import { PassThrough, type Readable } from 'node:stream'
import { ZipFile } from 'yazl'
import type { Stream } from '../route/results.ts'
import { attachment } from './attachment.ts'
import { pipeToResponse } from './pipe-to-response.ts'

/** A file in a zip archive. */
interface ZipEntry {
  /** Path in the archive. */
  path: string
  /** When it was last changed; absent: now. */
  mtime?: Date
  open: () => Readable
}

/** Streams a zip archive under this name. Each file is opened only when the archive reaches it; without files it is empty. */
export function zipOf(name: string, entries: readonly ZipEntry[]): Stream {
  return async (req, res) => {
    res.writeHead(200, { 'Content-Type': 'application/zip', 'Content-Disposition': attachment(name) })
    if (req.method === 'HEAD') res.end()
    else await pipeToResponse(req, res, archiveOf(entries))
  }
}

/** The archive as a stream; a closed one stops reading. */
function archiveOf(entries: readonly ZipEntry[]): Readable {
  const archive = new PassThrough()
  const zip = new ZipFile()
  zip.on('error', (error: Error) => archive.destroy(error))
  let reading: Readable | undefined
  archive.once('close', () => reading?.destroy())
  for (const { path, mtime, open } of entries)
    zip.addReadStreamLazy(path, mtime ? { mtime } : {}, (begin) => {
      reading = open()
      begin(null, reading)
    })
  zip.end()
  zip.outputStream.pipe(archive)
  return archive
}
