import type { TestApp } from '../app.ts'
import { basic, type Somebody } from './make.ts'

export const listing = 'GET /api/v1/users/{username}/tokens'
export const creating = 'POST /api/v1/users/{username}/tokens'
export const removing = 'DELETE /api/v1/users/{username}/tokens/{token}'

export type As = { authorization: string }

/** A token inside Basic. */
export const inBasic = (token: string) => basic('whoever', token)

/** Calls about the tokens of a user. */
export function tokenCalls({ call, pool }: Pick<TestApp, 'call' | 'pool'>) {
  return {
    list: (username: string, as: As, query = {}) => call(listing, { params: { username }, as, query }),
    create: (username: string, body: unknown, as: As) => call(creating, { params: { username }, body, as }),
    remove: (username: string, token: string | number, as: As) =>
      call(removing, { params: { username, token }, as }),
    /** The names of the stored tokens, the oldest first. */
    namesOf: async ({ id }: Pick<Somebody, 'id'>) =>
      (await pool`select name from forge.access_token where account_id = ${id} order by id`).map(
        ({ name }) => name,
      ),
  }
}
