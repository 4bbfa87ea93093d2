/**
 * Does `work` for each item, for at most `count` at a time, and gives the results in the order of the items. It starts no
 * other item once one has failed. @throws what `work` throws
 */
export async function inParallel<Item, Result>(
  count: number,
  items: Iterable<Item>,
  work: (item: Item, at: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const left = numbered(items)
  // A loop that throws ends the generator for all.
  const worker = async () => {
    for (const [at, item] of left) results[at] = await work(item, at)
  }
  await Promise.all(Array.from({ length: count }, worker))
  return results
}

function* numbered<Item>(items: Iterable<Item>): Generator<[number, Item]> {
  let at = 0
  for (const item of items) yield [at++, item]
}
