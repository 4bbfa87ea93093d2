import { mapPage } from '../../db/page.ts'
import { pagesOf } from '../../http/route/page.ts'
import { found, notFound } from '../../http/route/problem.ts'
import { json, noBody } from '../../http/route/sends.ts'
import type { Account } from '../accounts/account-store.ts'
import { type SignedIn, signedIn } from '../auth/access.ts'
import { pageOfTokens, tokenById } from '../auth/token-store.ts'
import { tokenKeeper } from '../auth/user-access.ts'
import { integerLiteral } from '../protocol/parameters.ts'
import { nameParam } from '../protocol/query.ts'
import { route } from '../route.ts'
import { CreateAccessTokenOption } from './token.option.ts'
import { AccessToken, OwnToken, printNewToken, printToken } from './token.shape.ts'
import { makeToken, revokeToken } from './token-changes.ts'

export const userGetTokens = route('GET /users/{username}/tokens', {
  summary: 'Access tokens of a user, newest first, without the tokens themselves',
  access: tokenKeeper(),
  ...pagesOf(AccessToken),
  handler: async ({ caller, query, sql }) =>
    mapPage(await pageOfTokens(sql, caller.subject.id, query), printToken),
})

export const userCreateToken = route('POST /users/{username}/tokens', {
  summary: 'Create an access token of a user; only this answer shows the token',
  access: tokenKeeper(),
  body: CreateAccessTokenOption,
  fails: [400, 403, 404],
  returns: json(201, AccessToken),
  handler: async ({ caller, from, body, begin, now }) => {
    const { stored, token } = await makeToken({ caller, from, begin, now }, caller.subject, body)
    return printNewToken(stored, token)
  },
})

export const userDeleteAccessToken = route('DELETE /users/{username}/tokens/{token}', {
  summary: 'Revoke an access token of a user, by its id or its name',
  access: tokenKeeper(),
  params: { token: nameParam },
  returns: noBody(204),
  handler: async ({ caller, from, params, begin }) => {
    const id = integerLiteral(params.token)
    const which = id === undefined ? { name: params.token } : { id }
    const message = id === undefined ? 'not found' : 'access token not found'
    await revokeToken({ caller, from, begin }, caller.subject, which, message)
  },
})

export const getCurrentToken = route('GET /token', {
  summary: 'The access token that the request presents in its header',
  access: signedIn(),
  fails: [404],
  returns: json(200, OwnToken),
  handler: async ({ caller, sql }) => {
    const { owner, id } = presented(caller)
    const { sha1: _, token_last_eight: __, ...token } = printToken(found(await tokenById(sql, id)))
    return { ...token, user: { id: owner.id, login: owner.name } }
  },
})

export const deleteCurrentToken = route('DELETE /token', {
  summary: 'Revoke the access token that the request presents in its header',
  access: signedIn(),
  fails: [404],
  returns: noBody(204),
  handler: async ({ caller, from, begin }) => {
    const { owner, id } = presented(caller)
    await revokeToken({ caller, from, begin }, owner, { id }, 'not found')
  },
})

/** The token in the header and its owner, also if the owner acts as another user (sudo). @throws Problem 404 */
function presented({ me, impersonator, token, via }: SignedIn): { owner: Account; id: number } {
  if (!token || via !== 'header') throw notFound()
  return { owner: impersonator ?? me, id: token.id }
}
