/** Bounds how much of something each client has at one time. */
export class Shares {
  readonly #held = new Map<string, number>()

  constructor(readonly maximum: number) {}

  /** Takes one for a client, and returns what gives it back once; undefined if the client has as many as it may. */
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
