import type * as v from 'valibot'
import { badRequest, unprocessable } from '../../http/route/problem.ts'
import { aFlag, option, someFlag, someMap, someText, someTexts, text } from '../protocol/fields.ts'
import { maxSize, type Rule, required, sayBroken, url } from '../protocol/rules.ts'
import { meantAddress } from './delivery/hook-address.ts'
import { type ChatOptions, type HookType, hookTypes } from './payload/chats.ts'
import { isBranchFilter } from './payload/events.ts'

const glob: Rule = { word: 'GlobPattern', holds: isBranchFilter }

/** What a header may hold (RFC 9110, section 5.5), and Node's client can send. */
const fieldValue: Rule = { word: 'HeaderValue', holds: (value) => /^[\t\x20-\x7e\x80-\xff]*$/.test(value) }

const longestFilter = maxSize(1024)
const longestHeader = maxSize(4096)

/** CreateHookOption of the specification. */
export const CreateHookOption = option({
  type: text(required),
  config: someMap(),
  events: someTexts(),
  branch_filter: text(longestFilter, glob),
  authorization_header: text(longestHeader, fieldValue),
  active: aFlag(),
  name: text(maxSize(255)),
})

/**
 * EditHookOption of the specification. Of `events`, `branch_filter` and `authorization_header` what is not given is
 * reset, as clients of the original know it; the rest stays.
 */
export const EditHookOption = option({
  config: someMap(),
  events: someTexts(),
  branch_filter: text(longestFilter, glob),
  authorization_header: text(longestHeader, fieldValue),
  active: someFlag(),
  name: someText(maxSize(255)),
})

type Config = Readonly<Record<string, string>>

/** Where a hook sends, and how its messages look. */
export interface HookTarget {
  url: string
  contentType: 'json' | 'form'
  options: ChatOptions
}

/** What the `config` of a new hook says, checked in the order of the reference. @throws Problem 400, 422 */
export function readConfig(
  given: v.InferOutput<typeof CreateHookOption>,
): HookTarget & { type: HookType; secret: string; system: boolean } {
  if (!given.config) throw unprocessable(sayBroken('Config', 'Required'))
  const config = bounded(given.config)
  const type = hookTypes.find((each) => each === given.type)
  if (!type) throw unprocessable(`Invalid hook type: ${given.type}`)
  for (const name of ['url', 'content_type'])
    if (config[name] === undefined) throw unprocessable(`Missing config option: ${name}`)
  const contentType = contentTypeOf(config.content_type)
  const address = webAddress(config.url)
  const system = isSystem(config.is_system_webhook)
  if (type === 'slack' && config.channel === undefined) throw unprocessable('Missing config option: channel')
  const options = lookOf(type, config)
  return { type, url: address, contentType, options, secret: config.secret ?? '', system }
}

/** What an edit makes of the target of a hook; what its `config` does not hold stays. @throws Problem 400, 422 */
export function changedTarget(hook: HookTarget & { type: HookType }, given: Config): HookTarget {
  const config = bounded(given)
  return {
    url: config.url === undefined ? hook.url : webAddress(config.url, hook.url),
    contentType: config.content_type === undefined ? hook.contentType : contentTypeOf(config.content_type),
    options: { ...hook.options, ...lookOf(hook.type, config) },
  }
}

/** Characters of one value; a delivery repeats most of them. */
const longestValue = 4096

/** Only what we read: the rest of a `config` is nobody's. */
const readable = [
  'url',
  'content_type',
  'secret',
  'is_system_webhook',
  'channel',
  'username',
  'icon_url',
  'color',
]

function bounded(config: Config): Config {
  const long = readable.find((name) => (config[name] ?? '').length > longestValue)
  if (long !== undefined) throw unprocessable(`Config option is too long: ${long}`)
  return config
}

function contentTypeOf(value: string | undefined): 'json' | 'form' {
  if (value === 'json' || value === 'form') return value
  throw unprocessable('Invalid content type')
}

/** Where it leads is judged when something is sent (`forge/webhooks/delivery/guarded-agent.ts`). @throws Problem 422 */
function webAddress(value = '', before?: string): string {
  const address = value !== '' && url.holds(value) ? meantAddress(value, before) : undefined
  if (address === undefined) throw unprocessable('Invalid url')
  return address
}

const yes = ['1', 't', 'T', 'true', 'TRUE', 'True']
const no = ['', '0', 'f', 'F', 'false', 'FALSE', 'False']

function isSystem(value = ''): boolean {
  if (yes.includes(value)) return true
  if (no.includes(value)) return false
  throw unprocessable('Invalid is_system_webhook value')
}

/** Slack's rules on names of channels, or the id of one. */
const channelForm = /^#?(?:[a-z0-9_-]{1,80}|[A-Z0-9]{9,21})$/

/** What each chat has a use for; the original takes it for Slack only. */
const looks: Partial<Record<HookType, readonly (keyof ChatOptions)[]>> = {
  slack: ['channel', 'username', 'icon_url', 'color'],
  discord: ['username', 'icon_url'],
}

function lookOf(type: HookType, config: Config): ChatOptions {
  const { channel } = config
  if (type === 'slack' && channel !== undefined && !channelForm.test(channel.trim()))
    throw badRequest('Invalid slack channel name')
  const given = (looks[type] ?? []).filter((name) => config[name] !== undefined)
  return Object.fromEntries(given.map((name) => [name, config[name]?.trim()]))
}
