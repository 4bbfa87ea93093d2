import { encode } from 'uqr'
import { encodeBase32 } from '../../forge/auth/base32.ts'
import { otpauthUrl } from '../../forge/auth/totp.ts'
import { field, hiddenFields } from '../form.ts'
import { counted, type Html, html } from '../html.ts'
import { card } from '../layout.ts'
import { type FormState, type SettingsContext, sentField } from './form-reply.ts'
import { proofFields } from './proof.ts'
import { settingsPage } from './settings-page.ts'

const section = 'settings/codes'

/** A secret to enrol with, how many recovery codes are left, or new ones. */
type Content = { secret: Buffer } | { left: number } | { codes: readonly string[] }

/** The page about one-time codes. */
export function codesPage(context: SettingsContext, { faults, isDone }: FormState, content: Content): string {
  // Passwords and codes are not sent back.
  const state = { values: {}, faults, isDone }
  const main =
    'codes' in content
      ? newCodes(content.codes, context.from.host)
      : 'left' in content
        ? enrolled(context, state, content.left)
        : enrolment(context, state, content.secret)
  const done =
    'codes' in content
      ? 'Keep these recovery codes: they are shown only now. Other browsers are signed out where the codes are new to you.'
      : 'You sign in without one-time codes from now on. Other browsers are signed out.'
  return settingsPage(context, { section, state, done, main })
}

function enrolment({ caller, from: { host } }: SettingsContext, state: FormState, secret: Buffer): Html {
  const text = encodeBase32(secret)
  const address = otpauthUrl('Forgehall', caller.me.name, secret)
  return html`<form class="card" method="post" action="${host}${section}">
${hiddenFields({ action: 'enrol', secret: text })}
<p>With one-time codes nobody signs in with your password alone. An authenticator app on your phone shows the codes.</p>
<ol class="steps">
<li>Scan this picture with the app, <a href="${address}">open the app here</a>, or give it the secret:
${qrPicture(address)}
<p><code class="secret">${text.replace(/.{4}(?=.)/g, '$& ')}</code></p></li>
<li>Write the code that the app shows.</li>
</ol>
${field({ label: 'Code from the app', autocomplete: 'one-time-code', ...sentField(state, 'code') })}
${proofFields(caller, state)}
<button>Turn on one-time codes</button>
</form>
<p class="meta">You stay signed in here; all other browsers are signed out. Access tokens need no codes.</p>`
}

/** Dark on light in both colour schemes, with the quiet zone that readers need. */
function qrPicture(text: string): Html {
  const { data, size } = encode(text, { ecc: 'M', border: 4 })
  const runs = data.flatMap((line, row) =>
    [
      ...line
        .map((isDark) => (isDark ? '1' : '0'))
        .join('')
        .matchAll(/1+/g),
    ].map(({ index, 0: { length } }) => `M${index} ${row}h${length}v1h-${length}z`),
  )
  return html`<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label="QR code of the secret" shape-rendering="crispEdges">
<rect width="${size}" height="${size}" fill="#fff"/><path d="${runs.join('')}" fill="#000"/></svg>`
}

function enrolled({ caller, from: { host } }: SettingsContext, state: FormState, left: number): Html {
  return card(
    'state',
    'One-time codes are on',
  )`<p>Signing in takes your password and a code from your app. ${counted(left, 'recovery code')} ${left === 1 ? 'is' : 'are'} left
for when you have lost the app; each works once, in the place of a code.</p>
<form method="post" action="${host}${section}">
${proofFields(caller, state)}
<div class="actions"><button name="action" value="renew">Make new recovery codes</button>
<button class="quiet" name="action" value="disable">Turn off one-time codes</button></div>
</form>`
}

const newCodes = (codes: readonly string[], host: string): Html => card(
  'codes',
  'Your recovery codes',
)`<p>Each of them works once, in the place of a one-time code, when you have lost your app. Earlier ones work no more.</p>
<ul class="secrets">${codes.map((code) => html`<li><code>${code}</code></li>`)}</ul>
<p class="actions"><a class="button" href="${host}${section}">I have kept them</a></p>`
