import { stat } from 'node:fs/promises'
import { hasCode } from '../../common/errors.ts'
import { done, failed } from '../../common/outcome.ts'
import { diskFault, fault, type GitOutcome } from './outcome.ts'
import type { Running } from './process.ts'
import { type Answers, type Question, Reader, type ReaderKind, readerArgs } from './reader.ts'

export interface ReaderOptions {
  /** Maximum number of processes for all repositories. */
  processes: number
  /** Milliseconds after which an unused process is ended. */
  idle: number
}

/** Git processes that stay open between questions. */
interface Readers {
  /**
   * Resolves when the process is free again, which may be after `signal` has fired. The caller asks fewer than `processes`
   * questions at a time. Faults: name, gone, cancelled, late, missing, failed.
   */
  ask: (
    folder: string,
    kind: ReaderKind,
    question: Question,
    signal: AbortSignal,
  ) => Promise<GitOutcome<Answers>>
  /** Ends the processes that read the repository in this directory. */
  leave: (folder: string) => Promise<void>
  /** Ends all. */
  close: () => void
}

/** Starts git in a directory. */
type Start = (folder: string, args: readonly string[], signal: AbortSignal) => Running

/** A process, and the repository that it reads. */
interface OpenReader {
  reader: Reader
  kind: ReaderKind
  place: string
  isBusy: boolean
  /** Whether it has answered before. */
  isUsed: boolean
  idleTimer?: NodeJS.Timeout
}

/** Milliseconds for which the rest of an unused answer is read; after that the process is ended. */
const maxSkipTime = 1000

/** Maximum attempts to ask a question: the process or the directory may disappear meanwhile. */
const maxTries = 3

/** `milliseconds`: how long the answer to a question may take. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: its functions share state
export function createReaders(
  start: Start,
  milliseconds: number,
  { processes, idle }: ReaderOptions,
): Readers {
  /** In the order of their last use. */
  const all = new Set<OpenReader>()

  function endOne(one: OpenReader): void {
    clearTimeout(one.idleTimer)
    all.delete(one)
    one.reader.end()
  }

  function take(folder: string, kind: ReaderKind, place: string): OpenReader {
    const free = [...all].filter(({ isBusy }) => !isBusy)
    const fitting = free.findLast((one) => one.place === place && one.kind === kind && one.reader.isUsable)
    if (fitting) {
      clearTimeout(fitting.idleTimer)
      return Object.assign(fitting, { isBusy: true, isUsed: true })
    }
    if (all.size >= processes && free[0]) endOne(free[0])
    const killed = new AbortController()
    const running = start(folder, readerArgs[kind], killed.signal)
    const reader = new Reader(running, kind, () => killed.abort())
    const one: OpenReader = { reader, kind, place, isBusy: true, isUsed: false }
    all.add(one)
    // `ended` never rejects.
    void reader.ended.then(() => endOne(one))
    return one
  }

  function giveBack(one: OpenReader): void {
    one.isBusy = false
    if (!all.delete(one) || !one.reader.isUsable) return
    all.add(one)
    one.idleTimer = setTimeout(() => endOne(one), idle).unref()
  }

  async function ask(
    folder: string,
    kind: ReaderKind,
    question: Question,
    signal: AbortSignal,
  ): Promise<GitOutcome<Answers>> {
    // Git would read two names, or another one (it drops a carriage return).
    if (question.names.some((name) => /[\0\n\r]/.test(name)))
      return fault('name', 'a name of more than a line')
    let failure = fault('gone', `${folder} was replaced ${maxTries} times`)
    for (let tries = 0; tries < maxTries; tries++) {
      const place = await placeOf(folder)
      if (signal.aborted) return fault('cancelled', 'cancelled before git was asked')
      const one = take(folder, kind, place)
      await one.reader.begun
      // Another repository may have taken the place before git started.
      const isRight = one.isUsed || (await placeOf(folder).catch(() => '')) === place
      if (!isRight) {
        endOne(one)
        continue
      }
      const outcome = await askOne(one.reader, question, { signal, milliseconds })
      giveBack(one)
      if (outcome) return outcome
      const ended = await one.reader.ended
      failure = ended.fault ? failed(ended.fault) : fault('failed', 'git ended before it had answered')
      // A process that has answered before may have been ended from outside, or with its repository.
      if (!one.isUsed && failure.fault.kind !== 'cancelled') break
    }
    return failure
  }

  return {
    ask: (folder, ...rest) => ask(folder, ...rest).catch((error) => faultOf(error, folder)),
    leave: async (folder) => {
      const place = await placeOf(folder).catch(() => undefined)
      const leaving = [...all].filter((one) => one.place === place)
      for (const one of leaving) endOne(one)
      await Promise.all(leaving.map(({ reader }) => reader.ended))
    },
    close: () => {
      for (const one of all) endOne(one)
    },
  }
}

/** Undefined if the process ended before it had answered, and not because of these limits. */
async function askOne(
  reader: Reader,
  question: Question,
  { signal, milliseconds }: { signal: AbortSignal; milliseconds: number },
): Promise<GitOutcome<Answers> | undefined> {
  let cause: 'late' | 'cancelled' | undefined
  const late = setTimeout(() => {
    cause ??= 'late'
    reader.end()
  }, milliseconds)
  let skipping: NodeJS.Timeout | undefined
  const cancel = () => {
    cause ??= 'cancelled'
    skipping = setTimeout(() => reader.end(), maxSkipTime)
  }
  if (signal.aborted) cancel()
  else signal.addEventListener('abort', cancel, { once: true })
  const answers = await reader.answer(question, signal)
  signal.removeEventListener('abort', cancel)
  clearTimeout(late)
  clearTimeout(skipping)
  if (cause) return fault(cause, `an answer of git was ended: ${cause}`)
  return answers && done(answers)
}

/**
 * Identifies the repository in a directory, also when it is moved or another one gets its name: the number of a removed
 * directory is not used again while a process is in it.
 * @throws Error of the file system if there is none
 */
async function placeOf(folder: string): Promise<string> {
  const { dev, ino } = await stat(folder, { bigint: true })
  return `${dev}:${ino}`
}

const faultOf = (error: unknown, folder: string) =>
  hasCode(error, 'ENOENT', 'ENOTDIR') ? fault('gone', `${folder} does not exist`) : diskFault(error)
