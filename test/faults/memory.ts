import { setTimeout as pause } from 'node:timers/promises'
import { median } from '../bench/support/bench.ts'
import { processMemory } from '../bench/support/process.ts'
import { newDatabase, startProduct } from '../bench/support/servers.ts'
import type { Fault } from './support/fault.ts'
import { mixedSettings, prepareMixed } from './support/mixed-forge.ts'
import { startMixed } from './support/mixed-load.ts'
import { dataIn } from './support/on-postgres.ts'
import { storedIn, underLoad } from './support/under-load.ts'

/** Of the load, and of its beginning that is not measured: caches fill and code is compiled. In seconds. */
const seconds = { load: 120, warmUp: 30 }

/** Largest growth of resident memory from the first half to the second that is no leak. */
const tolerated = 1.15

/** No rest between requests, and two pushes a second, of which each starts a workflow. */
const brisk = { callers: 16, rest: 0, pushes: 500 }

export const busyHour: Fault = {
  name: 'busy-hour',
  title: 'every kind of request for two minutes, each caller one after another without a pause',
  bring: async (context) => {
    const place = await newDatabase(context, 'faults_memory')
    const settings = { ...dataIn(context, 'data-memory'), ...mixedSettings }
    const server = await startProduct(context, place, { settings })
    try {
      const forge = await prepareMixed(server.port, context.folder, 'memory')
      const load = startMixed([{ name: 'server', port: server.port }], forge, 'memory', brisk)
      const samples: number[] = []
      const bring = async () => {
        await pause(1000 * seconds.warmUp)
        for (let second = seconds.warmUp; second < seconds.load; second++) {
          samples.push(processMemory(server.pid)?.now ?? Number.NaN)
          await pause(1000)
        }
        await load.stop()
      }
      const finding = await underLoad({ port: server.port }, bring, () => storedIn(place))
      const saw = new Map(finding.saw)
      for (const counts of load.outcomes.values())
        for (const [outcome, count] of counts) saw.set(outcome, (saw.get(outcome) ?? 0) + count)
      const half = samples.length / 2
      const [first, second] = [median(samples.slice(0, half)), median(samples.slice(half))]
      if (second > first * tolerated) throw new Error(`memory grew from ${first} to ${second} MB`)
      const note = `Resident memory: ${first.toFixed(0)} MB in the first half, ${second.toFixed(0)} MB in the second.`
      return { ...finding, saw, note }
    } finally {
      await server.stop()
    }
  },
}
