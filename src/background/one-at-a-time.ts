/**
 * Runs `work` without overlap. Any number of calls during a run cause exactly one more run after it. The promise
 * resolves after all of these runs; after a failure, the next call starts again.
 */
export function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let running = false
  let again = false
  let last = Promise.resolve()

  async function run(): Promise<void> {
    running = true
    try {
      do {
        again = false
        await work()
      } while (again)
    } finally {
      running = false
    }
  }

  return () => {
    if (running) again = true
    else last = run()
    return last
  }
}
