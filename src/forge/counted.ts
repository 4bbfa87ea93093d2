import { Dressed } from '../http/reply.ts'

/** A page of a list whose replies tell the total and, unlike others, have no `Link`. */
export function counted<Row>(rows: Row[], total: number): Dressed<Row[]> {
  const headers = { 'X-Total-Count': String(total), 'Access-Control-Expose-Headers': 'X-Total-Count' }
  return new Dressed(rows, { headers })
}
