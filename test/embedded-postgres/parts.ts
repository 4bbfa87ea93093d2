import worker from 'worker:../../src/embedded-postgres/worker.ts'
import { cluster, files, wasm } from 'embedded:postgres'
import type { Parts } from '../../src/embedded-postgres/embedded-postgres.ts'

/** What the build puts into the bundle. */
export const parts: Parts = { worker, wasm, files, cluster }
