import { notFound } from '../../http/route/problem.ts'
import type { ChangedHolder, HeldFiles } from '../attachments/upload.ts'
import type { OnRepository, SignedInOnRepository } from '../repos/access.ts'
import { holdRelease, type StoredRelease } from '../repos/release-store.ts'
import type { ForgeContext } from '../route.ts'
import { releaseIn, releaseToChange } from './access.ts'
import { downloadsOf } from './release.shape.ts'

// The files of releases, as the API and pages change them.

const held = ({ repo }: OnRepository, { id, tag_name }: StoredRelease): HeldFiles => ({
  holder: { kind: 'release', id },
  downloads: downloadsOf(`${repo.owner.name}/${repo.name}`, tag_name),
})

/** The files of the release `{id}`. @throws Problem 404 */
export const filesOfRelease = async (context: Parameters<typeof releaseIn>[0]) =>
  held(context.caller, await releaseIn(context))

/** The same, to be changed. @throws Problem 404, 423 */
export async function filesToChange(
  context: ForgeContext<SignedInOnRepository, { params: { id: string } }>,
): Promise<ChangedHolder> {
  const release = await releaseToChange(context)
  const { id, tag_name } = release
  const { repo } = context.caller
  return {
    ...held(context.caller, release),
    name: `${repo.owner.name}/${repo.name}/${tag_name}`,
    maximum: context.tools.uploadLimits.release,
    requireType: () => {},
    again: (caller) => filesToChange({ ...context, caller }),
    add: async (tx, insert) => {
      if (!(await holdRelease(tx, id))) throw notFound()
      return insert()
    },
  }
}
