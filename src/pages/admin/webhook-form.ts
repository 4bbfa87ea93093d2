import { hookTypes } from '../../forge/webhooks/payload/chats.ts'
import { eventNames } from '../../forge/webhooks/payload/events.ts'
import { choice, type Fields, field, tick } from '../form.ts'
import { type Html, html } from '../html.ts'
import { fieldsOf } from './fields.ts'
import { adminPage } from './frame.ts'
import type { Administrator } from './operation.ts'
import type { Refusal } from './refusal.ts'

/** The messages about each field of a webhook. */
export const blame = {
  url: /\burl\b/i,
  channel: /channel/,
  branch_filter: /branch_filter/,
  authorization_header: /authorization/,
  name: /\bname\b/,
  secret: /secret/,
}

/** The events that are ticked in a form. */
export function eventsIn(values: Fields): string[] {
  const ticked = eventNames.filter((name) => values[`event-${name}`] === 'on')
  // The API takes an empty list for `push`; `none` is the name of no event.
  return ticked.length > 0 ? ticked.map((name) => singleEvents[name] ?? name) : ['none']
}

/** Names that the API takes for several events, and its names for the single ones. */
const singleEvents: Readonly<Record<string, string>> = {
  issues: 'issues_only',
  pull_request: 'pull_request_only',
}

/** The fields that the forms that create and change a webhook share. */
export function webhookFields(values: Fields, refusal: Refusal | undefined): Html {
  const fieldOf = fieldsOf(values, refusal)
  const types = { json: 'JSON', form: 'A form' }
  return html`${field({ ...fieldOf('name'), label: 'Label', isOptional: true })}
${field({ ...fieldOf('url'), label: 'Address', hint: 'Where the messages are sent, with http:// or https://' })}
${choice({ name: 'content_type', label: 'Sent as', value: values.content_type ?? 'json', options: types })}
${field({ ...fieldOf('channel'), label: 'Channel', isOptional: true, hint: 'For Slack only, and required there' })}
${field({ ...fieldOf('branch_filter'), label: 'Branches', isOptional: true, hint: 'Whose pushes count, such as {main,release/*}; empty: all' })}
${field({ ...fieldOf('authorization_header'), value: '', label: 'Authorization', isOptional: true, hint: 'The value of this header. It is never shown; whoever saves the form without it removes it.' })}
${tick({ name: 'active', label: 'Active', isOn: values.active === 'on' })}
<fieldset class="admin-events"><legend>Events</legend>
${eventNames.map((name) => tick({ name: `event-${name}`, label: name.replaceAll('_', ' '), isOn: values[`event-${name}`] === 'on' }))}
</fieldset>`
}

/** The page that creates a webhook. */
export function newWebhookPage(caller: Administrator, values: Fields, refusal?: Refusal): string {
  const { host } = caller.request.from
  const scopes = { system: 'All events of the site', default: 'New repositories, each with a copy' }
  const types = Object.fromEntries(hookTypes.map((type) => [type, type]))
  const secret = fieldsOf({}, refusal)('secret')
  const main = html`<form class="card admin-form" method="post" action="${host}-/admin/new/webhook">
${choice({ name: 'scope', label: 'For', value: values.scope ?? 'system', options: scopes })}
${choice({ name: 'type', label: 'Form of the messages', value: values.type ?? 'gitea', options: types })}
${field({ ...secret, label: 'Secret', type: 'password', autocomplete: 'new-password', isOptional: true, hint: 'Signs each message. It is never shown, and stays as it is.' })}
${webhookFields(values, refusal)}
<button>Create the webhook</button>
</form>`
  return adminPage({ caller, title: 'Create a webhook', section: 'webhooks', main, refusal })
}
