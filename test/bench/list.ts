import { durability } from './durability.ts'
import { hooks } from './hooks.ts'
import { jobs } from './jobs.ts'
import { memory } from './memory.ts'
import { people } from './people.ts'
import { scale } from './scale.ts'
import { start } from './start.ts'
import type { Bench } from './support/bench.ts'
import { throughput } from './throughput.ts'

/** Every bench, in the order of the report. */
export const benches: readonly Bench[] = [throughput, scale, people, jobs, hooks, start, memory, durability]
