import { backup } from './backup.ts'
import { clones } from './clones.ts'
import { durability } from './durability.ts'
import { hooks } from './hooks.ts'
import { jobs } from './jobs.ts'
import { library } from './library.ts'
import { memory } from './memory.ts'
import { metrics } from './metrics.ts'
import { operationsBench } from './operations.ts'
import { pages } from './pages.ts'
import { people } from './people.ts'
import { post } from './post.ts'
import { push } from './push.ts'
import { runners } from './runners.ts'
import { scale } from './scale.ts'
import { start } from './start.ts'
import { streams } from './streams.ts'
import type { Bench } from './support/bench.ts'
import { throughput } from './throughput.ts'
import { workers } from './workers.ts'
import { workflows } from './workflows.ts'
import { gitService } from './workshop.ts'

/** Every bench, in the order of the report. */
export const benches: readonly Bench[] = [
  throughput,
  operationsBench,
  workers,
  metrics,
  pages,
  streams,
  scale,
  people,
  gitService,
  clones,
  push,
  post,
  library,
  workflows,
  jobs,
  runners,
  hooks,
  backup,
  start,
  memory,
  durability,
]
