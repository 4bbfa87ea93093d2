import { answerRequests } from '../../src/threads/answer.ts'

/** Takes time by the clock, or of the processor; the outcome says nothing. */
export interface Spending {
  clock?: number
  processor?: number
}

const nobody = new Int32Array(new SharedArrayBuffer(4))

answerRequests(({ clock = 0, processor = 0 }: Spending) => {
  Atomics.wait(nobody, 0, 0, clock)
  const { user } = process.cpuUsage()
  while (process.cpuUsage().user - user < processor * 1000) Math.sqrt(2)
  return 'done'
})
