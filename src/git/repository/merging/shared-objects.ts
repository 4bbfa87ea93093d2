import { alternateObjects } from '../../program/environment.ts'
import type { OpenRepository } from '../../program/git.ts'
import { orGone } from '../../program/outcome.ts'

/** A repository whose processes also find the objects of another one, which it need not copy to be compared with it. */
export function withObjectsOf({ git, directory }: OpenRepository, other: OpenRepository): OpenRepository {
  const more = alternateObjects(other.directory)
  return {
    directory,
    git: {
      ...git,
      run: async (folder, args, options) => {
        const environment = { ...options?.environment, ...more }
        return orGone(await git.run(folder, args, { ...options, environment }), other.directory)
      },
      stream: (folder, args, options) =>
        git.stream(folder, args, { ...options, environment: { ...options?.environment, ...more } }),
    },
  }
}
