import { done } from '../../common/outcome.ts'
import { createOpenProcesses, type OpenProcessOptions, type StartOpen } from './open-processes.ts'
import { fault, type GitOutcome } from './outcome.ts'
import { type Answers, type Question, Reader, type ReaderKind, readerArgs } from './reader.ts'

/** Processes that answer questions for objects. */
interface Readers {
  /** As `use` of open processes; further fault: name. */
  ask: (
    folder: string,
    kind: ReaderKind,
    question: Question,
    signal: AbortSignal,
  ) => Promise<GitOutcome<Answers>>
  leave: (folder: string) => Promise<void>
  close: () => void
}

/** `milliseconds`: how long the answer to a question may take. */
export function createReaders(start: StartOpen, milliseconds: number, options: OpenProcessOptions): Readers {
  const begin = (folder: string, kind: ReaderKind) => {
    const killed = new AbortController()
    return new Reader(start(folder, readerArgs[kind], killed.signal), kind, () => killed.abort())
  }
  const { use, leave, close } = createOpenProcesses(begin, milliseconds, options)
  return {
    ask: async (folder, kind, question, signal) => {
      // Git would read two names, or another one (it drops a carriage return).
      if (question.names.some((name) => /[\0\n\r]/.test(name)))
        return fault('name', 'a name of more than a line')
      const answer = async (reader: Reader) => {
        const answers = await reader.answer(question, signal)
        return answers && done(answers)
      }
      return use(folder, kind, answer, signal)
    },
    leave,
    close,
  }
}
