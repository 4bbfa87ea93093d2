/** Milliseconds between checks, and the number of consecutive checks after which a client is slow: one second. */
const schedule = { step: 250, looks: 4 }

/**
 * Calls `onSlow` once if the server was waiting for the client at every check for a second: then the connection, not
 * git, determines how long the exchange takes. Returns the function that stops the watch.
 */
export function watchSlowness(waitsForClient: () => boolean, onSlow: () => void): () => void {
  let count = 0
  const timer = setInterval(() => {
    count = waitsForClient() ? count + 1 : 0
    if (count < schedule.looks) return
    clearInterval(timer)
    onSlow()
  }, schedule.step)
  return () => clearInterval(timer)
}
