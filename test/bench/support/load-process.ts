import { text } from 'node:stream/consumers'
import { type Plan, runPlan } from './load.ts'

// The load has a process of its own: in one with anything else, its pauses would be counted as the server's.
const plan: Plan = JSON.parse(await text(process.stdin))
console.log(JSON.stringify(await runPlan(plan)))
