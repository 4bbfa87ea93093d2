import { LRUCache } from 'lru-cache'
import type { OpenRepository } from '../../program/git.ts'
import type { Answer, GitObject } from '../../program/reader.ts'

/**
 * A cache of objects (docs/decisions/33-how-the-server-uses-git.md). The object of a full id never changes, so no entry
 * becomes wrong. There are no entries for missing objects: a push may bring them.
 */

/** A repository whose objects may be cached. */
export interface KnownRepository extends OpenRepository {
  /** Identifies it among all repositories, now and later; absent: its objects are not cached. */
  identity?: string
  /** Changes when the server moves a ref; another machine may see the files late. */
  version?: string
}

/** Maximum bytes of a cached content. */
export const maxCachedContent = 64 * 1024

/** Type, size and id, by repository and name. */
const heads = new LRUCache<string, GitObject>({
  maxSize: 4 * 1024 * 1024,
  sizeCalculation: (_, key) => key.length + 256,
})

/** Contents by repository and id. */
const contents = new LRUCache<string, Buffer>({
  maxSize: 8 * 1024 * 1024,
  maxEntrySize: maxCachedContent + 1024,
  // An entry takes about 512 bytes besides its content.
  sizeCalculation: ({ length }) => length + 512,
})

/** `0123…`, `0123…^{tree}`, `0123…:docs/a.md`. */
const beginsWithId = /^(?:[0-9a-f]{40}|[0-9a-f]{64})(?:$|[:^])/

/** Type, size and id of the object of a name; undefined if they are not cached. */
export function cachedHead({ identity }: KnownRepository, name: string): GitObject | undefined {
  if (identity === undefined) return undefined
  const head = heads.get(keyOf(identity, name))
  if (head) return head
  const [, id, type] = /^([0-9a-f]+)\^\{(commit|tree)\}$/.exec(name) ?? []
  const object = id === undefined ? undefined : heads.get(keyOf(identity, id))
  return object?.type === type ? object : undefined
}

/** The object of a name with its whole content; undefined if it is not cached. */
export function cachedAnswer(repository: KnownRepository, name: string): Answer | undefined {
  const head = cachedHead(repository, name)
  const content = head && contents.get(keyOf(repository.identity ?? '', head.id))
  return content && { ...head, content }
}

/** Caches the object of a name, with its content if that is complete and small. */
export function cacheObject(
  { identity }: KnownRepository,
  name: string,
  object: GitObject & Partial<Answer>,
): void {
  if (identity === undefined) return
  const { id, type, size, content } = object
  if (beginsWithId.test(name)) heads.set(keyOf(identity, name), { id, type, size })
  if (content?.length !== size || size > maxCachedContent) return
  // A part of a larger buffer would retain all of that.
  const copy = Buffer.allocUnsafeSlow(size)
  content.copy(copy)
  contents.set(keyOf(identity, id), copy)
  heads.set(keyOf(identity, id), { id, type, size })
}

const keyOf = (identity: string, name: string) => `${identity} ${name}`
