import { type Fields, hiddenFields } from '../form.ts'
import { type Html, html } from '../html.ts'
import { card, page } from '../layout.ts'
import { addressOf, returnPath } from '../session/return-path.ts'

// A form that is sent after the end of a session waits in the sign-in page, and is shown again after the sign-in.

/** A form that waits: the path that it was sent to, and its fields. */
export interface KeptForm {
  path: string
  fields: Fields
}

/** Bounds of such a form: fields, and bytes as browsers send it, so that the sign-in stays below `BODY_LIMIT`. */
const maximum = { fields: 50, bytes: 900_000 }

/** The form as it can wait; undefined: it is too large, has a password, or was sent to no path of this server. */
export function keepable(sentTo: unknown, fields: Fields, host: string): KeptForm | undefined {
  const path = returnPath(sentTo, host)
  const names = Object.keys(fields)
  if (path === undefined || names.length > maximum.fields) return undefined
  if (names.some((name) => /passw/i.test(name))) return undefined
  return new URLSearchParams(fields).toString().length > maximum.bytes ? undefined : { path, fields }
}

/** Begins the names of the fields of a form that waits, among those of the sign-in. */
const prefix = 'kept.'

/** The form as hidden fields of the sign-in. */
export const keptInputs = ({ path, fields }: KeptForm): Html =>
  hiddenFields({
    kept_path: path,
    ...Object.fromEntries(Object.entries(fields).map(([name, value]) => [prefix + name, value])),
  })

/** The form that waits in the fields of a sign-in. */
export function keptIn(body: Fields, host: string): KeptForm | undefined {
  if (body.kept_path === undefined) return undefined
  const fields = Object.entries(body).filter(([name]) => name.startsWith(prefix))
  const named = fields.map(([name, value]) => [name.slice(prefix.length), value])
  return keepable(body.kept_path, Object.fromEntries(named), host)
}

/** Fields that nobody writes into. */
const technical = new Set(['form_token', 'form_id', 'version', 'upload'])

/** The page after the sign-in, on which the form is sent; `formToken`: that of the new session. */
export function sendAgainPage(host: string, { path, fields }: KeptForm, formToken: string): string {
  const isOurs = fields.form_token !== undefined
  const sent = { ...fields, ...(isOurs && { form_token: formToken }) }
  const written = Object.entries(fields).filter(([name, value]) => value !== '' && !technical.has(name))
  const heading = 'You are signed in again'
  // A file does not wait: the form is one in which it is chosen again.
  const [sentence, label] =
    fields.upload === undefined
      ? ['What you wrote is below: send it with the button.', 'Send it now']
      : ['What you wrote is below. The picture could not wait: choose it again on the next page.', 'Go on']
  const main = html`<h1>${heading}</h1>
<div class="card"><p>Nothing has been sent yet. ${sentence}</p>
<form class="actions" method="post" action="${addressOf(path, host)}">
${hiddenFields(sent)}<button autofocus>${label}</button></form></div>
${card('written', 'What you wrote')`${written.map(([name, value]) => html`<h3>${labelOf(name)}</h3><pre class="wrapped" dir="auto" tabindex="0">${value}</pre>`)}`}`
  return page({ host, caller: 'unknown', title: heading, main })
}

/** The label of a field: `publish_at` is "Publish at". */
const labelOf = (name: string) => name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ')
