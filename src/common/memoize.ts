import { LRUCache } from 'lru-cache'

/** A function of a text that caches its results for the `max` texts that were used last. */
export function memoize<Result extends string | number | boolean>(
  max: number,
  compute: (text: string) => Result,
): (text: string) => Result {
  const results = new LRUCache<string, Result>({ max })
  return (text) => {
    const cached = results.get(text)
    if (cached !== undefined) return cached
    const result = compute(text)
    results.set(text, result)
    return result
  }
}
