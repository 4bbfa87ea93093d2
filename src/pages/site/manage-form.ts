import type { Begin, Sql, Tx } from '../../db/sql.ts'
import { record } from '../../forge/audit/audit-trail.ts'
import { forbidden, Problem } from '../../http/route/problem.ts'
import { ReplyWith } from '../../http/route/results.ts'
import type { Origin } from '../../http/server/origin.ts'
import type { ChangeContext, SiteChange } from '../../site/change.ts'
import type { FormOutcome } from '../../site/sent-form-store.ts'
import { type Faults, type Fields, opened } from '../form.ts'
import { type Html, html, withQuery } from '../html.ts'
import { hasFormId, once } from '../operations/once.ts'
import type { PageTools } from '../route.ts'
import { isFormOf, type Manager, managePath } from '../session/session.ts'

// What the forms of those who manage the site have in common.

/** What a page or a form needs of a request. */
export interface ManageContext {
  sql: Sql
  begin: Begin
  now: Date
  caller: Manager
  tools: PageTools
  from: Origin
}

/** Why a form has changed nothing, for the page that shows it again. */
export interface Refusal {
  status: 403 | 404 | 409 | 413 | 422
  faults?: Faults
  refused: string
}

/** The context of changes of the site, which the sender of the form makes. */
export const makerOf = (context: ManageContext): ChangeContext => {
  const by = { caller: { me: context.caller.me, impersonator: undefined }, from: context.from }
  return { ...context, caller: (tx: Tx, change: SiteChange) => record(tx, by, change) }
}

/** @throws Problem 403 unless news and media may be changed on this server */
export function requirePublishing({ tools }: Pick<ManageContext, 'tools'>): void {
  if (!tools.publishing) throw forbidden('news and media cannot be changed on this server')
}

/**
 * What a form that was done leads to: a page below `/overview/manage` ("" for the page itself, or `/trash`), and what
 * that page says.
 */
export type Done = FormOutcome

type Act = (context: ManageContext) => Promise<Done | Refusal>

/**
 * Does what a form asks for, and leads to the page that says so, or shows the form `again`.
 * @throws Problem 400, 403
 */
export async function replyTo(
  context: ManageContext,
  fields: Fields,
  act: Act,
  again: (refusal: Refusal) => Promise<string>,
): Promise<ReplyWith<string>> {
  const outcome = await attempt(context, fields, act)
  return isRefusal(outcome)
    ? new ReplyWith(await again(outcome), { status: outcome.status })
    : leadTo(context, outcome)
}

/** Does what a form of this session asks for, once; turns what has changed meanwhile into a refusal. */
async function attempt(context: ManageContext, fields: Fields, act: Act): Promise<Done | Refusal> {
  if (!isFormOf(context.caller, fields.form_token))
    return { status: 403, refused: 'You have signed in again since this page was loaded. Send it once more.' }
  try {
    return hasFormId(fields) ? await actOnce(context, fields, act) : await act(context)
  } catch (error) {
    if (error instanceof Refused) return error.refusal
    if (!(error instanceof Problem)) throw error
    if (error.status === 404) return { status: 404, refused: 'It is no longer there.' }
    if (error.status === 409) return { status: 409, refused: 'Somebody has changed it meanwhile.' }
    throw error
  }
}

/** The form and what it asks for are in one transaction, in which a refusal leaves nothing. */
const actOnce = (context: ManageContext, fields: Fields, act: Act): Promise<Done> =>
  context.begin((tx) =>
    once(tx, { caller: context.caller, fields }, async () => {
      const outcome = await act({ ...context, sql: tx, begin: tx.nested })
      if (isRefusal(outcome)) throw new Refused(outcome)
      return outcome
    }),
  )

/** Ends the transaction of a form that is refused. */
class Refused extends Error {
  constructor(readonly refusal: Refusal) {
    super(refusal.refused)
  }
}

const isRefusal = (outcome: Done | Refusal): outcome is Refusal => 'refused' in outcome

/** 303 to the page that says what was done. */
export function leadTo({ from: { host } }: ManageContext, { page, query }: Done): ReplyWith<string> {
  const Location = withQuery(`${host}${managePath}${page}`, query)
  return new ReplyWith('', { status: 303, headers: { Location } })
}

/** The id in a field or a query; undefined for any other value. */
export function idIn(text: unknown): number | undefined {
  const number = Number(text)
  return Number.isSafeInteger(number) && number > 0 ? number : undefined
}

/** The version that a form was made from; 0, which nothing has, for any other text. */
export function versionIn(text: unknown): number {
  const number = idIn(text) ?? 0
  return number < 2 ** 31 ? number : 0
}

/** The beginning of a form, whose address is below `/overview/manage`, with its hidden fields. */
export function opening(
  { host, caller }: { host: string; caller: Manager },
  fields: Readonly<Record<string, string | number | undefined>>,
  page = '',
): Html {
  return opened(`${host}${managePath}${page}`, { form_token: caller.formToken, ...fields })
}

/** The refusal of a form for the faults of its fields. */
export const refusalFor = (faults: Faults): Refusal => ({
  status: 422,
  faults,
  refused: 'See what is marked.',
})

/** The faults of fields that must not be empty; undefined if there are none. */
export function missing(values: Fields): Faults | undefined {
  const empty = Object.entries(values).filter(([, value]) => value.trim() === '')
  if (empty.length === 0) return undefined
  return Object.fromEntries(empty.map(([name]) => [name, 'This must not be empty.']))
}

/** The name of the first field with a fault. */
export const firstOf = (faults: Faults): string | undefined => Object.keys(faults)[0]

/** The heading of a page below the one that manages the site. */
export const headingOf = (host: string, heading: string): Html => html`<div class="title"><h1>${heading}</h1>
<p class="actions"><a href="${host}${managePath}">Manage the site</a></p></div>`

/** Why nothing was changed. It has the focus where no field has. */
export const refusalNotice = (refused: string | undefined, hasFault: boolean): Html | undefined =>
  refused === undefined
    ? undefined
    : html`<p class="notice bad" role="alert"${hasFault ? undefined : html` tabindex="-1" autofocus`}>Nothing was changed. ${refused}</p>`
