/** What bounded work of one kind does: now, and since the start of this process. For `src/metrics`. */
export interface Usage {
  running: number
  waiting: number
  started: number
  /** Refused because too many were waiting, or given up while it waited. */
  refused: number
}

/** All kinds of this process. Work of one kind may have several limiters. */
export const usages = new Map<string, Usage>()

export function newUsage(): Usage {
  return { running: 0, waiting: 0, started: 0, refused: 0 }
}

/** The usage of a kind of work. */
export function usageOf(kind: string): Usage {
  const usage = usages.get(kind) ?? newUsage()
  usages.set(kind, usage)
  return usage
}
