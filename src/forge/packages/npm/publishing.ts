import type { IncomingMessage, ServerResponse } from 'node:http'
import { readJson } from '../../../http/pipeline/body.ts'
import { badRequest, found, Problem, unavailable } from '../../../http/route/problem.ts'
import { record } from '../../admin/audit-trail.ts'
import type { Outcome } from '../../protocol/outcome.ts'
import type { ForgeTools } from '../../route.ts'
import { lockPackage, updateMetadata } from '../package-store.ts'
import { type PublishContext, publish, takeIn } from '../publication.ts'
import { tarballName } from './names.ts'
import { type Document, publicationOf, readDocument } from './publication.ts'
import { PublicationReader, type ReaderFault } from './publication-reader.ts'
import { keepLatest, metadataBytes, npmVersions, setTags } from './store.ts'

/** Bytes of a document beside its tarball. */
export const DOCUMENT_MAX = 32 * 1024 * 1024

/**
 * Bytes of what all versions of a package say of themselves: every client reads all of it. With the rest that stands in
 * a document it stays below `DOCUMENT_MAX`, as clients send it back whole.
 */
const mostKept = 16 * 1024 * 1024

/** Documents that are read at one time; they are held in memory, unlike their tarballs. */
const mostAtOnce = 8
let reading = 0

/** Who publishes. */
type NpmContext = PublishContext & { tools: ForgeTools }

/**
 * Takes in what npm sends to publish a version, or to change what is said of those that are there.
 * @throws Problem 400, 404, 408, 409, 413, 415, 503, 507
 */
export async function takeDocument(
  ask: NpmContext,
  name: string,
  exchange: { req: IncomingMessage; res: ServerResponse },
): Promise<'published' | 'changed'> {
  return holdingDocument(() => taken(ask, name, exchange))
}

/** Does what holds a document in memory, in one of the places for that. @throws Problem 503 */
export async function holdingDocument<Result>(work: () => Promise<Result>): Promise<Result> {
  if (reading >= mostAtOnce) throw unavailable('the server is busy', 'too many packages are being published')
  reading++
  try {
    return await work()
  } finally {
    reading--
  }
}

async function taken(ask: NpmContext, name: string, exchange: Parameters<typeof takeDocument>[2]) {
  const { tools } = ask
  const most = tools.packageLimits.file
  const reader = new PublicationReader(DOCUMENT_MAX)
  const bytes = Math.ceil(most / 3) * 4 + DOCUMENT_MAX
  let size = 0
  let outcome: 'published' | 'changed' = 'published'
  const each = async (chunk: Buffer, { write }: { write: (bytes: Buffer) => Promise<void> }) => {
    const piece = pieceOf(reader.push(chunk))
    size += piece.length
    if (size > most) throw new Problem(413, `the tarball is larger than ${most} bytes`)
    if (piece.length > 0) await write(piece)
  }
  await takeIn(tools, exchange, { bytes, each }, async (content) => {
    const { text, tarball } = pieceOf(reader.finish())
    const document = orRefuse(readDocument(readJson(text), name))
    if (tarball === undefined) {
      await deprecate(ask, document)
      outcome = 'changed'
      return
    }
    const { version, manifest, tags } = orRefuse(publicationOf(document, tarball, content))
    await publish(ask, {
      type: 'npm',
      name,
      version: { version, metadata: JSON.stringify(manifest) },
      file: tarballName(name, version),
      content,
      once: true,
      also: async (tx, row) => {
        if ((await metadataBytes(tx, row.package_id)) > mostKept)
          throw new Problem(413, 'the package has too many versions that say too much of themselves')
        await setTags(tx, row, tags)
        await keepLatest(tx, row.package_id)
      },
    })
  })
  return outcome
}

/**
 * What `npm deprecate` sends: the whole document again, with a word of warning in some versions.
 * @throws Problem 400 a version that is not there, 404
 */
async function deprecate(ask: NpmContext, { name, versions }: Document): Promise<void> {
  const owner = ask.caller.subject
  await ask.begin(async (tx) => {
    found(await lockPackage(tx, { owner: owner.id, type: 'npm', name }))
    const known = await npmVersions(tx, owner.id, name)
    const there = new Set(known.map(({ version }) => version))
    const missing = Object.keys(versions).find((version) => !there.has(version))
    if (missing !== undefined) throw badRequest(`there is no version ${missing}, and no tarball of it`)
    for (const { id, version, manifest } of known) {
      const { deprecated: before, ...rest } = manifest
      const deprecated = Object.hasOwn(versions, version)
        ? versions[version]?.deprecated || undefined
        : before
      if (deprecated === before || (deprecated !== undefined && typeof deprecated !== 'string')) continue
      await updateMetadata(tx, id, JSON.stringify({ ...rest, ...(deprecated && { deprecated }) }))
      const target = { kind: 'package', id, name: `${owner.name}/npm/${name}/${version}` }
      const action = deprecated ? 'package.deprecated' : 'package.undeprecated'
      await record(tx, ask, { action, target })
    }
  })
}

/** @throws Problem 400, 413 */
function pieceOf<Value>(outcome: Outcome<Value, ReaderFault>): Value {
  if (outcome.ok) return outcome.value
  const { kind, sentence } = outcome.fault
  throw new Problem(kind === 'large' ? 413 : 400, sentence)
}

/** @throws Problem 400 */
function orRefuse<Value>(outcome: Outcome<Value, string>): Value {
  if (outcome.ok) return outcome.value
  throw badRequest(outcome.fault)
}
