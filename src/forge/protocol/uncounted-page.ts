import { ReplyWith } from '../../http/route/results.ts'

/** Headers of a reply with the total of a list but, unlike other lists, without `Link`. */
export const countHeaders = (total: number) => ({
  'X-Total-Count': String(total),
  'Access-Control-Expose-Headers': 'X-Total-Count',
})

/** A page of a list whose replies have the total but, unlike others, no `Link`. */
export function counted<Row>(rows: Row[], total: number): ReplyWith<Row[]> {
  return new ReplyWith(rows, { headers: countHeaders(total) })
}
