import { artifacts } from './artifacts.ts'
import { backup } from './backup.ts'
import { clones } from './clones.ts'
import { code } from './code.ts'
import { durability } from './durability.ts'
import { jobs } from './jobs.ts'
import { lists } from './lists.ts'
import { memory } from './memory.ts'
import { metrics } from './metrics.ts'
import { notifications } from './notifications.ts'
import { operationsBench } from './operations.ts'
import { pages } from './pages.ts'
import { processes } from './processes.ts'
import { pulls } from './pulls.ts'
import { push } from './push.ts'
import { rawFiles } from './raw-files.ts'
import { rendering } from './rendering.ts'
import { repositories } from './repositories.ts'
import { runners } from './runners.ts'
import { scale } from './scale.ts'
import { start } from './start.ts'
import { streams } from './streams.ts'
import type { Bench } from './support/bench.ts'
import { throughput } from './throughput.ts'
import { users } from './users.ts'
import { webhooks } from './webhooks.ts'
import { workflows } from './workflows.ts'

/** Every bench, in the order of the report. */
export const benches: readonly Bench[] = [
  throughput,
  operationsBench,
  processes,
  metrics,
  pages,
  streams,
  scale,
  lists,
  users,
  repositories,
  clones,
  code,
  push,
  pulls,
  rawFiles,
  artifacts,
  notifications,
  rendering,
  workflows,
  jobs,
  runners,
  webhooks,
  backup,
  start,
  memory,
  durability,
]
