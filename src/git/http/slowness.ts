/** Milliseconds between two looks, and looks one after another that make a client slow: a second. */
const rhythm = { step: 250, looks: 4 }

/**
 * Calls `slow` once when a client was waited for at every look for a second: then its line, not git, says how long the
 * exchange lasts. Gives the function that ends the watch.
 */
export function watchSlowness(waitsForClient: () => boolean, slow: () => void): () => void {
  let looks = 0
  const timer = setInterval(() => {
    looks = waitsForClient() ? looks + 1 : 0
    if (looks < rhythm.looks) return
    clearInterval(timer)
    slow()
  }, rhythm.step)
  return () => clearInterval(timer)
}
