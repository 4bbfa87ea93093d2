import { LRUCache } from 'lru-cache'
import type { OpenRepository } from '../../program/git.ts'
import type { Answer, GitObject } from '../../program/reader.ts'

/**
 * Objects that were read before (docs/decisions/40-kept-objects.md). What a full id leads to never changes, so nothing
 * here becomes wrong. What does not exist is not kept: it may come with a push.
 */

/** A repository whose objects may be kept. */
export interface KnownRepository extends OpenRepository {
  /** Tells it from every other one, now and later; absent: nothing of it is kept. */
  identity?: string
  /** Changes when the server moves a ref; another machine may see the files late. */
  version?: string
}

/** Maximum bytes of a content that is kept. */
export const largestKept = 64 * 1024

/** Type, size and id, by repository and name. */
const heads = new LRUCache<string, GitObject>({
  maxSize: 4 * 1024 * 1024,
  sizeCalculation: (_, key) => key.length + 256,
})

/** Contents by repository and id. */
const contents = new LRUCache<string, Buffer>({
  maxSize: 8 * 1024 * 1024,
  maxEntrySize: largestKept + 1024,
  // Of what a content takes besides its bytes.
  sizeCalculation: ({ length }) => length + 512,
})

/** `0123…`, `0123…^{tree}`, `0123…:docs/a.md`. */
const beginsWithId = /^(?:[0-9a-f]{40}|[0-9a-f]{64})(?:$|[:^])/

/** Type, size and id of what a name leads to; undefined if it is not kept. */
export function keptHead({ identity }: KnownRepository, name: string): GitObject | undefined {
  if (identity === undefined) return undefined
  const kept = heads.get(keyOf(identity, name))
  if (kept) return kept
  const [, id, type] = /^([0-9a-f]+)\^\{(commit|tree)\}$/.exec(name) ?? []
  const object = id === undefined ? undefined : heads.get(keyOf(identity, id))
  return object?.type === type ? object : undefined
}

/** The same with the whole content. */
export function keptAnswer(repository: KnownRepository, name: string): Answer | undefined {
  const head = keptHead(repository, name)
  const content = head && contents.get(keyOf(repository.identity ?? '', head.id))
  return content && { ...head, content }
}

/** Keeps what git has said of a name, with the content if there is all of it and it is small. */
export function keep({ identity }: KnownRepository, name: string, object: GitObject & Partial<Answer>): void {
  if (identity === undefined) return
  const { id, type, size, content } = object
  if (beginsWithId.test(name)) heads.set(keyOf(identity, name), { id, type, size })
  if (content?.length !== size || size > largestKept) return
  // A part of a larger buffer would keep all of that in memory.
  const own = Buffer.allocUnsafeSlow(size)
  content.copy(own)
  contents.set(keyOf(identity, id), own)
  heads.set(keyOf(identity, id), { id, type, size })
}

const keyOf = (identity: string, name: string) => `${identity} ${name}`
