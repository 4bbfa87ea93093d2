import type { Hook } from '../../forge/hooks/hook.shape.ts'
import type { HookType } from '../../forge/webhooks/payload/chats.ts'
import { eventNames } from '../../forge/webhooks/payload/events.ts'
import { unprocessable } from '../../http/route/problem.ts'
import { choice, type Fields, field, tick } from '../form.ts'
import { type Html, html } from '../html.ts'
import { fieldsOf } from '../operations/fields.ts'
import type { Refusal } from '../operations/refusal.ts'

/** The messages about each field of a webhook. */
export const blame = {
  url: /\burl\b/i,
  channel: /channel/,
  branch_filter: /branch_filter/,
  authorization_header: /authorization/,
  name: /\bname\b/,
  secret: /secret/,
}

/** What both forms ask of a webhook. @throws Problem 422 no event is ticked */
function webhookIn(body: Fields) {
  const { name = '', branch_filter = '', url = '', content_type = '', channel = '' } = body
  return {
    name,
    active: body.active === 'on',
    events: eventsIn(body),
    branch_filter,
    config: { url, content_type, ...(channel !== '' && { channel }) },
  }
}

/** The events that are ticked in a form. @throws Problem 422 */
function eventsIn(values: Fields): string[] {
  const ticked = eventNames.filter((name) => values[`event-${name}`] === 'on')
  // The API takes an empty list for `push`.
  if (ticked.length === 0) throw unprocessable('tick at least one event')
  return ticked.map((name) => singleEvents[name] ?? name)
}

/** Why a form without events changes nothing; undefined: it has some. */
export const refusalOfEvents = (values: Fields): Refusal | undefined =>
  eventNames.some((name) => values[`event-${name}`] === 'on')
    ? undefined
    : { sentence: 'tick at least one event.' }

/** Names that the API takes for several events, and its names for the single ones. */
const singleEvents: Readonly<Record<string, string>> = {
  issues: 'issues_only',
  pull_request: 'pull_request_only',
}

/** Events that can be ticked: nothing sends that of a wiki, which stays where a program has asked for it. */
const offeredEvents = (values: Fields) =>
  eventNames.filter((name) => name !== 'wiki' || values['event-wiki'] === 'on')

/** The fields that the forms that create and change a webhook share; `type`: that of one that is changed. */
export function webhookFields(values: Fields, refusal: Refusal | undefined, type = 'slack'): Html {
  const fieldOf = fieldsOf(values, refusal)
  const types = { json: 'JSON', form: 'A form' }
  return html`${field({ ...fieldOf('name'), label: 'Label', isOptional: true })}
${field({ ...fieldOf('url'), label: 'Address', hint: 'Where the messages are sent, with http:// or https://' })}
${choice({ name: 'content_type', label: 'Sent as', value: values.content_type ?? 'json', options: types })}
${type === 'slack' ? field({ ...fieldOf('channel'), label: 'Channel', isOptional: true, hint: 'For Slack only, and required there' }) : undefined}
${field({ ...fieldOf('branch_filter'), label: 'Branches', isOptional: true, hint: 'Whose pushes count, such as {main,release/*}; empty: all' })}
${tick({ name: 'active', label: 'Active', isOn: values.active === 'on' })}
<fieldset class="admin-events"><legend>Events</legend>
${offeredEvents(values).map((name) => tick({ name: `event-${name}`, label: name.replaceAll('_', ' '), isOn: values[`event-${name}`] === 'on' }))}
</fieldset>`
}

/** The fields that only the form of a new one has, after those that it shares. */
export function newSecretFields(refusal: Refusal | undefined): Html {
  const fieldOf = fieldsOf({}, refusal)
  return html`${field({ ...fieldOf('secret'), ...secret, autocomplete: 'new-password', hint: 'Signs each message. It is never shown.' })}
${field({ ...fieldOf('authorization_header'), ...authorization, hint: 'The value of this header. It is never shown.' })}`
}

const typeNames: Readonly<Record<HookType, string>> = {
  gitea: 'JSON, as of Gitea',
  gogs: 'JSON, as of Gogs',
  slack: 'Slack',
  discord: 'Discord',
  dingtalk: 'DingTalk',
  telegram: 'Telegram',
  msteams: 'Microsoft Teams',
  feishu: 'Feishu',
  matrix: 'Matrix',
  wechatwork: 'WeCom',
  packagist: 'Packagist',
}

/** The choice of the form of the messages of a new one. */
export const hookTypeChoice = (values: Fields): Html =>
  choice({
    name: 'type',
    label: 'Form of the messages',
    value: values.type ?? 'gitea',
    options: typeNames,
  })

/** The body of the operation that creates one. @throws Problem 422 no event is ticked */
export function newHookIn(fields: Fields) {
  const { type = '', secret = '', authorization_header = '' } = fields
  const { config, ...draft } = webhookIn(fields)
  return { ...draft, type, authorization_header, config: { ...config, secret } }
}

/** The body of the operation that changes one. @throws Problem 422 no event is ticked */
export function hookChangeIn(fields: Fields) {
  const { config, ...change } = webhookIn(fields)
  const { secret, ...secrets } = secretsIn(fields)
  return { ...change, ...secrets, config: { ...config, ...(secret !== undefined && { secret }) } }
}

/** The form of a webhook before anybody has changed it. */
export const storedHook = ({ name, config, branch_filter, active, events }: Hook): Fields => ({
  name,
  url: config.url ?? '',
  content_type: config.content_type ?? '',
  channel: config.channel ?? '',
  branch_filter,
  ...(active && { active: 'on' }),
  ...Object.fromEntries(events.map((event) => [`event-${event}`, 'on'])),
})

/** The form of a new one. */
export const newHook: Fields = { active: 'on', 'event-push': 'on' }

const secret = { label: 'Secret', type: 'password', isOptional: true } as const
const authorization = { label: 'Authorization', isOptional: true } as const

/** The secrets of a webhook, which are never shown: an empty field changes nothing. */
export function secretFields(refusal: Refusal | undefined): Html {
  const fieldOf = fieldsOf({}, refusal)
  const stays = 'It is never shown; if empty, it stays as it is.'
  return html`${field({ ...fieldOf('secret'), ...secret, autocomplete: 'new-password', hint: `A new one, which signs each message. ${stays}` })}
${tick({ name: 'remove_secret', label: 'Remove the secret', isOn: false })}
${field({ ...fieldOf('authorization_header'), ...authorization, hint: `The value of this header. ${stays}` })}
${tick({ name: 'remove_authorization', label: 'Remove the Authorization', isOn: false })}`
}

/** What the fields ask of the secrets of a webhook; undefined: it stays. */
function secretsIn({ secret, authorization_header: header, ...body }: Fields) {
  const changeOf = (value: string | undefined, isRemoved: boolean) => value || (isRemoved ? '' : undefined)
  return {
    secret: changeOf(secret, body.remove_secret === 'on'),
    authorization_header: changeOf(header, body.remove_authorization === 'on'),
  }
}

/** How many events a list names. */
const named = 3

/** Where a webhook of a list sends what: its own page has all events. */
export function hookFacts({ name, config, events }: Pick<Hook, 'name' | 'config' | 'events'>): string {
  const more = events.length - named
  const what = [...events.slice(0, named), ...(more > 0 ? [`and ${more} more`] : [])].join(', ')
  return `${name === '' ? '' : `${config.url ?? ''} · `}${what || 'no events'}`
}
