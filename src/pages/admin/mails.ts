import { Mail } from '../../forge/admin/mail.shape.ts'
import { adminDeleteMail, adminListMails, adminRetryMail } from '../../forge/admin/mails.ts'
import { queryChoice } from '../../forge/protocol/query.ts'
import { askedForm, buttonForm, choice } from '../form.ts'
import { counted, type Html, html, timeOf, withoutEmpty } from '../html.ts'
import { listQuery, listSection, pageAt, rowOf } from '../list.ts'
import { perform, readPage } from '../operations/perform.ts'
import { type PageTools, route } from '../route.ts'
import { type Administrator, adminAddress } from './administrator.ts'
import { filterForm } from './fields.ts'
import { adminPage, type Shown } from './frame.ts'
import { adminForm, adminReply, replyTo } from './reply.ts'

const states = { '': 'All that were not sent', failed: 'Given up', waiting: 'Waiting' } as const

export const getAdminMailsPage = route('GET /-/admin/mails', {
  ...adminReply,
  summary: 'Mails that wait or were given up, newest first, as a page',
  query: { ...listQuery, state: queryChoice(...Object.keys(states)) },
  handler: ({ caller, query, tools }) => mailsPage(caller, tools, { ...query, done: notices[query.done] }),
})

const notices: Readonly<Record<string, string>> = {
  retried: 'The mail is sent now.',
  deleted: 'The mail was deleted.',
}

export const retryMailByPage = route('POST /-/admin/mails/{id}/retry', {
  ...adminForm,
  summary: 'Try a mail again now',
  handler: ({ caller, params, tools }) =>
    replyWith(caller, tools, 'retried', perform(caller, adminRetryMail, { params })),
})

export const deleteMailByPage = route('POST /-/admin/mails/{id}/delete', {
  ...adminForm,
  summary: 'Delete a mail that was not sent',
  handler: ({ caller, params, tools }) =>
    replyWith(caller, tools, 'deleted', perform(caller, adminDeleteMail, { params })),
})

/** `done`: the notice of the list to which a form leads. */
const replyWith = (caller: Administrator, tools: PageTools, done: string, work: Promise<unknown>) =>
  replyTo(caller, work, {
    path: `mails?done=${done}`,
    again: (refusal) => mailsPage(caller, tools, { refusal }),
  })

interface MailsShown extends Shown {
  state?: string
}

async function mailsPage(
  caller: Administrator,
  { sendsMail }: Pick<PageTools, 'sendsMail'>,
  { page: at = 1, state = '', ...outcome }: MailsShown,
): Promise<string> {
  const selection = withoutEmpty({ state })
  const page = await readPage(caller, adminListMails, Mail, { query: { ...selection, ...pageAt(at) } })
  const address = adminAddress(caller, 'mails')
  const main = html`${sendsMail ? undefined : html`<p class="notice">This server sends no mails: <code>MAIL_URL</code> is not set.</p>`}
${filterForm(address, choice({ name: 'state', label: 'State', value: state, options: states }))}
${listSection({
  address,
  selection,
  page,
  noun: ['mail'],
  rowOf: (mail) => rowOfMail(address, mail),
  empty: 'No mails wait: all were sent.',
})}`
  return adminPage({ caller, title: 'Mails', section: 'mails', main, ...outcome })
}

/** What mails are about, by their kind. */
const subjects: Readonly<Record<string, string>> = {
  account_made: 'A new account',
  password_forgotten: 'A link to set a new password',
  address_added: 'A link that confirms an address',
  release: 'News of a release',
  credentials_changed: 'Word of a changed password, code, key or token',
  activity: 'Notifications',
}

function rowOfMail(address: string, { id, kind, recipient, state, attempts, error, ...times }: Mail): Html {
  const subject = subjects[kind] ?? kind
  const next = times.next_attempt === null ? undefined : html` · next attempt ${timeOf(times.next_attempt)}`
  const about = `${subject} to ${recipient}`
  return rowOf(
    html`${subject} to <bdi>${recipient}</bdi>${state === 'failed' ? html` <span class="badge">given up</span>` : undefined}`,
    html`written ${timeOf(times.created_at)} · ${counted(attempts, 'attempt')}${next}`,
    html`${buttonForm(`${address}/${id}/retry`, 'Try again', `Try again: ${about}`)}
${askedForm({
  address: `${address}/${id}/delete`,
  text: 'Delete',
  label: `Delete: ${about}`,
  question: 'The recipient never gets this mail.',
  answer: 'Delete it',
})}`,
    error,
  )
}
