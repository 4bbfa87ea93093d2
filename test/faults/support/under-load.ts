import { setTimeout as pause } from 'node:timers/promises'
import { onDatabase, type Place } from '../../bench/support/fill.ts'
import type { Target } from './caller.ts'
import type { Finding } from './fault.ts'
import { type Load, startLoad } from './load.ts'

/** Acknowledged posts before the fault, and after it. */
const enough = 50

/** Longest time until the server acknowledges posts before the fault or after it, in milliseconds. */
const patience = 60_000

/** How often each title stands in the database. */
export type Stored = ReadonlyMap<string, number>

/**
 * Puts load on a server, brings a fault, and looks for what was acknowledged.
 * @param bring gives when the cause is gone
 * @param stored reads the posts once the load has ended
 */
export async function underLoad(
  target: Target,
  bring: (load: Load) => Promise<void>,
  stored: () => Promise<Stored>,
): Promise<Finding> {
  const load = startLoad(target)
  let gone = 0
  let began = 0
  try {
    if (!(await acknowledges(load, 0))) throw new Error('No post was acknowledged before the fault')
    load.countFromNow()
    began = performance.now()
    await bring(load)
    gone = performance.now()
    await acknowledges(load, gone)
  } finally {
    await load.stop()
  }
  return { ...timesOf(load, began, gone), ...compare(load.acknowledged, await stored()) }
}

/** Whether enough posts are acknowledged after a moment. */
async function acknowledges({ moments }: Load, from: number): Promise<boolean> {
  const until = performance.now() + patience
  while (moments.filter((moment) => moment > from).length < enough) {
    if (performance.now() > until) return false
    await pause(20)
  }
  return true
}

function timesOf({ saw, times, moments }: Load, began: number, gone: number) {
  const ends = [began, ...moments]
  const first = moments.find((moment) => moment > gone)
  return {
    saw,
    gap: Math.max(0, ...moments.map((moment, at) => moment - (ends[at] ?? began))),
    again: first === undefined ? undefined : first - gone,
    times: [...times].sort((a, b) => a - b),
  }
}

function compare(acknowledged: ReadonlySet<string>, stored: Stored): Pick<Finding, 'lost' | 'doubled'> {
  return {
    lost: [...acknowledged].filter((title) => !stored.get(title)).length,
    doubled: [...stored.values()].filter((times) => times > 1).length,
  }
}

/** The posts of a database; an embedded one must not be open. */
export async function storedIn(place: Place): Promise<Stored> {
  const rows = await onDatabase(
    place,
    (pool) => pool<{ title: string; times: number }[]>`
      select title, count(*) as times from site.news_post group by title`,
  )
  return new Map(rows.map(({ title, times }) => [title, times]))
}
