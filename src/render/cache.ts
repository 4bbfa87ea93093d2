import { createHash } from 'node:crypto'
import type { Owner } from '../threads/turns.ts'
import type { RenderOutcome, RenderRequest } from './request.ts'

/** What renders when nothing is remembered, for whom, until the asker has gone. */
export type Run = (request: RenderRequest, owner?: Owner, gone?: AbortSignal) => Promise<RenderOutcome>

/** A run that several may wait for. */
interface Shared {
  readonly outcome: Promise<RenderOutcome>
  /** One more waits for it. */
  join(gone: AbortSignal | undefined): void
}

/** Remembered outcomes: `render` answers from memory, joins a run of the same request, or starts one. */
export interface RenderCache {
  render: Run
  /** Bytes the remembered outcomes take, about. */
  size(): number
}

/** What an entry costs beside its text: key, map slot, objects. */
const overhead = 400

/**
 * Remembers outcomes by a hash of all that they depend on, at most `maxBytes`; those not asked for the longest go
 * first. Outcomes that another try might change (busy, timeout, memory, failed) are not remembered.
 */
export function createCache(run: Run, maxBytes: number): RenderCache {
  // A map keeps the order of insertion, so its first key is the one used the longest ago.
  const entries = new Map<string, { outcome: RenderOutcome; bytes: number }>()
  const running = new Map<string, Shared>()
  let used = 0

  function recall(key: string): RenderOutcome | undefined {
    const entry = entries.get(key)
    if (entry === undefined) return undefined
    entries.delete(key)
    entries.set(key, entry)
    return entry.outcome
  }

  function forget(key: string): void {
    used -= entries.get(key)?.bytes ?? 0
    entries.delete(key)
  }

  function remember(key: string, outcome: RenderOutcome): void {
    // A string takes two bytes for each unit as soon as one of them needs two.
    const bytes = overhead + 2 * ('html' in outcome ? outcome.html.length : outcome.problem.message.length)
    if (!lasting(outcome) || bytes > maxBytes / 4) return
    forget(key)
    entries.set(key, { outcome, bytes })
    used += bytes
    for (const oldest of entries.keys()) {
      if (used <= maxBytes) break
      forget(oldest)
    }
  }

  function start(key: string, request: RenderRequest, owner?: Owner): Shared {
    const controller = new AbortController()
    const shared: Shared = {
      outcome: run(request, owner, controller.signal)
        .then((outcome) => {
          remember(key, outcome)
          return outcome
        })
        .finally(end),
      join: countingWaiters(() => {
        end()
        controller.abort()
      }),
    }
    function end(): void {
      if (running.get(key) === shared) running.delete(key)
    }
    running.set(key, shared)
    return shared
  }

  return {
    size: () => used,
    render: (request, owner, gone) => {
      const key = keyOf(request)
      const known = recall(key)
      if (known !== undefined) return Promise.resolve(known)
      const shared = running.get(key) ?? start(key, request, owner)
      shared.join(gone)
      return shared.outcome
    },
  }
}

/** Counts who waits; calls `allGone` when the last of them has gone. */
function countingWaiters(allGone: () => void): Shared['join'] {
  let waiting = 0
  return (gone) => {
    waiting++
    const leave = () => {
      waiting--
      if (waiting === 0) allGone()
    }
    if (gone?.aborted) leave()
    else gone?.addEventListener('abort', leave, { once: true })
  }
}

const lastingReasons = new Set(['mode', 'renderer', 'size', 'depth'])

function lasting(outcome: RenderOutcome): boolean {
  return 'html' in outcome || lastingReasons.has(outcome.problem.reason)
}

/** A hash of every field: two requests with the same key have the same outcome. */
export function keyOf(request: RenderRequest): string {
  const { text, knownAccounts, ...rest } = request
  const fields = Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1))
  const accounts = [...new Set(knownAccounts.map((name) => name.toLowerCase()))].sort()
  return createHash('sha256')
    .update(JSON.stringify([fields, accounts]))
    .update('\0')
    .update(text, 'utf16le')
    .digest('base64')
}
