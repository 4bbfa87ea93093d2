import { durability } from './durability.ts'
import { runBenches } from './support/runner.ts'

// Nothing excuses a lost row.
if (!(await runBenches([durability], import.meta.dirname))) process.exitCode = 1
