import { quote, refuse } from './fault.ts'

/** Refuses jobs that need what there is not, or each other in a circle. @throws WorkflowFault */
export function checkNeeds(jobs: ReadonlyMap<string, readonly string[]>): void {
  for (const [key, needs] of jobs) {
    const unknown = needs.find((need) => !jobs.has(need))
    if (unknown !== undefined) refuse(`job ${quote(key)} needs ${quote(unknown)}, and there is no such job`)
  }
  // Take away what needs nothing that is left, until nothing is left.
  const waiting = new Map([...jobs].map(([key, needs]) => [key, new Set(needs).size]))
  const dependents = dependentsOf(jobs)
  const free = [...waiting].filter(([, count]) => count === 0).map(([key]) => key)
  for (let key = free.pop(); key !== undefined; key = free.pop()) {
    waiting.delete(key)
    for (const dependent of dependents.get(key) ?? []) {
      const left = (waiting.get(dependent) ?? 0) - 1
      waiting.set(dependent, left)
      if (left === 0) free.push(dependent)
    }
  }
  const [stuck] = waiting.keys()
  if (stuck !== undefined) refuse(`job ${quote(stuck)} waits for itself: "needs" goes in a circle`)
}

/** For each job those that need it. */
function dependentsOf(jobs: ReadonlyMap<string, readonly string[]>): Map<string, string[]> {
  const dependents = new Map<string, string[]>()
  for (const [key, needs] of jobs)
    for (const need of new Set(needs)) {
      const known = dependents.get(need) ?? []
      known.push(key)
      dependents.set(need, known)
    }
  return dependents
}
