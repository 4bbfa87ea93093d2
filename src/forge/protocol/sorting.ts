export const ORDERS = ['asc', 'desc'] as const
export type Order = (typeof ORDERS)[number]

/** The sort and the order that a query asks for; undefined without a sort: then the order has no effect, as in Gitea. */
export const sortingIn = <Sort extends string>({ sort, order }: { sort: Sort | ''; order: Order | '' }) =>
  sort === '' ? undefined : { sort, order: order || 'asc' }
