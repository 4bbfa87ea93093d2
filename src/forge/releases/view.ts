import type { OnRepository } from '../repos/access.ts'
import type { ForgeContext } from '../route.ts'
import type { ReleaseView } from './release.shape.ts'

/** For whom a request prints releases. */
export const viewOf = ({
  caller: { repo, me },
  from: { host },
}: Pick<ForgeContext<OnRepository>, 'caller' | 'from'>): ReleaseView => ({
  host,
  path: `${repo.owner.name}/${repo.name}`,
  viewer: me,
})
