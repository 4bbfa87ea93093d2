import { mapPage } from '../../db/page.ts'
import type { Begin } from '../../db/sql.ts'
import { pagesOf } from '../../http/route/page.ts'
import { badRequest, forbidden, found, notFound } from '../../http/route/problem.ts'
import type { Account } from '../accounts/account.ts'
import { refuseSystem } from '../accounts/system-account.ts'
import { type Actor, accountTarget, record } from '../admin/audit-trail.ts'
import { integerLiteral } from '../protocol/parameters.ts'
import { askedParam } from '../protocol/query.ts'
import { route } from '../route.ts'
import { tokenKeeper } from '../users/access.ts'
import { type SignedIn, signedIn } from './access.ts'
import { isEmpty, NO_SCOPES, parseScopes, passOn, type Scopes } from './scopes.ts'
import { AccessToken, CreateAccessTokenOption, OwnToken, printNewToken, printToken } from './token.shape.ts'
import { newToken } from './token.ts'
import { deleteToken, insertToken, pageOfTokens, tokenById } from './token-store.ts'

export const userGetTokens = route('GET /users/{username}/tokens', {
  summary: 'Access tokens of a user, newest first, without the tokens themselves',
  access: tokenKeeper(),
  ...pagesOf(AccessToken),
  handler: async ({ caller, query, sql }) => {
    return mapPage(await pageOfTokens(sql, caller.subject.id, query), printToken)
  },
})

export const userCreateToken = route('POST /users/{username}/tokens', {
  summary: 'Make an access token for a user; the answer is the only one that shows it',
  access: tokenKeeper(),
  body: CreateAccessTokenOption,
  conflicts: {
    access_token_name_unique: [400, 'access token name has been used already'],
    access_token_account_known: [404, 'the user does not exist any more'],
  },
  fails: [400, 403],
  returns: [201, AccessToken],
  handler: async ({ caller, from, body, begin }) => {
    const { subject } = caller
    refuseSystem(subject)
    const made = { name: body.name, scopes: scopesFor(caller, body.scopes), token: newToken() }
    const stored = await begin(async (tx) => {
      const inserted = await insertToken(tx, subject.id, made)
      const details = { token: inserted.name, scopes: inserted.scopes }
      await record(tx, { caller, from }, { action: 'token.created', target: accountTarget(subject), details })
      return inserted
    })
    return printNewToken(stored, made.token)
  },
})

export const userDeleteAccessToken = route('DELETE /users/{username}/tokens/{token}', {
  summary: 'Revoke an access token of a user, by its id or its name',
  access: tokenKeeper(),
  params: { token: askedParam },
  returns: [204],
  handler: async ({ caller, from, params, begin }) => {
    const id = integerLiteral(params.token)
    const which = id === undefined ? { name: params.token } : { id }
    const sentence = id === undefined ? 'not found' : 'access token not found'
    await revoke(begin, { caller, from }, caller.subject, which, sentence)
  },
})

export const getCurrentToken = route('GET /token', {
  summary: 'The access token that the request presents in its header',
  access: signedIn(),
  fails: [404],
  returns: [200, OwnToken],
  handler: async ({ caller, sql }) => {
    const { owner, id } = presented(caller)
    const { name, scopes, created_at, last_used_at } = printToken(found(await tokenById(sql, id)))
    return { id, name, scopes, created_at, last_used_at, user: { id: owner.id, login: owner.name } }
  },
})

export const deleteCurrentToken = route('DELETE /token', {
  summary: 'Revoke the access token that the request presents in its header',
  access: signedIn(),
  fails: [404],
  returns: [204],
  handler: async ({ caller, from, begin }) => {
    const { owner, id } = presented(caller)
    await revoke(begin, { caller, from }, owner, { id }, 'not found')
  },
})

/** The scopes of a new token. A token cannot create one with more permissions than its own. @throws Problem 400, 403 */
function scopesFor({ token }: SignedIn, names: readonly string[]): Scopes {
  const wanted = parseScopes(names)
  if (!wanted.ok) throw badRequest(wanted.fault)
  if (isEmpty(wanted.value)) throw badRequest(NO_SCOPES)
  if (!token) return wanted.value
  const passed = passOn(token.scopes, wanted.value)
  if (!passed.ok) throw forbidden(passed.fault)
  return passed.value
}

/** The token in the header and its owner, also if the owner acts as another user (sudo). @throws Problem 404 */
function presented({ me, impersonator, token, via }: SignedIn): { owner: Account; id: number } {
  if (!token || via !== 'header') throw notFound()
  return { owner: impersonator ?? me, id: token.id }
}

/** @throws Problem 404 */
async function revoke(
  begin: Begin,
  by: Actor,
  owner: Account,
  which: { id: number } | { name: string },
  sentence: string,
): Promise<void> {
  await begin(async (tx) => {
    const deleted = found(await deleteToken(tx, owner.id, which), sentence)
    const details = { token: deleted.name }
    await record(tx, by, { action: 'token.deleted', target: accountTarget(owner), details })
  })
}
