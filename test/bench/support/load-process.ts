import { type Plan, runPlan } from './load.ts'

// The load has a process of its own: in one with anything else, its pauses would be counted as the server's.
console.log(JSON.stringify(await runPlan(JSON.parse(process.argv[2] ?? '') as Plan)))
