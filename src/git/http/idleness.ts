/** Number of checks that a client must fail in a row. */
const checks = 4

/**
 * Calls `onIdle` once if `isIdle` held at every check for `milliseconds`. Returns the function that stops the watch.
 */
export function watchIdleness(isIdle: () => boolean, milliseconds: number, onIdle: () => void): () => void {
  let count = 0
  const timer = setInterval(
    () => {
      count = isIdle() ? count + 1 : 0
      if (count < checks) return
      clearInterval(timer)
      onIdle()
    },
    Math.max(1, milliseconds / checks),
  )
  return () => clearInterval(timer)
}
