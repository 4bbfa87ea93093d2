import * as v from 'valibot'
import { readJson } from '../../../http/pipeline/body.ts'
import { receive } from '../../../http/pipeline/upload.ts'
import { badRequest, conflict, found } from '../../../http/route/problem.ts'
import { lockPackage, versionByName } from '../package-store.ts'
import { SILENCE } from '../publication.ts'
import { type RemovalContext, removeHeld } from '../removal.ts'
import { revisionOf } from './packument.ts'
import { DOCUMENT_MAX, holdingDocument } from './publishing.ts'
import { npmVersions } from './store.ts'

const type = 'npm'

/** A package that is to lose versions, as the client has seen it. */
export interface Seen {
  name: string
  rev: string
}

/** The part of a document that says which versions are left. */
const Left = v.object({ versions: v.record(v.string(), v.unknown()) })

/**
 * Takes in what `npm unpublish` sends first, the document without a version, and removes what is missing there. It also
 * removes the tarball then, but npm 11 asks for that under a wrong address where only a scope has this registry, and
 * takes the 404 for success.
 * @throws Problem 400, 404, 408, 409 not what the client has seen, 413, 415, 503
 */
export async function takeRemoval(
  ask: RemovalContext,
  seen: Seen,
  exchange: Parameters<typeof receive>[0],
): Promise<void> {
  await holdingDocument(async () => {
    const pieces: Buffer[] = []
    await receive(exchange, { bytes: DOCUMENT_MAX, silence: SILENCE }, async (piece) => {
      pieces.push(piece)
    })
    const read = v.safeParse(Left, readJson(Buffer.concat(pieces)))
    if (!read.success) throw badRequest('this is no document of a package')
    const left = read.output.versions
    await removeVersions(ask, seen, (version) => !Object.hasOwn(left, version))
  })
}

/** Removes versions of a package that is as the client has seen it. @throws Problem 404, 409 */
export async function removeVersions(
  ask: RemovalContext,
  { name: asked, rev }: Seen,
  goes: (version: string) => boolean,
): Promise<void> {
  const owner = ask.caller.subject.id
  await ask.begin(async (tx) => {
    const { name } = found(await lockPackage(tx, { owner, type, name: asked }))
    const versions = await npmVersions(tx, owner, name)
    if (revisionOf({ versions }) !== rev)
      throw conflict('the package has changed meanwhile; look at it again')
    for (const { version } of versions)
      if (goes(version))
        await removeHeld(tx, ask, found(await versionByName(tx, { owner, type, name }, version)))
  })
}
