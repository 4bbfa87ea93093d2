import { hookTypes } from '../../forge/webhooks/payload/chats.ts'
import { eventNames } from '../../forge/webhooks/payload/events.ts'
import { field } from '../form.ts'
import { type Html, html } from '../html.ts'
import { choice, tick } from './fields.ts'
import { adminPage } from './frame.ts'
import type { Administrator } from './operation.ts'
import type { Refusal } from './refusal.ts'
import type { Fields } from './reply.ts'

/** Which words of a refusal are about which field of a webhook. */
export const blame = {
  url: /\burl\b/i,
  channel: /channel/,
  branch_filter: /branch_filter/,
  authorization_header: /authorization/,
  name: /\bname\b/,
  secret: /secret/,
}

/** The events that are ticked in a form; as nobody is to be sent a push by mistake, none means none. */
export function eventsIn(values: Fields): string[] {
  const ticked = eventNames.filter((name) => values[`event-${name}`] === 'on')
  // An empty list would mean `push`; a name that there is not stands for no event.
  return ticked.length > 0 ? ticked.map((name) => alone[name] ?? name) : ['none']
}

/** Names that would stand for several events, and those for the one. */
const alone: Readonly<Record<string, string>> = { issues: 'issues_only', pull_request: 'pull_request_only' }

/** The fields that a webhook has from its creation on, for all of its life. */
export function webhookFields(values: Fields, refusal: Refusal | undefined): Html {
  const own = (name: string) => {
    const fault = refusal?.field === name ? refusal.sentence : undefined
    return { name, value: values[name], fault, hasFocus: fault !== undefined, autocomplete: 'off' }
  }
  const types = { json: 'JSON', form: 'A form' }
  return html`${field({ ...own('name'), label: 'Label', isOptional: true })}
${field({ ...own('url'), label: 'Address', hint: 'Where the messages are sent, with http:// or https://' })}
${choice({ name: 'content_type', label: 'Sent as', value: values.content_type ?? 'json', options: types })}
${field({ ...own('channel'), label: 'Channel', isOptional: true, hint: 'For Slack only, and required there' })}
${field({ ...own('branch_filter'), label: 'Branches', isOptional: true, hint: 'Whose pushes count, such as {main,release/*}; empty: all' })}
${field({ ...own('authorization_header'), value: '', label: 'Authorization', isOptional: true, hint: 'The value of this header. It is never shown; whoever saves the form without it removes it.' })}
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
  const secret = refusal?.field === 'secret' ? refusal.sentence : undefined
  const main = html`<form class="card admin-form" method="post" action="${host}-/admin/new/webhook">
${choice({ name: 'scope', label: 'For', value: values.scope ?? 'system', options: scopes })}
${choice({ name: 'type', label: 'Form of the messages', value: values.type ?? 'gitea', options: types })}
${field({ name: 'secret', label: 'Secret', type: 'password', autocomplete: 'new-password', isOptional: true, fault: secret, hint: 'Signs each message. It is never shown, and stays as it is.' })}
${webhookFields(values, refusal)}
<button>Create the webhook</button>
</form>`
  return adminPage({ caller, title: 'Create a webhook', section: 'webhooks', main, refusal })
}
