import type { Git, RunOptions, StreamOptions } from './git.ts'

/** A request for which git runs. */
export interface Requester {
  /** Its processes have it in their environment, for operators. */
  id: string
  /** Ends its runs. */
  signal?: AbortSignal
  /** Keys of the client, for its turn in the queue. */
  keys?: readonly string[]
}

/** The same git, for one request. */
export function gitFor({ id, ...options }: Requester, git: Git): Git {
  const ofRequest = { FORGEHALL_REQUEST_ID: id }
  const optionsOf = <Options extends RunOptions | StreamOptions>(run: Options | undefined) => ({
    ...options,
    ...run,
    environment: { ...run?.environment, ...ofRequest },
  })
  return {
    ...git,
    run: (folder, args, run) => git.run(folder, args, optionsOf(run)),
    stream: (folder, args, run) => git.stream(folder, args, optionsOf(run)),
    ask: (folder, kind, question, run) => git.ask(folder, kind, question, { ...options, ...run }),
    transact: (folder, commands, mayMove, run) =>
      git.transact(folder, commands, mayMove, { ...options, ...run }),
  }
}
