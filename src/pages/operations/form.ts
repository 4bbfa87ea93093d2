import type { CompleteUpload } from '../../blobs/upload.ts'
import { failed, type Outcome } from '../../common/outcome.ts'
import type { Sql, Tx } from '../../db/sql.ts'
import type { ForgeAccess, SignedIn } from '../../forge/auth/access.ts'
import { storeContents } from '../../forge/blobs/content.ts'
import type { ForgeTools } from '../../forge/route.ts'
import { rejectRetry } from '../../http/idempotency/idempotency.ts'
import { ReplyWith } from '../../http/route/results.ts'
import type { Route } from '../../http/route/route.ts'
import type { Fields } from '../form.ts'
import { formReply } from '../profile.ts'
import { bySender, orKeepForm, type Sender } from '../sign-in/sender.ts'
import { hasFormId, once, onceMarked } from './once.ts'
import { forPages, type Input, type OnRequest, type Prepared, perform, prepare } from './perform.ts'
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

/** Files that a form stores. */
export interface AskedFiles {
  contents: readonly CompleteUpload[]
  /** Writes their rows; `results` are those of the calls. @throws ContentLost, Problem */
  store: (tx: Tx, results: readonly unknown[]) => Promise<unknown>
}

/** What a form asks for. */
export interface Asked {
  calls: readonly Call[]
  /**
   * All calls succeed, or none, once for a form with an id: they run in one transaction. Only for operations whose effects
   * are in that transaction, or for one call alone.
   */
  isAtomic?: boolean
  /** Refuses, at the start of that transaction, what has changed since the form was made. @throws Problem */
  check?: (tx: Tx) => Promise<void>
  /** Files that were sent with the form, which are stored when all calls are done, in their transaction if they have one. */
  files?: AskedFiles | undefined
  /** Where it leads, as a path below the root of links: from the results of the calls. */
  leadsTo: string | ((results: readonly unknown[], sql: Sql) => string | Promise<string>)
  /** Which field a refusal is about. */
  blame?: Blame
}

interface FormReply<Who> {
  /** What it asks for, or why not. @throws Problem 400 it asks for something that the page does not have */
  ask: (who: Who) => Asked | Refusal | Promise<Asked | Refusal>
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
    const asked = await ask(who)
    const outcome = 'sentence' in asked ? failed(asked) : await attempt(who, fields, asked)
    if (outcome.ok) return leadTo(who, outcome.value)
    const { fault } = outcome
    return new ReplyWith(await again(who, fault), { status: statusOf(fault) })
  })

const statusOf = ({ isForbidden, isTooLarge }: Refusal) => (isForbidden ? 403 : isTooLarge ? 413 : 422)

/** 303 to a path below the root of links. */
const leadTo = ({ request }: OnRequest, path: string): ReplyWith<string> =>
  new ReplyWith('', { status: 303, headers: { Location: request.from.host + path } })

/** Calls the operations; gives the path to which the form leads. */
function attempt(who: FormSender, fields: Fields, asked: Asked): Promise<Outcome<string, Refusal>> {
  const { calls, isAtomic } = asked
  const runsGit = calls.length === 1 && calls[0]?.[0].runsGit
  const together = runsGit ? callOnce : callTogether
  const work = isAtomic ? together(who, fields, asked) : callInOrder(who, asked)
  return outcomeOf(work, asked.blame ?? {}, [400, 403, 404, 405, 409, 412, 422, 423])
}

async function callInOrder(who: FormSender, { calls, files, leadsTo }: Asked): Promise<string> {
  const results: unknown[] = []
  for (const [operation, input] of calls) results.push(await perform(who, operation, input))
  if (files) await storing(who, files, () => who.request.begin((tx) => files.store(tx, results)))
  return typeof leadsTo === 'string' ? leadsTo : leadsTo(results, who.request.sql)
}

/** For an operation that runs git: without a transaction. */
async function callOnce(who: FormSender, fields: Fields, asked: Asked): Promise<string> {
  if (!hasFormId(fields)) return callInOrder(who, asked)
  const form = { caller: who, fields, address: who.request.url }
  const act = async () => ({ page: await callInOrder(who, asked), query: {} })
  return (await onceMarked(who.request, form, act)).page
}

/** The rights are looked up before the transaction, which holds a connection, and confirmed in it. */
async function callTogether(
  who: FormSender,
  fields: Fields,
  { calls, check, leadsTo, files }: Asked,
): Promise<string> {
  const prepared: Prepared[] = []
  for (const [operation, input] of calls) prepared.push(await prepare(who, operation, input))
  const { begin, url } = who.request
  const work = () =>
    begin(async (tx) => {
      const act = async () => {
        await check?.(tx)
        const results: unknown[] = []
        for (const call of prepared) results.push(await call.run({ sql: tx, begin: tx.nested }))
        await files?.store(tx, results)
        return { page: typeof leadsTo === 'string' ? leadsTo : await leadsTo(results, tx), query: {} }
      }
      const done = hasFormId(fields) ? once(tx, { caller: who, fields, address: url }, act) : act()
      return done.catch(rejectRetry)
    })
  const { page } = files ? await storing(who, files, work) : await work()
  return page
}

/** Runs the transaction that writes the rows of files. */
const storing = <Result>(
  { request: { tools, from } }: OnRequest,
  { contents }: AskedFiles,
  work: () => Promise<Result>,
): Promise<Result> => storeContents(tools.blobs.forRequest(from.id), contents, work)
