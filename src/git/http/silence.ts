import type { Socket } from 'node:net'

/**
 * Calls `silent` once when the client has moved no byte for `milliseconds` although it was waited for all that time.
 * A long computation of ours is not the client's silence. Gives the function that ends the watch.
 */
export function watchSilence(
  socket: Socket,
  waitsForClient: () => boolean,
  milliseconds: number,
  silent: () => void,
): () => void {
  const moved = () => socket.bytesRead + socket.bytesWritten - socket.writableLength
  let before = moved()
  let quiet = 0
  const step = Math.max(1, milliseconds / 4)
  const timer = setInterval(() => {
    const now = moved()
    quiet = now === before && waitsForClient() ? quiet + step : 0
    before = now
    if (quiet < milliseconds) return
    clearInterval(timer)
    silent()
  }, step)
  return () => clearInterval(timer)
}
