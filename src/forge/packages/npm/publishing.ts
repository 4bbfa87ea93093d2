import type { IncomingMessage, ServerResponse } from 'node:http'
import { type CompleteUpload, OTHER_DIGESTS } from '../../../blobs/upload.ts'
import type { Outcome } from '../../../common/outcome.ts'
import { readJson } from '../../../http/pipeline/body.ts'
import { confirmed } from '../../../http/route/confirmation.ts'
import { badRequest, busy, found, Problem } from '../../../http/route/problem.ts'
import { LimitError, Limiter } from '../../../limiter/limiter.ts'
import { record } from '../../audit/audit-trail.ts'
import type { Caller } from '../../auth/caller.ts'
import { receiveContent } from '../../blobs/content.ts'
import type { PackageContext, PackageReceivingContext } from '../access.ts'
import { lockPackage, updateMetadata } from '../package-store.ts'
import { publish } from '../publication.ts'
import { tarballName } from './names.ts'
import { ensureLatest, metadataBytes, npmVersions, setTags } from './npm-store.ts'
import { type Document, type Manifest, publicationOf, readDocument } from './publication.ts'
import { PublicationReader, type ReaderFault } from './publication-reader.ts'
import { hasShrinkwrap } from './shrinkwrap.ts'

/** Maximum size of a document without its tarball, in bytes. */
export const DOCUMENT_MAX = 32 * 1024 * 1024

/**
 * Maximum size of the manifests of all versions of a package, in bytes; every client reads all of them. The document
 * with them stays below `DOCUMENT_MAX`, because clients send it back whole.
 */
const MAX_METADATA = 16 * 1024 * 1024

/**
 * Maximum number of documents that are read concurrently, and half of it for one account; unlike tarballs they are held in
 * memory.
 */
const documents = new Limiter({ concurrency: 8, concurrencyPerKey: 4, queue: 0 })

/**
 * Receives the document that npm sends to publish a version or to change the deprecation of existing ones.
 * @throws Problem 400, 404, 408, 409, 413, 415, 503, 507
 */
export async function receiveDocument(
  context: PackageReceivingContext,
  name: string,
  exchange: { req: IncomingMessage; res: ServerResponse },
): Promise<'published' | 'changed'> {
  return withDocumentSlot(context, () => readAndPublish(context, name, exchange))
}

/** Runs work that holds a document in memory, in one of the slots for that. @throws Problem 503 */
export async function withDocumentSlot<Result>(
  { caller }: { caller: Caller },
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await documents.run(work, { keys: [caller.me?.id] })
  } catch (error) {
    if (!(error instanceof LimitError)) throw error
    throw busy('the server is busy', 'too many packages are being published')
  }
}

async function readAndPublish(
  context: PackageReceivingContext,
  name: string,
  exchange: Parameters<typeof receiveDocument>[2],
) {
  const { tools } = context
  const maxTarball = tools.uploadLimits.package
  const reader = new PublicationReader(DOCUMENT_MAX)
  const bytes = Math.ceil(maxTarball / 3) * 4 + DOCUMENT_MAX
  let size = 0
  let outcome: 'published' | 'changed' = 'published'
  const writeTarball = async (chunk: Buffer, { write }: { write: (bytes: Buffer) => Promise<void> }) => {
    const piece = valueOrProblem(reader.push(chunk))
    size += piece.length
    if (size > maxTarball) throw new Problem(413, `the tarball is larger than ${maxTarball} bytes`)
    if (piece.length > 0) await write(piece)
  }
  const options = { bytes, others: OTHER_DIGESTS, onChunk: writeTarball }
  await receiveContent(tools, exchange, options, async (content) => {
    const { text, tarball } = valueOrProblem(reader.finish())
    const document = valueOrBadRequest(readDocument(readJson(text), name))
    if (tarball === undefined) {
      await confirmed(context, (caller) => deprecate({ ...context, caller }, document))
      outcome = 'changed'
      return
    }
    const { version, manifest, tags } = valueOrBadRequest(publicationOf(document, tarball, content))
    await publish(context, {
      type: 'npm',
      name,
      version: { version, metadata: JSON.stringify(await announced(manifest, content)) },
      file: tarballName(name, version),
      content,
      singleFile: true,
      onNewVersion: async (tx, row) => {
        if ((await metadataBytes(tx, row.package_id)) > MAX_METADATA)
          throw new Problem(413, 'the manifests of all versions of the package are too large together')
        await setTags(tx, row, tags)
        await ensureLatest(tx, row.package_id)
      },
    })
  })
  return outcome
}

/** npm reads a shrinkwrap only where the manifest announces it, which the client leaves to the registry. */
const announced = async (manifest: Manifest, { path }: CompleteUpload): Promise<Manifest> =>
  (await hasShrinkwrap(path)) ? { ...manifest, _hasShrinkwrap: true } : manifest

/**
 * Handles `npm deprecate`, which sends the whole document again with a deprecation message in some versions.
 * @throws Problem 400 unknown version, 404
 */
async function deprecate(context: PackageContext, { name, versions }: Document): Promise<void> {
  const owner = context.caller.subject
  await context.begin(async (tx) => {
    found(await lockPackage(tx, { owner: owner.id, type: 'npm', name }))
    const stored = await npmVersions(tx, owner.id, name)
    const existing = new Set(stored.map(({ version }) => version))
    const missing = Object.keys(versions).find((version) => !existing.has(version))
    if (missing !== undefined) throw badRequest(`there is no version ${missing}, and no tarball of it`)
    for (const { id, version, manifest } of stored) {
      const { deprecated: before, ...rest } = manifest
      const deprecated = Object.hasOwn(versions, version)
        ? versions[version]?.deprecated || undefined
        : before
      if (deprecated === before || (deprecated !== undefined && typeof deprecated !== 'string')) continue
      await updateMetadata(tx, id, JSON.stringify({ ...rest, ...(deprecated && { deprecated }) }))
      const target = { kind: 'package', id, name: `${owner.name}/npm/${name}/${version}` }
      const action = deprecated ? 'package.deprecated' : 'package.undeprecated'
      await record(tx, context, { action, target })
    }
  })
}

/** @throws Problem 400, 413 */
function valueOrProblem<Value>(outcome: Outcome<Value, ReaderFault>): Value {
  if (outcome.ok) return outcome.value
  const { kind, sentence } = outcome.fault
  throw new Problem(kind === 'large' ? 413 : 400, sentence)
}

/** @throws Problem 400 */
function valueOrBadRequest<Value>(outcome: Outcome<Value, string>): Value {
  if (outcome.ok) return outcome.value
  throw badRequest(outcome.fault)
}
