import * as v from 'valibot'
import { shape } from '../../http/route/validate.ts'
import { described, int } from '../../http/route/values.ts'
import { scopeNames, storedScopes } from '../auth/scopes.ts'
import type { StoredToken } from '../auth/token-store.ts'
import { printTime, ZERO_TIME } from '../protocol/time.ts'

const expires_at = described(
  v.nullable(v.string()),
  'When the token ends; null: never. An extension of this server',
)

/** A token in lists; `sha1` holds the token itself in the answer to its creation and "" everywhere else. */
export const AccessToken = shape('AccessToken', {
  id: int,
  name: v.string(),
  sha1: described(v.string(), 'The token itself in the answer to its creation; empty everywhere else'),
  token_last_eight: described(v.string(), 'The last eight characters, by which people recognize a token'),
  scopes: described(v.array(v.string()), 'What the token may do; `all` is everything'),
  created_at: v.string(),
  last_used_at: described(v.string(), 'Equal to `created_at` until the token is used'),
  expires_at,
})
export type AccessToken = v.InferOutput<typeof AccessToken>

/** What `GET /token` returns about the presented token. */
export const OwnToken = v.object({
  id: int,
  name: v.string(),
  scopes: v.array(v.string()),
  created_at: v.string(),
  last_used_at: v.string(),
  expires_at,
  user: v.object({ id: int, login: v.string() }),
})

/** A token that was never used shows its creation time as last use: clients take equal times for "never". */
export function printToken(stored: StoredToken): AccessToken {
  const { id, name, last_eight, created_at, last_used_at, expires_at } = stored
  return {
    id,
    name,
    sha1: '',
    token_last_eight: last_eight,
    scopes: [...scopeNames(storedScopes(stored.scopes))],
    created_at: printTime(created_at, ZERO_TIME),
    last_used_at: printTime(last_used_at ?? created_at, ZERO_TIME),
    expires_at: expires_at === null ? null : printTime(expires_at, ZERO_TIME),
  }
}

/** The answer to a creation: the only one that contains the token. It has no times. */
export function printNewToken(stored: StoredToken, token: string): AccessToken {
  return { ...printToken(stored), sha1: token, created_at: ZERO_TIME, last_used_at: ZERO_TIME }
}
