import type { IncomingMessage, ServerResponse } from 'node:http'
import type { MayMove } from '../program/pre-receive.ts'
import type { RefUpdate } from '../repository/move-refs.ts'

/** The two services of the smart protocol (gitprotocol-http(5)). */
export type Service = 'git-upload-pack' | 'git-receive-pack'

/** The request of a client for a service of a repository. */
export interface Exchange {
  service: Service
  /** Absolute path, from `Repositories.path`. */
  repository: string
  req: IncomingMessage
  res: ServerResponse
  /**
   * The client is a connection of `ssh`: the refs begin without the name of the service, and a fetch in version 0 or 1 is
   * a conversation, in one request.
   */
  overSsh?: boolean
  /** `X-Request-Id`, for the environment of git; a run that several fetches share has that of the first. */
  requestId?: string
  /** Keys of the client, for its turn in the queues for git (`FairQueue`). */
  keys?: readonly string[]
  /** Aborts the exchange, as if the client had disconnected. */
  signal?: AbortSignal
  /**
   * Called when a slot for git is free, immediately before it starts. If it rejects, git is not started, and the
   * exchange rejects with the same error.
   */
  beforeGit?: () => Promise<void>
}

/** The caller's hooks for a push. */
export interface PushRules {
  /**
   * Called before git runs; a returned sentence refuses the whole push, and the client prints it as `remote: …`.
   * `options`: those of `git push -o`.
   */
  check?: (
    updates: readonly RefUpdate[],
    options: readonly string[],
  ) => string | undefined | Promise<string | undefined>
  /**
   * Called when git has checked the pack and is about to move the refs; a returned sentence refuses the whole push, and
   * the client prints it as `remote: …`.
   */
  mayMove?: MayMove
  /**
   * Called once with the updates that were carried out; the response ends only after it resolves. The push stands
   * whatever this does; if it rejects, so does `serve`. `isReported`: git has reported the updates; otherwise they
   * follow from the current refs.
   */
  updated?: (updates: readonly RefUpdate[], isReported: boolean) => void | Promise<void>
  /**
   * Called instead if `check` allowed the push and no ref was changed. Neither is called if the outcome is unknown: git
   * ended without a report, as it does when the server stops, and the refs cannot be read.
   */
  untouched?: () => void | Promise<void>
}
