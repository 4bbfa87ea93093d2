import type { SignedIn } from '../../forge/auth/access.ts'
import type { Caller } from '../../forge/auth/caller.ts'
import { ReplyWith } from '../../http/route/results.ts'
import { textAs } from '../../http/route/sends.ts'
import { askedForm, type Fields, opened, opener, unknownAction } from '../form.ts'
import { type Html, html } from '../html.ts'
import { card } from '../layout.ts'
import { listQuery, listSection, rowOf } from '../list.ts'
import { describedFields } from '../operations/described.ts'
import { noticeOf } from '../operations/fields.ts'
import { type Asked, operationForm, replyToForm } from '../operations/form.ts'
import { newFormId } from '../operations/once.ts'
import { forPages, type OnRequest } from '../operations/perform.ts'
import { outcomeOf, type Refusal } from '../operations/refusal.ts'
import { htmlType } from '../profile.ts'
import { orSignIn } from '../session/session.ts'
import { bySender, type Sender } from '../sign-in/sender.ts'
import type { At, Noun } from './noun.ts'
import { type Owner, sectionAddress } from './owner.ts'

/** The declaration of the page that lists what an owner has of a noun. */
export const pageOf = <Who extends Caller, Row>(owner: Owner<Who>, noun: Noun<Row>) => ({
  access: orSignIn(forPages(owner.rule)),
  query: listQuery,
  returns: textAs(200, htmlType),
  handler: ({ caller, query }: { caller: Who & OnRequest; query: { page: number; done: string } }) =>
    nounPage(owner, noun, caller, { page: query.page, done: doneOf(noun, query.done) }),
})

/** The declaration of the forms of that page. */
export const formOf = <Who extends SignedIn, Row>(owner: Owner<Who>, noun: Noun<Row>) => ({
  ...operationForm(owner.rule),
  also: noun.shown ? [200, 401, 403, 422] : [401, 403, 422],
  fails: [400],
  handler: ({ caller: sender, body }: { caller: Sender<Who & OnRequest>; body: Fields }) => {
    const show = own(noun.shown, body.action)
    if (show)
      return bySender(sender, body, async (who) => {
        const shown = await show(atOf(owner, who))
        return new ReplyWith(await nounPage(owner, noun, who, { shown }), { status: 200 })
      })
    return replyToForm(sender, body, {
      ask: (who) => askedOf(owner, noun, who, body),
      again: (who, refusal) => nounPage(owner, noun, who, { values: body, refusal }),
    })
  },
})

/** The member of that name that a record has itself. */
const own = <Value>(record: Readonly<Record<string, Value>> = {}, name = ''): Value | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined

const doneOf = <Row>({ acts }: Noun<Row>, action: string) => own(acts, action)?.done

const atOf = <Who extends Caller>(owner: Owner<Who>, who: Who & OnRequest): At => ({
  request: who.request,
  params: owner.params(who),
  repository: owner.repository?.(who),
  who,
})

/** All calls of a form run in one transaction. @throws Problem 400 an unknown action */
async function askedOf<Who extends SignedIn, Row>(
  owner: Owner<Who>,
  { section, acts }: Noun<Row>,
  who: Who & OnRequest,
  fields: Fields,
): Promise<Asked | Refusal> {
  const { action = '' } = fields
  const act = own(acts, action)
  if (!act) throw unknownAction()
  const blame = act.blame ?? {}
  const calls = await outcomeOf(Promise.resolve(act.calls(fields, atOf(owner, who))), blame)
  if (!calls.ok) return calls.fault
  return {
    calls: calls.value,
    isAtomic: true,
    leadsTo: `${owner.path(who)}/${section}?done=${action}`,
    blame,
  }
}

interface Shown {
  page?: number
  done?: string | undefined
  /** What is shown only once. */
  shown?: Html
  /** A form as it was sent. */
  values?: Fields
  refusal?: Refusal
}

async function nounPage<Who extends Caller, Row>(
  owner: Owner<Who>,
  noun: Noun<Row>,
  who: Who & OnRequest,
  { page = 1, done, shown, values = {}, refusal }: Shown,
): Promise<string> {
  const at = atOf(owner, who)
  const { section, title, word, about, empty } = noun
  const address = sectionAddress(owner, who, section)
  const sent = { values, refusal }
  const mayChange = owner.mayChange?.(who) ?? true
  const rows = await noun.rows(at, page)
  const list = listSection({
    address,
    page: rows,
    noun: word,
    rowOf: (row) => rowOfNoun(noun, row, { address, at, sent: mayChange ? sent : undefined }),
    ...(empty !== undefined && { empty }),
  })
  const main = html`${noticeOf(done, refusal)}
${shown}
${about === undefined ? undefined : html`<p class="quiet-text">${about}</p>`}
${mayChange ? await noun.above?.(at, address) : undefined}
${list}
${
  mayChange
    ? html`${addition(noun, address, sent)}
${await noun.below?.(at, address)}`
    : undefined
}`
  return owner.page(who, { section, title, main })
}

interface Sent {
  values: Fields
  refusal: Refusal | undefined
}

interface RowPlace {
  address: string
  at: At
  /** Absent if the caller may not change the list. */
  sent: Sent | undefined
}

function rowOfNoun<Row>(noun: Noun<Row>, row: Row, { address, at, sent }: RowPlace): Html {
  const name = noun.nameOf(row)
  const href = noun.hrefOf?.(row, address)
  const mark = noun.markOf?.(row) ?? html`<bdi>${name}</bdi>`
  const badges = (noun.badgesOf?.(row) ?? []).map((word) => html` <span class="badge">${word}</span>`)
  return rowOf(
    html`${href === undefined ? mark : html`<a href="${href}">${mark}</a>`}${badges}`,
    noun.factsOf(row),
    html`${noun.rowForms?.(row, address, at)}${sent && rowForms(noun, row, address, sent)}`,
  )
}

function rowForms<Row>(noun: Noun<Row>, row: Row, address: string, sent: Sent): Html {
  const { changed, removed } = noun
  const [key, name] = [noun.keyOf(row), noun.nameOf(row)]
  const isSent = sent.values.action === 'change' && sent.values.key === String(key)
  const change =
    changed &&
    opener(
      changed.text,
      `${changed.text}: ${name}`,
      html`${opened(address, { action: 'change', key })}
${describedFields(changed.fields, { ...(isSent ? sent : { values: changed.valuesOf(row) }), prefix: `${key}-` })}
<button class="small">Save</button></form>`,
      isSent,
    )
  const removal =
    removed &&
    !removed.isKept?.(row) &&
    askedForm({
      address,
      text: removed.text,
      label: `${removed.text} ${name}`,
      question: removed.question(row),
      answer: `${removed.text} the ${noun.word[0]}`,
      fields: { action: 'remove', key },
    })
  return html`${change}${removal || undefined}`
}

function addition<Row>({ added }: Noun<Row>, address: string, sent: Sent): Html | undefined {
  if (!added) return undefined
  const written = sent.values.action === 'add' ? sent : { values: added.initial ?? {} }
  return card('add', added.text)`${opened(address, { action: 'add', ...newFormId() })}
${describedFields(added.fields, written)}
<button>${added.text}</button></form>`
}
