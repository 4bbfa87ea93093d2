import type { MayMove } from './pre-receive.ts'
import type { Begin, RunningProcess } from './process.ts'
import type { StreamKind } from './queues.ts'

export interface RunOptions {
  /** Written to git's standard input. */
  input?: string | Buffer
  signal?: AbortSignal | undefined
  /** Maximum bytes of output, 16 MiB by default; git is ended beyond. */
  maxBytes?: number
  /** Whether output beyond `maxBytes` is cut off; otherwise it is a fault. */
  truncate?: boolean
  environment?: Readonly<Record<string, string>>
  /** Descriptor of a file for the output; the result is then empty. */
  file?: number
  /** Keys of the client, for its turn in the queue (`FairQueue`); absent: the server itself. */
  keys?: readonly string[] | undefined
  /** Whether a transaction of the database waits for it; it has a queue of its own then (`in-transaction.ts`). */
  isHeld?: boolean
  /** The queue in which it waits; that of short runs by default. */
  kind?: StreamKind
  /** Maximum duration, without the time in the queue; that of its queue by default. */
  milliseconds?: number
}

export interface StreamOptions {
  signal?: AbortSignal | undefined
  keys?: readonly string[] | undefined
  environment?: Readonly<Record<string, string>>
  /** The queue in which it waits, so that what is short does not wait for what is long; `long` by default. */
  kind?: StreamKind
  /** Called when a slot is free, before git starts; if it rejects, git is not started, and `stream` rejects. */
  beforeGit?: (() => Promise<void>) | undefined
  /** Answers the hook of a push. */
  mayMove?: MayMove | undefined
  /** Starts a process for the client once a slot is free; git by default. */
  serve?: (begin: Begin, signal: AbortSignal) => RunningProcess
}
