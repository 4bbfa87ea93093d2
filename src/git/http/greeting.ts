import { stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Greetings that are remembered at one time. */
const most = 1000

/** Longest greeting that is remembered, in bytes. */
const longest = 4096

/**
 * What git says first in version 2 of its protocol (gitprotocol-v2(5), "Capability Advertisement"): what it can do, and
 * nothing of refs. It follows from the program, our settings and those of the repository, so it need not be asked of a
 * new process for each clone.
 */
export interface Greetings {
  /** The greeting, if these settings of the repository have been seen before, and else a way to remember it. */
  find: (repository: string, protocol: string) => Promise<Remembered>
}

export interface Remembered {
  greeting?: Buffer
  remember: (greeting: Buffer) => void
}

export function createGreetings(): Greetings {
  const known = new Map<string, { settings: string; greeting: Buffer }>()
  return {
    async find(repository, protocol) {
      const settings = await settingsOf(repository)
      const key = `${protocol} ${repository}`
      const found = known.get(key)
      const remember = (greeting: Buffer) => {
        if (settings === undefined || greeting.length > longest) return
        if (known.size >= most) known.clear()
        known.set(key, { settings, greeting })
      }
      return { remember, ...(found && found.settings === settings && { greeting: found.greeting }) }
    },
  }
}

/** A word for the state of the repository's own settings; undefined where there are none to be seen. */
async function settingsOf(repository: string): Promise<string | undefined> {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await stat(join(repository, 'config'), { bigint: true })
    return `${ino} ${size} ${mtimeNs} ${ctimeNs}`
  } catch {
    return undefined
  }
}
