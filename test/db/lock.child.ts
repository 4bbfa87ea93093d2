import { setTimeout as sleep } from 'node:timers/promises'
import { acquireLock } from '../../src/db/lock.ts'

/** Tries once to take the folder given; says `held` and stays, or says the refusal and leaves. */
try {
  await acquireLock(process.argv[2] ?? '')
  process.stdout.write('held\n')
  await sleep(60_000)
} catch (error) {
  process.stdout.write(`${error}\n`)
}
