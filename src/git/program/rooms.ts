import { availableParallelism } from 'node:os'
import { type Bounds, createPlaces, type Slots } from './slots.ts'

/** How much git may do at one time; what is not told is by the number of processors. */
export interface RoomOptions {
  /** Short runs of our own: creating, listing, reading. */
  short?: Bounds
  /** Lists of refs for clients. */
  light?: Bounds
  /** Clones, fetches and pushes, and the upkeep of repositories; `inside` with those that go on beside the places. */
  long?: Bounds
  /** Longest time that a long run keeps its place from those in line, in milliseconds. */
  turn?: number
  /** Longest short run and longest clone, fetch or push, in milliseconds; what is spent in line does not count. */
  milliseconds?: { short: number; long: number }
}

/** Where runs of one kind wait and work. */
export interface Room {
  places: Slots
  milliseconds: number
  /** Whether they let everything else on the machine go first. */
  patient: boolean
  turn: number
}

/** The rooms of all kinds of runs. */
export interface Rooms {
  short: Room
  light: Room
  long: Room
}

export function createRooms(options: RoomOptions): Rooms {
  const processors = availableParallelism()
  const many = 4 * processors + 4
  // However patient, each process takes its share, also of the caches: half of the processors are for everybody else.
  const atOnce = Math.max(1, Math.floor(processors / 2))
  const long = options.long ?? { atOnce, inside: atOnce + many, waiting: 200 }
  const light = options.light ?? { atOnce: 2 * processors, inside: many, waiting: 200 }
  const short = options.short ?? { atOnce: 2 * processors + 2, waiting: 500 }
  const { turn = 60_000, milliseconds = { short: 60_000, long: 3_600_000 } } = options
  return {
    short: { places: createPlaces(short), milliseconds: milliseconds.short, patient: false, turn },
    light: { places: createPlaces(light), milliseconds: milliseconds.long, patient: true, turn },
    long: { places: createPlaces(long), milliseconds: milliseconds.long, patient: true, turn },
  }
}
