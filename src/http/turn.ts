import { headerOf } from './header.ts'
import type { Request } from './request.ts'

/**
 * Turns of the event loop that bring requests, by number. A turn begins when the kernel tells which sockets have
 * something to read, and each of them is read once before it is over. So whoever is heard in a turn had spoken before
 * it began; `Flights` builds on that.
 */
let turn = 0
let running = false

/** The turn that runs now; undefined outside of the turns that bring requests. */
export function runningTurn(): number | undefined {
  return running ? turn : undefined
}

/**
 * The turn that runs now. Only for requests, which node:http tells of while it reads: a timer, for one, runs before the
 * kernel is asked.
 */
function turnOfArrival(): number {
  if (running) return turn
  running = true
  setImmediate(() => {
    running = false
  })
  return ++turn
}

/**
 * Connections up to which the kernel tells of all in one go: libuv asks for 1,024 sockets, and asks again within the
 * turn when it gets as many. The rest is for the database, git and the log.
 */
const atOnce = 900

/** On Windows what has just come may be read in a turn that began before. */
const inTurns = process.platform !== 'win32'

/** When a connection was last heard. */
export class Ear {
  #lastTurn = 0

  /**
   * The turn that brought a request, if it can be told that its first byte was there when the turn began: undefined
   * when the connection has brought something else in this turn. `open` counts the connections.
   */
  hear(req: Request, open: number): number | undefined {
    const now = turnOfArrival()
    const alone = this.#lastTurn < now && open <= atOnce && inTurns
    this.#lastTurn = now
    if (hasBody(req)) {
      // What comes next may come together with the end of the body, perhaps before this turn has brought a request.
      this.#lastTurn = Number.POSITIVE_INFINITY
      req.onComplete = () => {
        this.#lastTurn = running ? turn : turn + 1
      }
    }
    return alone ? now : undefined
  }
}

function hasBody(req: Request): boolean {
  return headerOf(req, 'content-length') !== undefined || headerOf(req, 'transfer-encoding') !== undefined
}
