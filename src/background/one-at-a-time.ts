/**
 * Runs `work`, never twice at once. Who asks while it runs causes one more run after it, however many ask. The promise
 * settles when all of that is done; after a failure the next to ask begins anew.
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
