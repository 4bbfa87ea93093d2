import { parseAddress } from '../../forge/accounts/email-address.ts'
import { ReplyWith } from '../../http/route/results.ts'
import { textAs } from '../../http/route/sends.ts'
import { insertMail } from '../../mail/mail-store.ts'
import { field } from '../form.ts'
import { html } from '../html.ts'
import { htmlType } from '../profile.ts'
import { publicPage, route } from '../route.ts'
import { narrow } from './narrow.ts'
import { sending } from './sign-in.ts'

// A forgotten password: whoever reads the mail of an account chooses another one.

export const getForgottenPage = route('GET /login/forgotten', {
  returns: textAs(200, htmlType),
  summary: 'The form for who has forgotten a password',
  access: publicPage,
  handler: async ({ tools, from: { host } }) => (tools.sendsMail ? formPage(host) : noMailPage(host)),
})

export const sendForgotten = route('POST /login/forgotten', {
  ...sending,
  returns: textAs(200, htmlType),
  summary: 'Send a link to a new password, if an account has the address',
  also: [404, 422],
  handler: async ({ begin, body, now, tools, from: { host, network } }) => {
    if (!tools.sendsMail) return new ReplyWith(noMailPage(host), { status: 404 })
    const typed = body.address ?? ''
    const address = parseAddress(typed.trim())
    if (!address.ok) return new ReplyWith(formPage(host, typed), { status: 422 })
    // Whether there is such an account is found out later, so that neither the answer nor its time tells it.
    const recipient = address.value.key
    const request = `${network} ${recipient}`
    // The sixth mail would wait where there is an account, and only there: a client could measure that by asking often.
    if (tools.forgotten.wait(request, now) === 0) {
      tools.forgotten.add(request, now)
      await begin((tx) => insertMail(tx, { kind: 'password_forgotten', recipient }))
    }
    return sentPage(host, typed.trim())
  },
})

/** `typed`: what was sent and is no address. */
const formPage = (host: string, typed?: string): string =>
  narrow(
    host,
    'Forgotten password',
    html`<p class="quiet-text">You get a link to a new password by mail.</p>
<form class="card" method="post" action="${host}login/forgotten">
${field({ name: 'address', label: 'Your e-mail address', type: 'email', autocomplete: 'email', hasFocus: true, value: typed, fault: typed === undefined ? undefined : 'This is not an e-mail address.' })}
<button>Send the link</button>
</form>`,
  )

const sentPage = (host: string, typed: string): string =>
  narrow(
    host,
    'Look into your mail',
    html`<div class="card" role="status"><p>If an account has the address <strong>${typed}</strong>, a link to a new password is on
its way there. It works once, within an hour. If none arrives, look among unwanted mail, or ask an administrator.</p>
<p class="actions"><a class="button" href="${host}login">Sign in</a></p></div>`,
  )

const noMailPage = (host: string): string =>
  narrow(
    host,
    'Forgotten password',
    html`<div class="card"><p>This server sends no mail. An administrator can make a link with which you choose a new password.</p>
<p class="actions"><a class="button" href="${host}login">Sign in</a></p></div>`,
  )
