import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { BenchContext } from '../bench/support/bench.ts'
import type { Child } from '../bench/support/child.ts'
import { onDatabase } from '../bench/support/fill.ts'
import { newDatabase, startProduct } from '../bench/support/servers.ts'
import { mixedSettings, prepareMixed } from '../faults/support/mixed-forge.ts'
import { type MixedLoad, type Outcomes, type Server, startMixed } from '../faults/support/mixed-load.ts'
import type { Previous } from './previous.ts'

/** How long each state lasts, in milliseconds: every operation is done several times. */
const lasting = 10_000

/** A database with a folder, the two programs, and a load that asks `servers`. */
export interface Parts {
  place: { url: string }
  dataDir: string
  /** Starts a program on the database. */
  start: (which: 'old' | 'new', port?: number) => Promise<Child>
  /** Who is asked; an upgrade changes it. */
  servers: Server[]
  load: MixedLoad
  /** Lets the present state last. */
  last: () => Promise<unknown>
}

/** What an upgrade did to callers. */
export interface Upgrade {
  outcomes: Outcomes
  /** Titles of posts and issues that were acknowledged and are missing. */
  lost: string[]
  /** Error lines in the logs of both programs, and how often each message was there. */
  errors: ReadonlyMap<string, number>
  /** Longest time in which nobody was answered, in milliseconds, where all processes had to be stopped. */
  gap?: number
}

/**
 * Starts the old program with a load on it, lets `upgrade` exchange it, and looks for what was acknowledged.
 * @param upgrade ends every program but those in what it returns
 */
export async function underMixedLoad(
  context: BenchContext,
  previous: Previous,
  name: string,
  upgrade: (parts: Parts, old: Child) => Promise<{ running: Child; gap?: number }>,
): Promise<Upgrade> {
  const place = await newDatabase(context, name)
  const dataDir = join(context.folder, name)
  const logOf = (which: keyof typeof products) => join(context.folder, `${name}-${which}.log`)
  const products = { old: previous.product, new: context.product }
  const settings = { ...mixedSettings, DATA_DIR: dataDir }
  const start: Parts['start'] = (which, port) =>
    startProduct({ ...context, product: products[which] }, place, {
      settings,
      log: logOf(which),
      ...(port !== undefined && { port }),
    })
  const old = await start('old')
  const forge = await prepareMixed(old.port, context.folder, name)
  const servers = [{ name: 'the old one alone', port: old.port }]
  const load = startMixed(servers, forge, name)
  const last = () => pause(lasting)
  await last()
  const { running, gap } = await upgrade({ place, dataDir, start, servers, load, last }, old).finally(
    load.stop,
  )
  await running.stop()
  const errors = new Map([...errorsIn('old', logOf('old')), ...errorsIn('new', logOf('new'))])
  const lost = await missing(place, load)
  return { outcomes: load.outcomes, errors, lost, ...(gap !== undefined && { gap }) }
}

/**
 * How often each error stands in a log; background work that fails is seen only there. A start asks for the health of a
 * program until it is ready, and 6a7438db logs an error for each answer of 503 until then.
 */
function errorsIn(which: string, log: string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const line of readFileSync(log, 'utf8').split('\n').filter(Boolean)) {
    const { level, message, error, route } = JSON.parse(line)
    if (level !== 'error' || route === 'GET /api/health') continue
    const key = `the ${which} one: ${message}: ${error}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return counts
}

/** Titles that were acknowledged and are not in the database. */
async function missing(place: { url: string }, { acknowledged }: MixedLoad): Promise<string[]> {
  const rows = await onDatabase(
    place,
    (pool) => pool<{ title: string }[]>`
      select title from site.news_post
      union all
      select title from forge.issue`,
  )
  const stored = new Set(rows.map(({ title }) => title))
  return [...acknowledged.posts, ...acknowledged.issues].filter((title) => !stored.has(title))
}
