import { unprocessable } from '../../http/route/problem.ts'

export const ORDERS = ['asc', 'desc'] as const
export type Order = (typeof ORDERS)[number]

/**
 * The sort and the order that a query asks for; undefined without a sort. The order is checked before the sort, and only
 * if there is a sort.
 * @throws Problem 422
 */
export function sortingIn<Sort extends string>(
  query: { sort: string; order: string },
  sorts: readonly Sort[],
): { sort: Sort; order: Order } | undefined {
  if (query.sort === '') return undefined
  const order = ORDERS.find((each) => each === (query.order || 'asc'))
  if (!order) throw unprocessable(`Invalid sort order: "${query.order}"`)
  const sort = sorts.find((each) => each === query.sort)
  if (!sort) throw unprocessable(`Invalid sort mode: "${query.sort}"`)
  return { sort, order }
}
