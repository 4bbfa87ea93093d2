import { done } from '../../common/outcome.ts'
import {
  type Caller,
  OpenProcess,
  OpenProcesses,
  type OpenProcessOptions,
  type StartOpen,
} from './open-processes.ts'
import { fault, type GitOutcome } from './outcome.ts'

/** The part of each object that a reader returns; git needs another process for each. */
export type ReaderKind = 'head' | 'content'

/** The arguments that start a reader. */
const readerArgs: Readonly<Record<ReaderKind, readonly string[]>> = {
  head: ['cat-file', '--batch-check'],
  content: ['cat-file', '--batch'],
}

/** An object of a repository. */
export interface GitObject {
  id: string
  type: 'commit' | 'tag' | 'tree' | 'blob'
  /** Bytes. */
  size: number
}

/** The answer of a reader to a name. */
export interface Answer extends GitObject {
  /** Empty in an answer of kind `head`; cut at `maxBytes` of the question. */
  content: Buffer
}

export interface Question {
  /** Names of objects (gitrevisions(7)), each a line. */
  names: readonly string[]
  /** Maximum bytes of all contents. */
  maxBytes: number
}

/** The answers in the order of the names; undefined where there is no such object. */
export type Answers = (Answer | undefined)[]

/** Maximum unused bytes of an answer that are read, so that the process can be used again; otherwise it is ended. */
const maxSkipped = 1024 * 1024

/** Maximum names for one process: git retains the commits that it has read until it ends. */
const maxNames = 20_000

/** Processes that answer questions for objects. */
export class Readers extends OpenProcesses<ReaderKind, Reader> {
  /** `milliseconds`: how long the answer to a question may take. */
  constructor(start: StartOpen, milliseconds: number, options: OpenProcessOptions) {
    super((folder, kind) => new Reader(start, folder, kind), milliseconds, options)
  }

  /** As `use`; further fault: name. */
  async ask(caller: Caller<ReaderKind>, question: Question): Promise<GitOutcome<Answers>> {
    // Git would read two names, or another one (it drops a carriage return).
    if (question.names.some((name) => /[\0\n\r]/.test(name)))
      return fault('name', 'a name of more than a line')
    return this.use(caller, async (reader) => {
      const answers = await reader.answer(question, caller.signal)
      return answers && done(answers)
    })
  }
}

/** A git process that answers questions, one at a time. */
class Reader extends OpenProcess {
  readonly #kind: ReaderKind
  #names = 0

  constructor(start: StartOpen, folder: string, kind: ReaderKind) {
    super(start, folder, readerArgs[kind])
    this.#kind = kind
  }

  /**
   * If the contents have more than `maxBytes`, the last answer is cut and those after it are missing. Undefined if the
   * process ended before it had answered. When `signal` fires, the rest of the answer is read and dropped.
   */
  async answer(question: Question, signal: AbortSignal): Promise<Answers | undefined> {
    this.#names += question.names.length
    const giveUp = () => this.output.allow(maxSkipped)
    signal.addEventListener('abort', giveUp, { once: true })
    this.stdin.write(`${question.names.join('\n')}\n`)
    const answers = await this.#answersTo(question)
    signal.removeEventListener('abort', giveUp)
    this.output.allow(Number.POSITIVE_INFINITY)
    // Without an answer the process ends by itself; ending it here would hide the reason.
    if (!answers && !signal.aborted) this.isUsable = false
    else if (!answers || !this.output.isEmpty || this.#names >= maxNames) this.end()
    return answers
  }

  async #answersTo({ names, maxBytes }: Question): Promise<Answers | undefined> {
    const answers: Answers = []
    let room = maxBytes
    while (answers.length < names.length) {
      const line = await this.output.line()
      if (line === undefined) return undefined
      const object = objectOf(line)
      const hasContent = object && this.#kind === 'content'
      const content = hasContent ? await this.#contentOf(object, room) : Buffer.alloc(0)
      if (!content) return undefined
      answers.push(object && { ...object, content })
      room -= content.length
      if (!hasContent || content.length === object.size) continue
      if (answers.length < names.length) this.end()
      break
    }
    return answers
  }

  /** The first bytes of the content. */
  async #contentOf({ size }: GitObject, room: number): Promise<Buffer | undefined> {
    const content = await this.output.bytes(Math.min(size, room))
    // A line feed follows the content.
    const rest = size - Math.min(size, room) + 1
    if (rest > maxSkipped) this.end()
    else if (!(await this.output.skip(rest))) return undefined
    return content
  }
}

const described = /^([0-9a-f]{40}|[0-9a-f]{64}) (commit|tag|tree|blob) (\d+)$/

/** The first line of an answer; undefined where git says that there is no such object, or more than one. */
export function objectOf(line: string): GitObject | undefined {
  const [, id, type, size] = described.exec(line) ?? []
  return id === undefined ? undefined : { id, type: type as GitObject['type'], size: Number(size) }
}
