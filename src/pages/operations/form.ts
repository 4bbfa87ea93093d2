import type { Tx } from '../../db/sql.ts'
import type { ForgeAccess, SignedIn } from '../../forge/auth/access.ts'
import type { ForgeTools } from '../../forge/route.ts'
import { rejectRetry } from '../../http/idempotency/idempotency.ts'
import { ReplyWith } from '../../http/route/results.ts'
import type { Route } from '../../http/route/route.ts'
import { done, type Outcome } from '../../outcome.ts'
import type { FormOutcome } from '../../site/sent-form-store.ts'
import type { Fields } from '../form.ts'
import { formReply } from '../profile.ts'
import { bySender, orKeepForm, type Sender } from '../session/sender.ts'
import { hasFormId, once } from './once.ts'
import { forPages, type Input, type OnRequest, type Prepared, prepare } from './perform.ts'
import { type Blame, outcomeOf, type Refusal } from './refusal.ts'

/** Who sends a form. */
export type FormSender = SignedIn & OnRequest

/**
 * The declaration of a form that calls operations of the API: for those whom this rule of the API admits. For others, the
 * form waits in the sign-in page (401). If an operation refuses it, its page is shown again (403, 422).
 */
export const operationForm = <Who extends SignedIn>(rule: ForgeAccess<Who>) =>
  ({ ...formReply, access: orKeepForm(forPages(rule)), also: [401, 403, 422] }) as const

/** A call of an operation of the API. */
export type Call = readonly [operation: Route<ForgeTools>, input: Input]

/** What a form asks for. */
export interface Asked {
  /** In their order, in one transaction: all of them succeed, or none. */
  calls: readonly Call[]
  /** Refuses, at the start of the transaction, what has changed since the form was made. @throws Problem */
  check?: (tx: Tx) => Promise<void>
  /** Where it leads, as a path below the root of links: from the results of the calls. */
  leadsTo: string | ((results: readonly unknown[], tx: Tx) => string | Promise<string>)
  /** Which field a refusal is about. */
  blame?: Blame
}

interface FormReply<Who> {
  /** @throws Problem 400 it asks for something that the page does not have */
  ask: (who: Who) => Asked | Promise<Asked>
  /** The page with the form as it was sent. */
  again: (who: Who, refusal: Refusal) => Promise<string>
}

/** Does what a form asks for, and leads to a page; or shows the form again with the reason why not. @throws Problem */
export const replyToForm = <Who extends FormSender>(
  sender: Sender<Who>,
  fields: Fields,
  { ask, again }: FormReply<Who>,
): Promise<ReplyWith<string>> =>
  bySender(sender, fields, async (who) => {
    const outcome = await attempt(who, fields, await ask(who))
    if (outcome.ok) return leadTo(who, outcome.value)
    const { fault } = outcome
    return new ReplyWith(await again(who, fault), { status: fault.isForbidden ? 403 : 422 })
  })

/** 303 to a path below the root of links. */
const leadTo = ({ request }: OnRequest, path: string): ReplyWith<string> =>
  new ReplyWith('', { status: 303, headers: { Location: request.from.host + path } })

/** Calls the operations, once for each form; gives the path to which it leads. */
const attempt = (
  who: FormSender,
  fields: Fields,
  { calls, check, leadsTo, blame = {} }: Asked,
): Promise<Outcome<string, Refusal>> =>
  outcomeOf(
    callAll(
      who,
      fields,
      calls,
      async (tx, results) => {
        const path = typeof leadsTo === 'string' ? leadsTo : await leadsTo(results, tx)
        return { page: path, query: {} }
      },
      check,
    ),
    blame,
    [400, 403, 404, 405, 409, 412, 422, 423],
  ).then((outcome) => (outcome.ok ? done(outcome.value.page) : outcome))

/** The rights are looked up before the transaction, which holds a connection, and confirmed in it. */
async function callAll(
  who: FormSender,
  fields: Fields,
  calls: readonly Call[],
  conclude: (tx: Tx, results: readonly unknown[]) => Promise<FormOutcome>,
  check: Asked['check'],
): Promise<FormOutcome> {
  const prepared: Prepared[] = []
  for (const [operation, input] of calls) prepared.push(await prepare(who, operation, input))
  const { begin, url } = who.request
  return begin(async (tx) => {
    const act = async () => {
      await check?.(tx)
      const results: unknown[] = []
      for (const call of prepared) results.push(await call.run({ sql: tx, begin: tx.nested }))
      return conclude(tx, results)
    }
    const work = hasFormId(fields) ? once(tx, { caller: who, fields, address: url }, act) : act()
    return work.catch(rejectRetry)
  })
}
