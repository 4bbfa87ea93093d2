import { ReplyWith } from '../../http/route/results.ts'

/** Headers of a reply that tells the total of a list and, unlike those of other lists, has no `Link`. */
export const countHeaders = (total: number) => ({
  'X-Total-Count': String(total),
  'Access-Control-Expose-Headers': 'X-Total-Count',
})

/** A page of a list whose replies tell the total and, unlike others, have no `Link`. */
export function counted<Row>(rows: Row[], total: number): ReplyWith<Row[]> {
  return new ReplyWith(rows, { headers: countHeaders(total) })
}
