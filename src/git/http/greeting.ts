import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { LRUCache } from 'lru-cache'

/** Maximum number of cached greetings. */
const maxEntries = 1000

/** Maximum size of a cached greeting, in bytes. */
const maxBytes = 4096

/**
 * Caches the first output of git in protocol version 2 (gitprotocol-v2(5), "Capability Advertisement"): its
 * capabilities, without refs. It depends only on the git program, this server's settings and those of the repository,
 * so a clone needs no process for it.
 */
export function createGreetings() {
  const cache = new LRUCache<string, { settings: string; greeting: Buffer }>({ max: maxEntries })
  return {
    /** The greeting, if it is cached for the current settings of the repository, and the function that caches it. */
    async find(repository: string, protocol: string) {
      const settings = await settingsOf(repository)
      const key = `${protocol} ${repository}`
      const cached = cache.get(key)
      const remember = (greeting: Buffer) => {
        if (settings === undefined || greeting.length > maxBytes) return
        cache.set(key, { settings, greeting })
      }
      return { remember, greeting: cached?.settings === settings ? cached?.greeting : undefined }
    },
  }
}

export type Greetings = ReturnType<typeof createGreetings>

/** Identifies the version of the repository's configuration file; undefined if it cannot be read. */
async function settingsOf(repository: string): Promise<string | undefined> {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await stat(join(repository, 'config'), { bigint: true })
    return `${ino} ${size} ${mtimeNs} ${ctimeNs}`
  } catch {
    return undefined
  }
}
