import type { Exit, Program } from './spawn.ts'

/**
 * What the server and the launcher tell each other, in messages with the number of a process. The input and the output of
 * the process are connections to the launcher, each of which begins with a line: the token of the launcher, the number, and
 * `input` or `output`.
 */

/** A process to start when its connections have come. */
export interface Request extends Program {
  id: number
  /** Descriptor of the server's for the output, a file without a name; then no connection for it comes. */
  file?: number | undefined
  /** Whether the process has the connection of a hook. */
  hasHook: boolean
}

/** A message to the launcher: a process to start, a signal for it, the answer to its hook. */
export type Order =
  | Request
  | { id: number; signal: NodeJS.Signals }
  | { id: number; answer?: string | undefined }

/** A message of the launcher: it listens; or a process was started, its hook asks, it has ended. */
export type Report = Listening | ({ id: number } & (Begun | Asking | Ended))

export interface Listening {
  path: string
  token: string
}

/** The process has its connections: what is written to its input reaches it. */
interface Begun {
  pid: number
}

/** The hook of a push asks. */
interface Asking {
  question: string
}

interface Ended {
  exit: Exit
}
