import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Blobs } from '../../blobs/blobs.ts'
import { sendFile } from '../../http/pipeline/file.ts'
import { contentProblem } from './content-problem.ts'
import type { PackageFileRow } from './package-store.ts'

/**
 * Sends a file of a package, or the part that `Range` selects.
 * @throws Problem 404 when its content is missing, 503
 */
export async function sendPackageFile(
  req: IncomingMessage,
  res: ServerResponse,
  blobs: Blobs,
  { name, size, sha256 }: PackageFileRow,
): Promise<void> {
  try {
    await sendFile(req, res, {
      name,
      size,
      type: 'application/octet-stream',
      etag: `"${sha256}"`,
      read: async (span) => (await blobs.read(sha256, span))?.stream,
      exists: () => blobs.has(sha256),
    })
  } catch (error) {
    throw contentProblem(error) ?? error
  }
}
