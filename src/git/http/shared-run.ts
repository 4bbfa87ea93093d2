import { randomUUID } from 'node:crypto'
import { closeSync, openSync, read, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { fault } from '../program/outcome.ts'
import type { Begin, Ended, RunningProcess } from '../program/process.ts'
import { pieceBytes, type Take } from './pieces.ts'

/** Git that writes into a file for several clients. */
export interface SharedRun {
  /** What it writes, from the beginning, for one more client. */
  follow: (signal: AbortSignal) => RunningProcess
  /** The last to leave ends git, and the file is gone. */
  leave: (member: object) => void
  hasFailed: () => boolean
}

export interface Sharing {
  begin: Begin
  /** Of who begins it. */
  signal: AbortSignal
  /** Descriptor; it is closed when nobody reads any more. */
  file: number
  /** Who may read it. */
  members: ReadonlySet<object>
  /** Most bytes; git is ended beyond. */
  most: number
  /** Told when the file is gone. */
  closed: () => void
}

const readFrom = promisify(read)

/** Starts it; `launched` is for who has its place. */
export function createSharedRun(sharing: Sharing): { run: SharedRun; launched: RunningProcess } {
  const { file } = sharing
  const readers = new Set(sharing.members)
  const controller = new AbortController()
  const git = sharing.begin({ file, signal: controller.signal })
  let ended: Ended | undefined
  const finish = () => {
    if (readers.size > 0 || !ended) return
    closeSync(file)
    sharing.closed()
  }
  git.ended.then((how) => {
    ended = how
    finish()
  })

  const writing = { ...sharing, ended: git.ended, how: () => ended, end: () => controller.abort() }
  const run: SharedRun = {
    follow: (signal) => follow(writing, signal, nowhere()),
    leave: (member) => {
      if (!readers.delete(member) || readers.size > 0) return
      controller.abort()
      finish()
    },
    hasFailed: () => ended?.ok === false,
  }
  return { run, launched: follow(writing, sharing.signal, git.stdin) }
}

/** A file and who writes it. */
interface Writing extends Pick<Sharing, 'file' | 'most'> {
  ended: Promise<Ended>
  /** How it has ended; undefined before. */
  how: () => Ended | undefined
  end: () => void
}

function follow(writing: Writing, signal: AbortSignal, stdin: Writable): RunningProcess {
  let stop: (how: Ended) => void
  const ended = new Promise<Ended>((resolve) => {
    stop = resolve
  })
  const pieces = async (take: Take) => {
    try {
      await carry(writing, take, signal)
      stop(signal.aborted ? cancelled : (writing.how() ?? cancelled))
    } catch (error) {
      stop({ ...cancelled, fault: fault('failed', String(error)).fault })
    }
  }
  return { stdin, pieces, ended }
}

async function carry(
  { file, most, ended, how, end }: Writing,
  take: Take,
  signal: AbortSignal,
): Promise<void> {
  const memory = Buffer.allocUnsafeSlow(pieceBytes)
  for (let at = 0; !signal.aborted; ) {
    // Looked at before it is read: what is empty then is the end.
    const isLast = how() !== undefined
    const { bytesRead } = await readFrom(file, memory, 0, pieceBytes, at)
    at += bytesRead
    if (at > most) end()
    if (bytesRead > 0) await take(memory.subarray(0, bytesRead))
    else if (isLast) return
    else await Promise.race([ended, pause(10)])
  }
}

/** A file that is gone when nobody has it open, also after a crash; undefined where none can be made. */
export function openNameless(folder: string): number | undefined {
  const path = join(folder, `shared-${randomUUID()}`)
  try {
    const file = openSync(path, 'wx+', 0o600)
    unlinkSync(path)
    return file
  } catch {
    return undefined
  }
}

/** What the others ask for has been said already. */
const nowhere = () => new Writable({ write: (_chunk, _encoding, next) => next() })

const cancelled: Ended = {
  ok: false,
  fault: fault('cancelled', 'reading along was ended: cancelled').fault,
}
