import { CATEGORIES } from '../../forge/auth/scopes.ts'
import { CreateAccessTokenOption } from '../../forge/auth/token.shape.ts'
import { makeToken, revokeToken, TOKEN_NAME_USED } from '../../forge/auth/token-changes.ts'
import { pageOfTokens } from '../../forge/auth/token-store.ts'
import { pageQuery } from '../../http/route/page.ts'
import { badRequest } from '../../http/route/problem.ts'
import { ReplyWith } from '../../http/route/results.ts'
import type { HandlerBase } from '../../http/route/route.ts'
import { type PageTools, route } from '../route.ts'
import {
  besides,
  faultsOf,
  idIn,
  type Outcome,
  outcomeOf,
  replyTo,
  sent,
  shown,
  type Texts,
} from './form-reply.ts'
import type { Person } from './person.ts'
import { type MadeToken, tokensPage } from './tokens-page.ts'

type Context = HandlerBase<PageTools> & { caller: Person }

export const getTokenSettings = route('GET /settings/tokens', {
  ...shown,
  query: { ...shown.query, page: pageQuery().page },
  summary: 'One’s access tokens, without the tokens themselves',
  handler: ({ query, ...context }) => show(context, outcomeOf(query), query.page),
})

export const changeTokens = route('POST /settings/tokens', {
  ...sent,
  summary: 'Make an access token, which the answer alone shows, or delete one',
  fails: [400],
  also: [200, 422],
  handler: async ({ body, ...context }) => {
    let made: MadeToken | undefined
    const reply = await replyTo(
      body,
      `${context.from.host}settings/tokens?done=1`,
      async () => {
        if (body.action === 'delete')
          return besides('', revokeToken(context, context.caller.me, { id: idIn(body) }, 'not found'))
        if (body.action !== 'make') throw badRequest('the form asks for nothing that there is')
        return make(context, body, (token) => {
          made = token
        })
      },
      (outcome) => show(context, outcome, 1),
    )
    if (!made) return reply
    const outcome = { values: {}, faults: {}, isDone: false }
    return new ReplyWith(await show(context, outcome, 1, made), { status: 200 })
  },
})

async function make(
  context: Context,
  body: Texts,
  tell: (made: MadeToken) => void,
): Promise<Texts | undefined> {
  const { name = '', expires = '' } = body
  const expires_at = expires === '' ? undefined : endOf(expires)
  const scopes = scopesIn(body)
  const faults = faultsOf(CreateAccessTokenOption, { name })
  if (faults) return faults
  if (expires !== '' && !expires_at) return { expires: 'This is no day.' }
  if (expires_at && expires_at <= context.now) return { expires: 'This day is over.' }
  if (scopes.length === 0) return { '': 'Choose what the token may do.' }
  const making = makeToken(context, context.caller.me, { name, scopes, expires_at }).then(
    ({ stored, token }) => tell({ name: stored.name, token }),
  )
  const fault = await besides('name', making)
  if (!fault) return undefined
  const isName = fault.name?.toLowerCase().includes(TOKEN_NAME_USED)
  return isName ? { name: 'Another of your tokens has this name.' } : { '': fault.name ?? '' }
}

/** The end of a day in UTC; undefined for a text that is none. */
function endOf(day: string): Date | undefined {
  const end = new Date(/^\d{4}-\d{2}-\d{2}$/.test(day) ? `${day}T23:59:59.999Z` : Number.NaN)
  return Number.isNaN(end.getTime()) ? undefined : end
}

/** The scopes that a form has chosen: everything, or a level for each category. */
function scopesIn(body: Texts): string[] {
  const levels = CATEGORIES.flatMap((category) => {
    const level = body[category]
    return level === 'read' || level === 'write' ? [`${level}:${category}`] : []
  })
  const granted = body.all === undefined ? levels : ['all']
  return body.public_only === undefined ? granted : ['public-only', ...granted]
}

async function show(
  { caller, sql, from: { host } }: Context,
  outcome: Outcome,
  page: number,
  made?: MadeToken,
): Promise<string> {
  const tokens = await pageOfTokens(sql, caller.me.id, { page, limit: 30 })
  return tokensPage({ caller, host, outcome, tokens, made })
}
