/** Bounds how many of something each client holds at one time. */
export class Shares {
  readonly #held = new Map<string, number>()

  constructor(readonly maximum: number) {}

  /** Takes one for a client, and returns the function that releases it; undefined if the client has `maximum`. */
  enter(client: string): (() => void) | undefined {
    const held = this.#held.get(client) ?? 0
    if (held >= this.maximum) return undefined
    this.#held.set(client, held + 1)
    let isHeld = true
    return () => {
      if (isHeld) this.#leave(client)
      isHeld = false
    }
  }

  #leave(client: string): void {
    const held = (this.#held.get(client) ?? 0) - 1
    if (held > 0) this.#held.set(client, held)
    else this.#held.delete(client)
  }
}
