import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newDatabase, startProduct } from '../bench/support/servers.ts'
import { until } from '../support/wait.ts'
import type { Fault } from './support/fault.ts'
import { dataIn, last } from './support/on-postgres.ts'
import { storedIn, underLoad } from './support/under-load.ts'

/** Where Debian's package `faketime` has its library. */
const library = `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/faketime/libfaketimeMT.so.1`

/** Seconds by which the clock is wrong, one after the other: an hour ahead, right, an hour behind, right. */
const offsets = [3_600, 0, -3_600, 0]

/** How long each of them lasts, in milliseconds: tasks that are due every second run several times. */
const lasting = 5_000

export const clockSet: Fault = {
  name: 'clock-set',
  title:
    'the clock of the server set an hour forward, back, an hour back and forward again, 5 s each (libfaketime)',
  bring: async (context) => {
    if (!existsSync(library)) return { skipped: 'the program faketime is not installed' }
    const place = await newDatabase(context, 'faults_clock')
    const clock = join(context.folder, 'clock')
    const log = join(context.folder, 'clock.log')
    const set = (seconds: number) => {
      // In one step: a file that is read while it is written would stop the clock.
      writeFileSync(`${clock}.new`, `${seconds < 0 ? '' : '+'}${seconds}\n`)
      renameSync(`${clock}.new`, clock)
    }
    set(0)
    const settings = {
      ...dataIn(context, 'data-clock'),
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: clock,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      CRON: 'forget_idempotency_keys=@every 1s',
    }
    const server = await startProduct(context, place, { settings, log })
    const credentials = `Basic ${Buffer.from('administrator:a password for faults').toString('base64')}`
    const runs = async (): Promise<number> => {
      const url = `http://127.0.0.1:${server.port}/api/v1/admin/cron?limit=50`
      const tasks: { name: string; exec_times: number }[] = await (
        await fetch(url, { headers: { authorization: credentials } })
      ).json()
      return tasks.find(({ name }) => name === 'forget_idempotency_keys')?.exec_times ?? 0
    }
    const counts: number[] = []
    const bring = async () => {
      for (const seconds of offsets) {
        set(seconds)
        const before = await runs()
        await last(lasting)
        await until('the task runs under the clock that was set', async () => (await runs()) > before, 30_000)
        counts.push((await runs()) - before)
      }
    }
    try {
      const finding = await underLoad({ port: server.port }, bring, () => storedIn(place))
      const steps = readFileSync(log, 'utf8')
        .split('\n')
        .filter((line) => line.includes('the clock was set'))
      const note = `A task of every second ran ${counts.join(', ')} times; the server noticed ${steps.length} of ${offsets.length} steps.`
      return { ...finding, note }
    } finally {
      await server.stop()
    }
  },
}
