import { LRUCache } from 'lru-cache'

/** A function of a text that remembers its results for the `max` texts that were asked for last. */
export function memoize<Result extends string | number | boolean>(
  max: number,
  judge: (text: string) => Result,
): (text: string) => Result {
  const results = new LRUCache<string, Result>({ max })
  return (text) => {
    const known = results.get(text)
    if (known !== undefined) return known
    const result = judge(text)
    results.set(text, result)
    return result
  }
}
