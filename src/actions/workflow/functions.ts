import type { Evaluator } from '@actions/expressions'
import { data, wellKnownFunctions } from '@actions/expressions'
import type { Value } from './values.ts'

type Functions = NonNullable<ConstructorParameters<typeof Evaluator>[2]>

/** Characters that one evaluation may touch: expressions come from strangers and run on the threads of the server. */
const mostCharacters = 4 * 1024 * 1024

/** Characters of one text that a function makes. */
const longestText = 1024 * 1024

/** What is left of one evaluation. */
export class Budget {
  #left = mostCharacters

  /** @throws Error when the evaluation has become too expensive */
  spend(value: Value): void {
    this.take(value instanceof data.StringData ? 8 + value.value.length : 8)
  }

  /** @throws Error when the evaluation has become too expensive */
  take(characters: number): void {
    this.#left -= characters
    if (this.#left < 0) throw new Error('it becomes too large')
  }
}

/** The functions of the language, with a look at what they would make before they make it. */
export function boundedFunctions(budget: Budget, own: ReadonlyMap<string, () => Value>): Functions {
  const functions: Functions = new Map()
  for (const [name, definition] of Object.entries(wellKnownFunctions)) {
    const call = (...args: Value[]) => {
      budget.take(costOf(name, args))
      const made: Value = definition.call(...args)
      if (made instanceof data.StringData && made.value.length > longestText)
        throw new Error('it becomes too large')
      return made
    }
    functions.set(name, { ...definition, call })
  }
  for (const [name, call] of own) functions.set(name, { name, minArgs: 0, maxArgs: 0, call })
  return functions
}

/** Characters that a call will touch or make, at most. */
function costOf(name: string, args: readonly Value[]): number {
  const sizes = args.map(sizeOf)
  const sum = sizes.reduce((total, size) => total + size, 0)
  const [first, second] = args
  if (name === 'format' && first instanceof data.StringData)
    return sum + (first.value.split('{').length - 1) * Math.max(0, ...sizes.slice(1))
  if (name === 'join' && first instanceof data.Array && second)
    return sum + first.values().length * (sizes[1] ?? 0)
  return sum
}

/** Characters of a value with all that it holds. */
function sizeOf(value: Value): number {
  if (value instanceof data.StringData) return value.value.length
  if (value instanceof data.Array) return value.values().reduce((sum, each) => sum + sizeOf(each), 8)
  if (!(value instanceof data.Dictionary)) return 8
  return value.pairs().reduce((sum, pair) => sum + pair.key.length + sizeOf(pair.value), 8)
}
