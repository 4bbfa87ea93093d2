import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { Collection } from './collection.ts'

/** Recognizes licences by their texts. */
export interface LicenseDetector {
  /** The names of the licences whose texts are in a text, the largest part first. */
  namesIn: (text: string) => Promise<string[]>
}

/** A licence by the runs of three words in its text, as hashes. */
interface KnownLicense {
  name: string
  runs: Int32Array
}

/** The part of the text of a licence that must be in a text. */
const minShare = 0.85

/** Licences that are compared before other work gets its turn. */
const atOnce = 4

/** `texts`: those of the licences by name, which are read for the first text. Caches the names for each text. */
export function createLicenseDetector(texts: Collection<string>): LicenseDetector {
  const cache = new LRUCache<string, Promise<string[]>>({ max: 1000 })
  let known: Promise<KnownLicense[]> | undefined
  const detect = async (text: string) => {
    known ??= readAll(texts)
    return namesFor(runsOf(text), await known)
  }
  return {
    namesIn: (text) => {
      const key = createHash('sha256').update(text).digest('base64')
      const names = cache.get(key) ?? detect(text)
      cache.set(key, names)
      return names
    },
  }
}

async function readAll({ names, find }: Collection<string>): Promise<KnownLicense[]> {
  const known: KnownLicense[] = []
  for (const [at, name] of names.entries()) {
    if (at % atOnce === 0) await setImmediate()
    const runs = runsOf(find(name)?.content ?? '')
    if (runs.size > 0) known.push({ name, runs: Int32Array.from(runs) })
  }
  return known
}

async function namesFor(runs: ReadonlySet<number>, known: readonly KnownLicense[]): Promise<string[]> {
  const similar: { license: KnownLicense; score: number }[] = []
  for (const [at, license] of known.entries()) {
    if (at % atOnce === 0) await setImmediate()
    const size = license.runs.length
    const common = runs.size >= size * minShare ? commonIn(license.runs, runs) : 0
    if (common >= size * minShare) similar.push({ license, score: common / (size + runs.size) })
  }
  similar.sort((one, other) => other.score - one.score || rank(one.license.name) - rank(other.license.name))
  return distinct(similar, new Set(runs))
}

/** Most licences resemble others, so runs that belong to one licence count for no other. */
function distinct(similar: readonly { license: KnownLicense }[], left: Set<number>): string[] {
  const names: string[] = []
  for (const { license } of similar) {
    if (commonIn(license.runs, left) < license.runs.length * minShare) continue
    names.push(license.name)
    for (const run of license.runs) left.delete(run)
  }
  return names
}

/** Of names for one text: `GPL-2.0-only` before `GPL-2.0-or-later`, which only a notice elsewhere can say; else the shortest. */
const rank = (name: string) => (name.endsWith('-only') ? 0 : name.length)

function commonIn(one: Iterable<number>, other: ReadonlySet<number>): number {
  let common = 0
  for (const run of one) if (other.has(run)) common++
  return common
}

function runsOf(text: string): Set<number> {
  const lines = text.toLowerCase().split('\n')
  const words = lines
    .filter((line) => !copyrightLine.test(line))
    .join(' ')
    .match(/[a-z0-9]+/g)
  const hashes = (words ?? []).map(hashOf)
  const runs = new Set<number>()
  for (let at = 2; at < hashes.length; at++) {
    const [first = 0, second = 0, third = 0] = hashes.slice(at - 2, at + 1)
    runs.add((Math.imul(Math.imul(first, 31) + second, 31) + third) | 0)
  }
  return runs
}

/** A line with the holder and year of the copyright. */
const copyrightLine = /^[^a-z0-9]{0,9}(?:copyright[^a-z0-9]{0,3}(?:c\)|©|\d|<|\[|\{)|©|\(c\))/

/** FNV-1a. */
function hashOf(word: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193)
  return hash
}
