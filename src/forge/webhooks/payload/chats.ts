import { escapeHtml } from '../../../render/html/serialize.ts'
import { type ChatMessage, chatMessageOf, clip } from './chat-message.ts'
import type { HookMessage } from './payload.ts'

/** Hook types whose receivers need their own format. */
export const chatTypes = [
  'slack',
  'discord',
  'dingtalk',
  'telegram',
  'msteams',
  'feishu',
  'matrix',
  'wechatwork',
  'packagist',
] as const
export type ChatType = (typeof chatTypes)[number]

export const isChat = (type: string): type is ChatType => chatTypes.some((each) => each === type)

/** Every type of hook. */
export const hookTypes = ['gitea', 'gogs', ...chatTypes] as const
export type HookType = (typeof hookTypes)[number]

/** Options for the appearance of messages. Each chat supports only some of them. */
export interface ChatOptions {
  readonly channel?: string | undefined
  readonly username?: string | undefined
  readonly icon_url?: string | undefined
  /** `#rrggbb`, or one of Slack's colour names. */
  readonly color?: string | undefined
}

const colors: Readonly<Record<ChatMessage['kind'], string>> = {
  creation: '#2ea043',
  change: '#0969da',
  removal: '#cf222e',
}

/** Length limits of the services, minus some room for markup. They refuse longer messages. */
const limits = { discordDescription: 4000, telegram: 4000, wechatwork: 4000 }

/**
 * The JSON text for a chat; undefined if nothing is sent: for a push without commits, and for Packagist, which reads
 * the repository itself, for everything but a push.
 */
export function chatText(
  type: ChatType,
  message: HookMessage,
  options: ChatOptions = {},
): string | undefined {
  const chatMessage = chatMessageOf(message)
  if (!chatMessage) return undefined
  if (type === 'packagist') {
    if (message.event !== 'push') return undefined
    return JSON.stringify({ repository: { url: message.payload.repository.html_url } })
  }
  return JSON.stringify(writers[type](chatMessage, options))
}

const writers: Readonly<
  Record<Exclude<ChatType, 'packagist'>, (chatMessage: ChatMessage, options: ChatOptions) => object>
> = {
  slack,
  discord,
  dingtalk,
  telegram,
  msteams,
  feishu,
  matrix,
  wechatwork,
}

/** Slack, "Reference: message payloads"; text in mrkdwn. */
function slack(chatMessage: ChatMessage, { channel, username, icon_url, color }: ChatOptions): object {
  const commits = chatMessage.commits.map(
    ({ id, url, text }) => `<${escapeSlack(url)}|${id}> ${escapeSlack(text)}`,
  )
  const appearance = {
    channel: channel || undefined,
    username: username || undefined,
    icon_url: icon_url || undefined,
  }
  return {
    ...appearance,
    text: `<${escapeSlack(chatMessage.url)}|${escapeSlack(chatMessage.text)}>`,
    attachments:
      commits.length > 0 ? [{ color: color || colors[chatMessage.kind], text: commits.join('\n') }] : [],
    unfurl_links: false,
  }
}

/** Discord, "Execute Webhook". `allowed_mentions` prevents mentions, whatever a commit message contains. */
function discord(chatMessage: ChatMessage, { username, icon_url }: ChatOptions): object {
  const { sender } = chatMessage
  return {
    username: username || undefined,
    avatar_url: icon_url || undefined,
    embeds: [
      {
        title: clip(chatMessage.text, 256),
        url: chatMessage.url,
        description: clip(markdownCommits(chatMessage), limits.discordDescription),
        color: Number.parseInt(colors[chatMessage.kind].slice(1), 16),
        author: { name: clip(sender.login, 256), url: sender.html_url, icon_url: sender.avatar_url },
      },
    ],
    allowed_mentions: { parse: [] },
  }
}

/** DingTalk, robot messages, "actionCard". */
function dingtalk(chatMessage: ChatMessage): object {
  const lines = [withoutLinks(chatMessage.text), ...markdownLines(chatMessage, withoutLinks)]
  return {
    msgtype: 'actionCard',
    actionCard: {
      title: clip(chatMessage.text, 200),
      text: lines.join('\n\n'),
      singleTitle: 'Open',
      singleURL: chatMessage.url,
    },
  }
}

/** Telegram Bot API, "sendMessage", with HTML. The hook's address names the chat and the bot. */
function telegram(chatMessage: ChatMessage): object {
  const head = `<a href="${escapeHtml(chatMessage.url)}">${escapeHtml(chatMessage.text)}</a>`
  const lines = htmlCommits(chatMessage)
  // Drops whole lines, because Telegram refuses a message with a truncated tag.
  while (lines.length > 0 && [head, ...lines].join('\n').length > limits.telegram) lines.pop()
  return { text: [head, ...lines].join('\n'), parse_mode: 'HTML', disable_web_page_preview: true }
}

/** Microsoft Teams, "MessageCard" of connectors. */
function msteams(chatMessage: ChatMessage): object {
  const { sender } = chatMessage
  return {
    '@type': 'MessageCard',
    '@context': 'https://schema.org/extensions',
    themeColor: colors[chatMessage.kind].slice(1),
    summary: chatMessage.text,
    title: chatMessage.text,
    sections: [
      {
        activityTitle: sender.full_name || sender.login,
        activitySubtitle: sender.login,
        activityImage: sender.avatar_url,
        text: markdownCommits(chatMessage),
      },
    ],
    potentialAction: [
      { '@type': 'OpenUri', name: 'Open', targets: [{ os: 'default', uri: chatMessage.url }] },
    ],
  }
}

/** Feishu, custom bots, plain text: nothing needs to be escaped except tags such as <at>. */
function feishu(chatMessage: ChatMessage): object {
  const commits = chatMessage.commits.map(({ id, text }) => `${id} ${text}`)
  const lines = [chatMessage.text, ...commits, chatMessage.url].map(withoutLinks)
  return { msg_type: 'text', content: { text: lines.join('\n') } }
}

/** Matrix client-server API, "m.room.message"; of type notice, as bots should send. */
function matrix(chatMessage: ChatMessage): object {
  const head = `<a href="${escapeHtml(chatMessage.url)}">${escapeHtml(chatMessage.text)}</a>`
  return {
    msgtype: 'm.notice',
    body: [
      chatMessage.text,
      ...chatMessage.commits.map(({ id, text }) => `${id} ${text}`),
      chatMessage.url,
    ].join('\n'),
    format: 'org.matrix.custom.html',
    formatted_body: [head, ...htmlCommits(chatMessage)].join('<br>'),
  }
}

/** WeCom (WeChat Work), group robots, "markdown": at most 4096 bytes. */
function wechatwork(chatMessage: ChatMessage): object {
  const head = `[${withoutLinks(chatMessage.text)}](${markdownUrl(chatMessage.url)})`
  const lines = [head, ...markdownLines(chatMessage, withoutLinks)]
  while (lines.length > 1 && Buffer.byteLength(lines.join('\n')) > limits.wechatwork) lines.pop()
  return { msgtype: 'markdown', markdown: { content: lines.join('\n') } }
}

const markdownCommits = (chatMessage: ChatMessage) => markdownLines(chatMessage, escapeMarkdown).join('\n\n')

const markdownLines = ({ commits }: ChatMessage, escapeText: (text: string) => string) =>
  commits.map(({ id, url, text }) => `[${id}](${markdownUrl(url)}) ${escapeText(text)}`)

const htmlCommits = ({ commits }: ChatMessage) =>
  commits.map(({ id, url, text }) => `<a href="${escapeHtml(url)}">${id}</a> ${escapeHtml(text)}`)

/** A parenthesis in an address would end the link. */
const markdownUrl = (url: string) => url.replaceAll('(', '%28').replaceAll(')', '%29')

/** Escapes text for Markdown with backslash escapes, so that it contains no markup, link or mention. */
const escapeMarkdown = (text: string) => text.replace(/[\\`*_[\]<>~|@]/g, '\\$&')

/**
 * Replaces brackets for the reduced Markdown of DingTalk and WeCom, which has no escapes: no link, tag or mention
 * remains.
 */
function withoutLinks(text: string): string {
  return text.replaceAll('[', '［').replaceAll(']', '］').replaceAll('<', '＜').replaceAll('>', '＞')
}

/** Slack, "Formatting text": escapes its three special characters. The bar, which ends an address, has no escape. */
function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('|', '¦')
}
