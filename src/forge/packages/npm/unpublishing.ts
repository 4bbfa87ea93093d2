import * as v from 'valibot'
import { readJson } from '../../../http/pipeline/body.ts'
import { receive } from '../../../http/pipeline/upload.ts'
import { confirmed } from '../../../http/route/confirmation.ts'
import { badRequest, conflict, found } from '../../../http/route/problem.ts'
import { IDLE_TIMEOUT } from '../../blobs/content.ts'
import type { PackageContext, PackageReceivingContext } from '../access.ts'
import { lockPackage, versionByName } from '../package-store.ts'
import { removeLockedVersion } from '../removal.ts'
import { npmPackage, npmVersions } from './npm-store.ts'
import { revisionOf } from './packument.ts'
import { DOCUMENT_MAX, withDocumentSlot } from './publishing.ts'

/** A package from which versions are removed, with the revision that the client has seen. */
interface SeenPackage {
  name: string
  rev: string
}

/** The part of a document that lists the remaining versions. */
const RemainingVersions = v.object({ versions: v.record(v.string(), v.unknown()) })

/**
 * Receives the first request of `npm unpublish`, the document without a version, and removes the versions that are
 * missing in it. npm then also deletes the tarball; npm 11 uses a wrong URL for that if the registry is configured for
 * a scope only, and takes the 404 for success.
 * @throws Problem 400, 404, 408, 409 not the revision that the client has seen, 413, 415, 503
 */
export async function receiveUnpublish(
  context: PackageReceivingContext,
  seenPackage: SeenPackage,
  exchange: Parameters<typeof receive>[0],
): Promise<void> {
  await withDocumentSlot(context, async () => {
    const pieces: Buffer[] = []
    await receive(exchange, { bytes: DOCUMENT_MAX, silence: IDLE_TIMEOUT }, async (piece) => {
      pieces.push(piece)
    })
    const document = v.safeParse(RemainingVersions, readJson(Buffer.concat(pieces)))
    if (!document.success) throw badRequest('this is no document of a package')
    const remaining = document.output.versions
    const isRemoved = (version: string) => !Object.hasOwn(remaining, version)
    await confirmed(context, (caller) => removeVersions({ ...context, caller }, seenPackage, isRemoved))
  })
}

/** Removes versions of a package whose revision is the one that the client has seen. @throws Problem 404, 409 */
export async function removeVersions(
  context: PackageContext,
  { name: requestedName, rev }: SeenPackage,
  isRemoved: (version: string) => boolean,
): Promise<void> {
  const key = npmPackage(context.caller, requestedName)
  await context.begin(async (tx) => {
    const { name } = found(await lockPackage(tx, key))
    const versions = await npmVersions(tx, key.owner, name)
    if (revisionOf({ versions }) !== rev)
      throw conflict('the package has changed meanwhile; look at it again')
    for (const { version } of versions)
      if (isRemoved(version))
        await removeLockedVersion(tx, context, found(await versionByName(tx, key, version)))
  })
}
