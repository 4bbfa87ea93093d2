import type { Socket } from 'node:net'

/**
 * Calls `onSilent` once if the client has transferred no byte for `milliseconds` although the server was waiting for it
 * all the time. Time that the server itself needs does not count. Returns the function that stops the watch.
 */
export function watchSilence(
  socket: Socket,
  waitsForClient: () => boolean,
  milliseconds: number,
  onSilent: () => void,
): () => void {
  const bytesMoved = () => socket.bytesRead + socket.bytesWritten - socket.writableLength
  let previous = bytesMoved()
  let silentFor = 0
  const step = Math.max(1, milliseconds / 4)
  const timer = setInterval(() => {
    const current = bytesMoved()
    silentFor = current === previous && waitsForClient() ? silentFor + step : 0
    previous = current
    if (silentFor < milliseconds) return
    clearInterval(timer)
    onSilent()
  }, step)
  return () => clearInterval(timer)
}
