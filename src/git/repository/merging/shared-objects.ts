import { alternateObjects } from '../../program/environment.ts'
import type { OpenRepository } from '../../program/git.ts'

/** A repository whose processes also find the objects of another one, which it need not copy to be compared with it. */
export function withObjectsOf({ git, directory }: OpenRepository, other: OpenRepository): OpenRepository {
  const more = alternateObjects(other.directory)
  return {
    directory,
    git: {
      ...git,
      run: (folder, args, options) =>
        git.run(folder, args, { ...options, environment: { ...options?.environment, ...more } }),
      stream: (folder, args, options) =>
        git.stream(folder, args, { ...options, environment: { ...options?.environment, ...more } }),
    },
  }
}
