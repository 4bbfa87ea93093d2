import * as v from 'valibot'
import { confirmAddress, endMails, linkOwner } from '../../forge/letters/links.ts'
import { ReplyWith } from '../../http/route/results.ts'
import { textAs } from '../../http/route/sends.ts'
import { hiddenFields } from '../form.ts'
import { type Html, html } from '../html.ts'
import { formReply, htmlType } from '../profile.ts'
import { publicPage, route } from '../route.ts'
import { narrow } from './narrow.ts'
import { sending } from './sign-in.ts'

// What the links of mails lead to. Programs that look at mails open links: only a form changes something.

const shown = {
  returns: textAs(200, htmlType),
  access: publicPage,
  query: { link: v.optional(v.unknown()) },
  also: [404],
} as const

const { access, body, alwaysValid } = sending
/** A form that other sites cannot send. */
const ownForm = { access, body, alwaysValid } as const

export const getConfirmAddressPage = route('GET /settings/emails/confirm', {
  ...shown,
  summary: 'The form behind a link that confirms an e-mail address',
  handler: async ({ sql, now, query, from: { host } }) => {
    const secret = secretIn(query)
    const owner = await linkOwner(sql, 'confirm', { secret, now })
    if (!owner) return ended(host)
    const { address, account } = owner
    const text = html`<p>Do you confirm that <strong>${address}</strong> belongs to the account <strong>${account.name}</strong>?</p>`
    return inCard(
      host,
      'Confirm an address',
      html`${text}${form(host, { path: 'confirm', secret, button: 'Confirm' })}`,
    )
  },
})

export const confirmAddressByLink = route('POST /settings/emails/confirm', {
  ...shown,
  ...ownForm,
  summary: 'Confirm an e-mail address by the link of a mail',
  handler: async ({ begin, body, query, from: { host } }) =>
    (await begin((tx) => confirmAddress(tx, body.link ?? secretIn(query))))
      ? inCard(host, 'Confirmed', html`<p role="status">The address is confirmed.</p>`)
      : ended(host),
})

export const getUnsubscribePage = route('GET /settings/emails/unsubscribe', {
  ...shown,
  summary: 'The form behind a link that ends mails of notifications',
  handler: async ({ sql, now, query, from: { host } }) => {
    const secret = secretIn(query)
    const owner = await linkOwner(sql, 'unsubscribe', { secret, now })
    if (!owner) return ended(host)
    const text = html`<p>No more mails of notifications for <strong>${owner.account.name}</strong>?</p>`
    return inCard(
      host,
      'End mails',
      html`${text}${form(host, { path: 'unsubscribe', secret, button: 'End them' })}`,
    )
  },
})

/** The secret in the link is the credential, and programs send it, so a form of any origin is taken (RFC 8058, section 3.2). */
export const unsubscribeByLink = route('POST /settings/emails/unsubscribe', {
  ...shown,
  body: formReply.body,
  alwaysValid: true,
  summary: 'End mails of notifications by the link of one (RFC 8058)',
  handler: async ({ begin, body, query, from: { host } }) =>
    (await begin((tx) => endMails(tx, body.link ?? secretIn(query))))
      ? inCard(
          host,
          'No more mails',
          html`<p role="status">You get no more mails of notifications. The settings turn them on again.</p>`,
        )
      : ended(host),
})

const secretIn = ({ link }: { link?: unknown }) => (typeof link === 'string' ? link : '')

const form = (
  host: string,
  { path, secret, button }: { path: string; secret: string; button: string },
): Html =>
  html`<form method="post" action="${host}settings/emails/${path}">
${hiddenFields({ link: secret })}
<button>${button}</button>
</form>`

/** A page with one card. */
const inCard = (host: string, title: string, content: Html) =>
  narrow(host, title, html`<div class="card">${content}</div>`)

const ended = (host: string) =>
  new ReplyWith(
    inCard(host, 'This link has ended', html`<p>It was used, has expired, or belongs to nothing.</p>`),
    {
      status: 404,
    },
  )
