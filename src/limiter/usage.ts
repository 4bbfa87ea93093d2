/** Counts of bounded work of one kind: now, and since the start of this process. For `src/metrics`. */
export interface Usage {
  running: number
  waiting: number
  started: number
  /** Rejected because the queue was full; whoever has left it is not counted. */
  rejected: number
}

/** All kinds of this process. Work of one kind may have several limiters. */
export const usages = new Map<string, Usage>()

export function newUsage(): Usage {
  return { running: 0, waiting: 0, started: 0, rejected: 0 }
}

/** The usage of a kind of work. */
export function usageOf(kind: string): Usage {
  const usage = usages.get(kind) ?? newUsage()
  usages.set(kind, usage)
  return usage
}
