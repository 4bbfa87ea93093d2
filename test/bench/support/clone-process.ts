import { setPriority } from 'node:os'
import { Cloner } from './cloner.ts'

/** Clones until it is told to stop, ends what it has begun, and says how much it did. Words: address, clones at once, least megabytes of each. */
const [address = '', atOnce = '1', megabytes = '0'] = process.argv.slice(2)
setPriority(19)
const cloner = new Cloner(new URL(address), Number(megabytes) * 1e6)
const began = performance.now()
process.once('SIGTERM', () => cloner.stop())
await Promise.all(Array.from({ length: Number(atOnce) }, () => cloner.cloneOn()))
const seconds = (performance.now() - began) / 1000
console.log(JSON.stringify({ clones: cloner.done, seconds }))
process.exit(0)
