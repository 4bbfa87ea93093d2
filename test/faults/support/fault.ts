import type { BenchContext } from '../../bench/support/bench.ts'

/** One way to break the server or what it stands on: an entry in `list.ts`. */
export interface Fault {
  /** One word; `npm run faults -- <word>` brings those whose name contains it. */
  name: string
  /** What happens, in a few words for the table. */
  title: string
  bring: (context: BenchContext) => Promise<Finding | Skipped>
}

/** What a fault did to callers. */
export interface Finding {
  /** How many requests had each outcome since the fault began: a status, or how the connection failed. */
  saw: ReadonlyMap<string, number>
  /** Posts that were acknowledged and are missing. */
  lost: number
  /** Posts that are there more than once. */
  doubled: number
  /** Longest time without an acknowledged post since the fault began, in milliseconds. */
  gap: number
  /** From the moment when the cause was gone to the next acknowledged post, in milliseconds; undefined: never. */
  again: number | undefined
  /** Milliseconds to each answer of status 2xx since the fault began, in ascending order. */
  times: readonly number[]
  /** What else a reader should know, in a sentence. */
  note?: string
}

/** A fault that could not be brought here, with the reason in a sentence. */
export interface Skipped {
  skipped: string
}

/** Statuses that a fault excuses: "not now", "no space left", and what nginx says of a server that is away. */
const excused = new Set(['502', '503', '504', '507'])

/** What is wrong with a finding, in a few words for each; empty when nothing is. */
export function complaintsOf({ saw, lost, doubled, again }: Finding): string[] {
  const faulty = [...saw.keys()].filter((outcome) => /^5\d\d$/.test(outcome) && !excused.has(outcome))
  return [
    ...(lost > 0 ? [`${lost} acknowledged posts are missing`] : []),
    ...(doubled > 0 ? [`${doubled} posts are doubled`] : []),
    ...(again === undefined ? ['no post was acknowledged afterwards'] : []),
    ...faulty.map((status) => `answers with ${status}`),
  ]
}
