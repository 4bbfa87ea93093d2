import type { Content } from '../../blobs/blobs.ts'
import { StoreError } from '../../blobs/store-error.ts'
import { sendFile } from '../../http/pipeline/file.ts'
import type { Stream } from '../../http/route/results.ts'
import { streamed } from '../../http/route/sends.ts'
import { contentProblem } from '../blobs/content-problem.ts'
import type { ForgeContext } from '../route.ts'
import { packageReader } from './access.ts'
import type { PackageFileRow } from './package-store.ts'

/** What downloads of files have in common, in all registries. */
export const downloading = {
  access: packageReader(),
  fails: [404, 503],
  returns: streamed(200),
  also: [206, 304, 416],
} as const

/** Sends a file of a package, or the part that `Range` selects; 404 when its content is missing, 503. */
export const packageFile = (
  context: Pick<ForgeContext<unknown>, 'tools' | 'from'>,
  { name, size, sha256 }: PackageFileRow,
): Stream => storedFile(context, { name, size, sha256, etag: `"${sha256}"` })

/** A content to be sent; without `name` a browser shows it instead of saving it. */
interface SentContent {
  name?: string
  size: number
  sha256: string
  etag: string
  /** Its media type. */
  type?: string | undefined
  headers?: Readonly<Record<string, string>>
}

/** The same for any file whose content is in the store. */
export function storedFile(
  {
    tools,
    from,
  }: { tools: Pick<ForgeContext<unknown>['tools'], 'blobs'> } & Pick<ForgeContext<unknown>, 'from'>,
  { size, sha256, type = 'application/octet-stream', ...file }: SentContent,
): Stream {
  const blobs = tools.blobs.forRequest(from.id)
  return async (req, res) => {
    try {
      await sendFile(req, res, {
        ...file,
        size,
        type,
        read: async (span) =>
          streamOf(await blobs.read(sha256, span && { ...span, of: size }), span ? undefined : size),
        exists: () => blobs.has(sha256),
      })
    } catch (error) {
      throw contentProblem(error) ?? error
    }
  }
}

/** @throws StoreError when a whole content has another size than its row */
function streamOf(content: Content | undefined, size: number | undefined): Content['stream'] | undefined {
  if (content === undefined || size === undefined || content.size === size) return content?.stream
  content.stream.destroy()
  throw new StoreError('damaged', `a content has ${content.size} bytes instead of ${size}`)
}
