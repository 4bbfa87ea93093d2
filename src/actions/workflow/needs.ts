import { fail, quote } from './fault.ts'

/** @throws WorkflowFault when jobs need unknown jobs or form a cycle */
export function checkNeeds(jobs: ReadonlyMap<string, readonly string[]>): void {
  for (const [key, needs] of jobs) {
    const unknown = needs.find((need) => !jobs.has(need))
    if (unknown !== undefined) fail(`job ${quote(key)} needs job ${quote(unknown)}, which does not exist`)
  }
  // Topological sort: remove jobs without open needs until none is left.
  const openNeeds = new Map([...jobs].map(([key, needs]) => [key, new Set(needs).size]))
  const dependents = dependentsOf(jobs)
  const ready = [...openNeeds].filter(([, count]) => count === 0).map(([key]) => key)
  for (let key = ready.pop(); key !== undefined; key = ready.pop()) {
    openNeeds.delete(key)
    for (const dependent of dependents.get(key) ?? []) {
      const remaining = (openNeeds.get(dependent) ?? 0) - 1
      openNeeds.set(dependent, remaining)
      if (remaining === 0) ready.push(dependent)
    }
  }
  const [cyclic] = openNeeds.keys()
  if (cyclic !== undefined) fail(`job ${quote(cyclic)} waits for itself: "needs" forms a cycle`)
}

/** The jobs that need each job. */
function dependentsOf(jobs: ReadonlyMap<string, readonly string[]>): Map<string, string[]> {
  const dependents = new Map<string, string[]>()
  for (const [key, needs] of jobs)
    for (const need of new Set(needs)) {
      const list = dependents.get(need) ?? []
      list.push(key)
      dependents.set(need, list)
    }
  return dependents
}
