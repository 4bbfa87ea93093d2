import { done } from '../../../common/outcome.ts'
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
      // The processes that stay open each know one repository.
      ask: async (folder, kind, question, options) => {
        const own = await git.ask(folder, kind, question, options)
        if (!own.ok) return own
        const names = question.names.filter((_, at) => own.value[at] === undefined)
        if (names.length === 0) return own
        const others = await other.git.ask(other.directory, kind, { ...question, names }, options)
        if (!others.ok) return others
        const rest = others.value.values()
        return done(own.value.map((answer) => answer ?? rest.next().value))
      },
    },
  }
}
