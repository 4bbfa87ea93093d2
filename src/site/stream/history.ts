import { randomBytes } from 'node:crypto'
import type { PanelTexts } from './panel-store.ts'

/** The latest event of one section. */
interface SectionEvent {
  number: number
  text: string
  frame: Buffer
}

/**
 * The latest event of each section. An event contains the whole section, so a reader that has missed any number of
 * events needs no others: the history does not grow, and no id of this process is too old for it.
 */
export class EventHistory {
  /** Distinguishes the ids of this process from those of others, each with its own counter. */
  readonly #process = randomBytes(6).toString('base64url')
  readonly #latest = new Map<string, SectionEvent>()
  #number = 0
  /** All latest events, which every new reader gets. */
  #all: Buffer | undefined

  get isEmpty(): boolean {
    return this.#latest.size === 0
  }

  /** Makes an event of each section that differs from its latest event; returns the new events as bytes. */
  update(panel: PanelTexts): Buffer | undefined {
    const before = this.#number
    for (const [section, text] of Object.entries<string>({ ...panel })) {
      if (this.#latest.get(section)?.text === text) continue
      const number = ++this.#number
      const frame = Buffer.from(`id: ${this.#process}.${number}\nevent: ${section}\ndata: ${text}\n\n`)
      this.#latest.set(section, { number, text, frame })
    }
    this.#all = this.#framesAfter(0)
    return this.#framesAfter(before)
  }

  /**
   * The events after the one with this id: all sections if the id is unknown, undefined if it is the latest.
   */
  after(lastEventId: string | undefined): Buffer | undefined {
    const number = this.#numberOf(lastEventId ?? '')
    return number === 0 ? this.#all : this.#framesAfter(number)
  }

  #numberOf(id: string): number {
    const [, process, digits] = /^([\w-]{8})\.(\d{1,15})$/.exec(id) ?? []
    const number = Number(digits)
    return process === this.#process && number <= this.#number ? number : 0
  }

  /** In the order of their numbers, so that a reader whose connection breaks in between continues with the rest. */
  #framesAfter(number: number): Buffer | undefined {
    const events = [...this.#latest.values()].filter((event) => event.number > number)
    if (events.length === 0) return undefined
    return Buffer.concat(events.sort((a, b) => a.number - b.number).map(({ frame }) => frame))
  }
}
