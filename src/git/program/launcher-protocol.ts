import type { Exit, Program } from './spawn.ts'

/**
 * The messages between the server and the launcher, each with the number of a process. The input and the output of the
 * process are connections to the launcher, each of which begins with a line: the token of the launcher, the number, and
 * `input` or `output`.
 */

/** A process to start when its connections have arrived. */
export interface Request extends Program {
  id: number
  /** The server's descriptor of a file without a name, for the output; absent: the output has a connection. */
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

/** The process has its connections, so that it reads its input. */
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
