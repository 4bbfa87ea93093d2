import type * as v from 'valibot'
import { REQUIRED } from '../../http/openapi/schema.ts'
import { badRequest, unprocessable } from '../../http/route/problem.ts'
import {
  describedField,
  flag,
  option,
  optionalFlag,
  optionalMap,
  optionalText,
  optionalTexts,
  text,
} from '../protocol/fields.ts'
import { maxSize, type Rule, required, url, validationMessage } from '../protocol/rules.ts'
import { unmaskAddress } from '../webhooks/delivery/hook-address.ts'
import type { StoredHook } from '../webhooks/hook-store.ts'
import { type ChatOptions, type HookType, hookTypes, isChat } from '../webhooks/payload/chats.ts'
import { isBranchFilter } from '../webhooks/payload/events.ts'

const glob: Rule = { word: 'GlobPattern', holds: isBranchFilter }

/** What a header value may contain (RFC 9110, section 5.5) and Node's client can send. */
const fieldValue: Rule = { word: 'HeaderValue', holds: (value) => /^[\t\x20-\x7e\x80-\xff]*$/.test(value) }

const filterSize = maxSize(1024)
const headerSize = maxSize(4096)

/** CreateHookOption of the specification. */
export const CreateHookOption = option('CreateHookOption', {
  type: describedField(
    text(required),
    'Form of the message: `gitea`, or a chat such as `slack` or `discord`',
  ),
  config: describedField(
    optionalMap(REQUIRED), // the handler says which of its members are absent
    '`url` and `content_type` (`json` or `form`), both required; `secret`, which signs the body; `http_method` (`POST` or `GET`); for Slack and Discord also `channel`, `username`, `icon_url`, `color`. For webhooks of the site `is_system_webhook`: `"true"` for all events, else the webhook is a default one, which is copied into new repositories and listed by `type=default` only',
  ),
  events: describedField(optionalTexts(), 'Names such as `push` or `issues`; absent or empty: `push`'),
  branch_filter: describedField(
    text(filterSize, glob),
    'Glob of branches whose pushes count, such as `{main,release/*}`; empty: all',
  ),
  authorization_header: describedField(
    text(headerSize, fieldValue),
    'Value of the header `Authorization` that is sent along; no answer shows it',
  ),
  active: describedField(flag(), 'Whether the server sends it anything; absent: `false`'),
  name: describedField(text(maxSize(255)), 'A label for people'),
})

/**
 * EditHookOption of the specification. What is absent or null stays: no answer shows the header and the secret, so who
 * writes back what was read would lose them. An empty text removes.
 */
export const EditHookOption = option('EditHookOption', {
  config: describedField(
    optionalMap(),
    'As for a new hook; what is absent stays, and an empty `secret` removes it',
  ),
  events: describedField(optionalTexts(), 'Empty: `push`; absent: those that it has'),
  branch_filter: describedField(
    optionalText(filterSize, glob),
    'Glob of branches whose pushes count; empty: all; absent: stays',
  ),
  authorization_header: describedField(
    optionalText(headerSize, fieldValue),
    'Value of the header `Authorization` that is sent along; empty: none; absent: stays',
  ),
  active: optionalFlag(),
  name: optionalText(maxSize(255)),
})

type Config = Readonly<Record<string, string>>

/** Where and how a hook sends its requests, and the appearance of its chat messages. */
type HookTarget = Pick<StoredHook, 'url' | 'content_type' | 'method' | 'options'>

/** Reads the `config` of a new hook, with checks in the order of the specification. @throws Problem 400, 422 */
export function readConfig(
  input: v.InferOutput<typeof CreateHookOption>,
): HookTarget & { type: HookType; secret: string; system: boolean | undefined } {
  if (!input.config) throw unprocessable(validationMessage('Config', 'Required'))
  const config = limitLengths(input.config)
  const type = hookTypes.find((each) => each === input.type)
  if (!type) throw unprocessable(`Invalid hook type: ${input.type}`)
  for (const name of ['url', 'content_type'])
    if (config[name] === undefined) throw unprocessable(`Missing config option: ${name}`)
  const content_type = contentTypeOf(config.content_type)
  const address = parseAddress(config.url)
  const system = isSystem(config.is_system_webhook)
  if (type === 'slack' && config.channel === undefined) throw unprocessable('Missing config option: channel')
  const options = chatOptionsOf(type, config)
  const method = methodOf(type, config.http_method)
  return { type, url: address, content_type, method, options, secret: config.secret ?? '', system }
}

/**
 * Applies the `config` of an edit to the target of a hook; absent options keep their value. `secret` and `system` are
 * undefined if absent.
 * @throws Problem 400, 422
 */
export function readEdit(hook: HookTarget & { type: HookType }, input: Config) {
  const config = limitLengths(input)
  const target: HookTarget = {
    url: config.url === undefined ? hook.url : parseAddress(config.url, hook.url),
    content_type: config.content_type === undefined ? hook.content_type : contentTypeOf(config.content_type),
    method: config.http_method === undefined ? hook.method : methodOf(hook.type, config.http_method),
    options: { ...hook.options, ...chatOptionsOf(hook.type, config) },
  }
  return { target, secret: config.secret, system: isSystem(config.is_system_webhook) }
}

/** Maximum length of one value, in characters; each delivery repeats most of them. */
const maxValueLength = 4096

/** The options that we read; all others are ignored. */
const knownNames = [
  'url',
  'content_type',
  'http_method',
  'secret',
  'is_system_webhook',
  'channel',
  'username',
  'icon_url',
  'color',
]

function limitLengths(config: Config): Config {
  const tooLong = knownNames.find((name) => (config[name] ?? '').length > maxValueLength)
  if (tooLong !== undefined) throw unprocessable(`Config option is too long: ${tooLong}`)
  return config
}

function contentTypeOf(value: string | undefined): 'json' | 'form' {
  if (value === 'json' || value === 'form') return value
  throw unprocessable('Invalid content type')
}

/** Chats have methods of their own. @throws Problem 422 */
function methodOf(type: HookType, value = 'POST'): StoredHook['method'] {
  const method = value.toUpperCase()
  if (method === 'POST' || value === '') return 'POST'
  if (method === 'GET' && !isChat(type)) return 'GET'
  throw unprocessable(`Invalid http_method: ${value}`)
}

/** The host is checked when something is sent (`forge/webhooks/delivery/guarded-agent.ts`). @throws Problem 422 */
function parseAddress(value = '', before?: string): string {
  const address = value !== '' && url.holds(value) ? unmaskAddress(value, before) : undefined
  if (address === undefined) throw unprocessable('Invalid url')
  return address
}

const trueWords = ['1', 't', 'T', 'true', 'TRUE', 'True']
const falseWords = ['', '0', 'f', 'F', 'false', 'FALSE', 'False']

/** Undefined if absent. @throws Problem 422 */
function isSystem(value: string | undefined): boolean | undefined {
  if (value === undefined) return undefined
  if (trueWords.includes(value)) return true
  if (falseWords.includes(value)) return false
  throw unprocessable('Invalid is_system_webhook value')
}

/** A channel name by Slack's rules, or a channel id. */
const channelSyntax = /^#?(?:[a-z0-9_-]{1,80}|[A-Z0-9]{9,21})$/

/** The options that each chat supports; Gitea accepts them for Slack only. */
const chatOptionNames: Partial<Record<HookType, readonly (keyof ChatOptions)[]>> = {
  slack: ['channel', 'username', 'icon_url', 'color'],
  discord: ['username', 'icon_url'],
}

function chatOptionsOf(type: HookType, config: Config): ChatOptions {
  const { channel } = config
  if (type === 'slack' && channel !== undefined && !channelSyntax.test(channel.trim()))
    throw badRequest('Invalid slack channel name')
  const names = (chatOptionNames[type] ?? []).filter((name) => config[name] !== undefined)
  return Object.fromEntries(names.map((name) => [name, config[name]?.trim()]))
}
