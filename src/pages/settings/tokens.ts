import { failed } from '../../common/outcome.ts'
import { CATEGORIES } from '../../forge/auth/scopes.ts'
import { pageOfTokens } from '../../forge/auth/token-store.ts'
import { CreateAccessTokenOption } from '../../forge/tokens/token.option.ts'
import { makeToken, revokeToken, TOKEN_NAME_USED } from '../../forge/tokens/token-changes.ts'
import { pageQuery } from '../../http/route/page.ts'
import { type Fields, unknownAction } from '../form.ts'
import { route } from '../route.ts'
import {
  besides,
  type Change,
  type FormState,
  faultsOf,
  idIn,
  replyTo,
  type SettingsContext,
  sent,
  shown,
  stateOf,
  untouched,
} from './form-reply.ts'
import { type MadeToken, tokensPage } from './tokens-page.ts'

export const getTokenSettings = route('GET /settings/tokens', {
  ...shown,
  query: { ...shown.query, page: pageQuery().page },
  summary: 'One’s access tokens, without the tokens themselves',
  handler: ({ query, ...context }) => show(context, stateOf(query), query.page),
})

export const changeTokens = route('POST /settings/tokens', {
  ...sent,
  summary: 'Make an access token, which the answer alone shows, or delete one',
  fails: [400],
  also: [200, 422],
  handler: ({ body, ...context }) => replyTo(context, body, { section: 'settings/tokens', change, show }),
})

async function change(context: SettingsContext, fields: Fields): Promise<Change> {
  const { action } = fields
  if (action === 'make') return make(context, fields)
  if (action !== 'delete') throw unknownAction()
  return besides('', revokeToken(context, context.caller.me, { id: idIn(fields) }, 'not found'))
}

async function make(context: SettingsContext, fields: Fields): Promise<Change> {
  const { name = '', expires = '' } = fields
  const expires_at = expires === '' ? undefined : endOf(expires)
  const scopes = scopesIn(fields)
  const faults = faultsOf(CreateAccessTokenOption, { name })
  if (faults) return failed(faults)
  if (expires !== '' && !expires_at) return failed({ expires: 'This is no day.' })
  if (expires_at && expires_at <= context.now) return failed({ expires: 'This day is over.' })
  if (scopes.length === 0) return failed({ '': 'Choose what the token may do.' })
  const outcome = await besides('', makeToken(context, context.caller.me, { name, scopes, expires_at }))
  if (outcome.ok) {
    const { stored, token } = outcome.value
    return { page: await show(context, untouched, 1, { name: stored.name, token }) }
  }
  const isUsed = outcome.fault['']?.toLowerCase().includes(TOKEN_NAME_USED)
  return isUsed ? failed({ name: 'Another of your tokens has this name.' }) : outcome
}

/** The end of a day in UTC; undefined for a text that is none. */
function endOf(day: string): Date | undefined {
  const end = new Date(/^\d{4}-\d{2}-\d{2}$/.test(day) ? `${day}T23:59:59.999Z` : Number.NaN)
  return Number.isNaN(end.getTime()) ? undefined : end
}

/** The scopes that a form has chosen: everything, or a level for each category. */
function scopesIn(fields: Fields): string[] {
  const levels = CATEGORIES.flatMap((category) => {
    const level = fields[category]
    return level === 'read' || level === 'write' ? [`${level}:${category}`] : []
  })
  const granted = fields.all === undefined ? levels : ['all']
  return fields.public_only === undefined ? granted : ['public-only', ...granted]
}

async function show(context: SettingsContext, state: FormState, page = 1, made?: MadeToken): Promise<string> {
  const tokens = await pageOfTokens(context.sql, context.caller.me.id, { page, limit: 30 })
  return tokensPage(context, { state, tokens, made })
}
