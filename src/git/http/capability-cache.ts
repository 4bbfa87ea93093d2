import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { LRUCache } from 'lru-cache'

/** Maximum number of cached advertisements. */
const maxEntries = 1000

/** Maximum size of a cached advertisement, in bytes. */
const maxBytes = 4096

/**
 * Caches the first output of git in protocol version 2 (gitprotocol-v2(5), "Capability Advertisement"): its
 * capabilities, without refs. It depends only on the git program, this server's settings and those of the repository,
 * so a clone needs no process for it.
 */
export function createCapabilityCache() {
  const cache = new LRUCache<string, { settings: string; advertisement: Buffer }>({ max: maxEntries })
  return {
    /** The advertisement, if it is cached for the current settings of the repository, and the function that caches it. */
    async find(repository: string, protocol: string) {
      const settings = await settingsOf(repository)
      const key = `${protocol} ${repository}`
      const cached = cache.get(key)
      const remember = (advertisement: Buffer) => {
        if (settings === undefined || advertisement.length > maxBytes) return
        cache.set(key, { settings, advertisement })
      }
      return { remember, advertisement: cached?.settings === settings ? cached?.advertisement : undefined }
    },
  }
}

export type CapabilityCache = ReturnType<typeof createCapabilityCache>

/** Identifies the version of the repository's configuration file; undefined if it cannot be read. */
async function settingsOf(repository: string): Promise<string | undefined> {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await stat(join(repository, 'config'), { bigint: true })
    return `${ino} ${size} ${mtimeNs} ${ctimeNs}`
  } catch {
    return undefined
  }
}
