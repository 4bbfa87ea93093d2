import type { Evaluator } from '@actions/expressions'
import { data, wellKnownFunctions } from '@actions/expressions'
import type { Value } from './values.ts'

type Functions = NonNullable<ConstructorParameters<typeof Evaluator>[2]>

/** Maximum characters one evaluation may touch: users write the expressions, and server threads evaluate them. */
const maxCharacters = 4 * 1024 * 1024

/** Maximum length of a text that a function produces. */
const maxTextLength = 1024 * 1024

/** The remaining budget of one evaluation. */
export class Budget {
  #left = maxCharacters

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

/** The functions of the language; each call is charged to the budget before it runs. */
export function boundedFunctions(
  budget: Budget,
  statusFunctions: ReadonlyMap<string, () => Value>,
): Functions {
  const functions: Functions = new Map()
  for (const [name, definition] of Object.entries(wellKnownFunctions)) {
    const call = (...args: Value[]) => {
      budget.take(costOf(name, args))
      const result: Value = definition.call(...args)
      if (result instanceof data.StringData && result.value.length > maxTextLength)
        throw new Error('it becomes too large')
      return result
    }
    functions.set(name, { ...definition, call })
  }
  for (const [name, call] of statusFunctions) functions.set(name, { name, minArgs: 0, maxArgs: 255, call })
  return functions
}

/** Upper bound of the characters that a call touches or produces. */
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

/** Characters of a value, including nested values. */
function sizeOf(value: Value): number {
  if (value instanceof data.StringData) return value.value.length
  if (value instanceof data.Array) return value.values().reduce((sum, each) => sum + sizeOf(each), 8)
  if (!(value instanceof data.Dictionary)) return 8
  return value.pairs().reduce((sum, pair) => sum + pair.key.length + sizeOf(pair.value), 8)
}
