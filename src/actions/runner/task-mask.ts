import { LRUCache } from 'lru-cache'
import { decryptedOrError } from '../../db/encryption/secrets.ts'
import type { Sql } from '../../db/sql.ts'
import { secretsForJobs } from '../secrets/secret-store.ts'
import { type Mask, maskOf } from './mask.ts'
import { sealedTaskSecrets, taskSecretsPurpose } from './task-secret-store.ts'
import type { StoredTask } from './task-store.ts'
import type { ActionsTools } from './tools.ts'

type Tools = Pick<ActionsTools, 'secrets' | 'log'>

/** Cached masks of tasks that send lines. */
const masks = new WeakMap<Tools, LRUCache<number, Mask>>()
const maxCachedMasks = 1000

/**
 * Maximum size of a cached mask, in characters; a larger one is made again for each call so that it does not stay in
 * memory.
 */
const maxCachedSize = 64 * 1024

/** The mask of the secrets that a task received, and of its token. */
export async function maskFor(sql: Sql, task: StoredTask, tools: Tools): Promise<Mask> {
  const cache = masks.get(tools) ?? new LRUCache<number, Mask>({ max: maxCachedMasks })
  masks.set(tools, cache)
  const mask = cache.get(task.id) ?? maskOf(await receivedSecrets(sql, task, tools), task.token_hash)
  if (mask.size <= maxCachedSize) cache.set(task.id, mask)
  return mask
}

/** The stored secrets of a task; if they are missing or cannot be decrypted, those that it would receive now. */
async function receivedSecrets(sql: Sql, task: StoredTask, tools: Tools): Promise<string[]> {
  const row = await sealedTaskSecrets(sql, task.id)
  const text = row && decryptedOrError(() => tools.secrets.decrypt(row.sealed, taskSecretsPurpose(task.id)))
  if (typeof text === 'string') return JSON.parse(text) as string[]
  if (text) tools.log.error('cannot decrypt the secrets of a task', { task: task.id, error: text.message })
  const { owner_id: owner, repository_id: repository } = task
  return owner === null ? [] : Object.values(await secretsForJobs(sql, { owner, repository }, tools))
}
