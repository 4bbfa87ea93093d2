import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** What passes between the server and a client. */
export interface Progress {
  /** Bytes that have passed so far. */
  moved: () => number
  /** Whether the server waits for the client. Time that the server itself needs does not count. */
  waits: () => boolean
}

/** The slowest client that keeps something: bytes per second, measured over a time in milliseconds. */
interface Floor {
  rate: number
  milliseconds: number
}

/** A slower client keeps git waiting, and its run leaves its place to others. */
const floorOfPlace: Floor = { rate: 64 * 1024, milliseconds: 1_000 }

/** A slower client loses its connection. `pipeToResponse` has the same time. */
const rateOfConnection = 4 * 1024
const silence = 60_000

/** Number of measurements in the time of a floor; the server must wait for the client at each of them. */
const checks = 4

/** Calls `onSlow` once if the client is slower than the floor. Returns the function that stops the watch. */
function watch({ moved, waits }: Progress, { rate, milliseconds }: Floor, onSlow: () => void): () => void {
  let count = 0
  let before = moved()
  const timer = setInterval(
    () => {
      count = waits() ? count + 1 : 0
      if (count === 0) before = moved()
      if (count < checks) return
      const isSlow = moved() - before < (rate * milliseconds) / 1000
      count = 0
      before = moved()
      if (!isSlow) return
      clearInterval(timer)
      onSlow()
    },
    Math.max(1, milliseconds / checks),
  )
  return () => clearInterval(timer)
}

/** Calls `onSlow` once if the client is too slow to keep its connection. Returns the function that stops the watch. */
export const watchConnection = (progress: Progress, onSlow: () => void, milliseconds = silence) =>
  watch(progress, { rate: rateOfConnection, milliseconds }, onSlow)

/** Calls `onSlow` once if the client is too slow for its run to keep its place. Returns the function that stops the watch. */
export const watchPlace = (progress: Progress, onSlow: () => void) => watch(progress, floorOfPlace, onSlow)

/** Bytes that a connection has moved in either direction. */
export const bytesMoved = (socket: Socket) => socket.bytesRead + socket.bytesWritten - socket.writableLength

/**
 * Watches a client that reads the output of git: where it is slow, the run leaves its place, and then the connection is
 * closed. Returns the function that stops the watch.
 */
export function watchReader(res: ServerResponse, { leavePlace }: { leavePlace: () => void }): () => void {
  const { socket } = res
  if (!socket) return () => {}
  const progress = { moved: () => bytesMoved(socket), waits: () => res.writableLength > 0 }
  const stopPlace = watchPlace(progress, leavePlace)
  const stopConnection = watchConnection(progress, () => res.destroy())
  return () => {
    stopPlace()
    stopConnection()
  }
}
