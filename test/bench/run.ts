import { benches } from './list.ts'
import { runBenches } from './support/runner.ts'

// A missed target is told and is no failure: the machine may be busy. A server that fails is one.
const words = process.argv.slice(2)
const chosen = benches.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)))
if (chosen.length === 0) throw new Error(`There are: ${benches.map(({ name }) => name).join(', ')}`)
await runBenches(chosen, import.meta.dirname)
