import { escapeHtml } from '../../../render/html/serialize.ts'
import { escapeMarkdown, escapeSlack, withoutLinks } from './escape.ts'
import { clip, type Notice, noticeOf } from './notice.ts'
import type { HookMessage } from './payload.ts'

/** Types whose receivers have a language of their own. */
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

/** Every type of hook. */
export const hookTypes = ['gitea', 'gogs', ...chatTypes] as const
export type HookType = (typeof hookTypes)[number]

/** What a hook may say about how its messages look. Only some chats have a use for some of it. */
export interface ChatOptions {
  readonly channel?: string | undefined
  readonly username?: string | undefined
  readonly icon_url?: string | undefined
  /** `#rrggbb`, or one of Slack's words. */
  readonly color?: string | undefined
}

const colors: Readonly<Record<Notice['mood'], string>> = {
  new: '#2ea043',
  change: '#0969da',
  gone: '#cf222e',
}

/** Bounds of the services, with room for markup. Beyond them they refuse a message. */
const longest = { discordDescription: 4000, telegram: 4000, wechatwork: 4000 }

/**
 * The JSON text for a chat; undefined for what it is not told: a push without commits, and for Packagist, which reads
 * the repository itself, anything but a push.
 */
export function chatText(
  type: ChatType,
  message: HookMessage,
  options: ChatOptions = {},
): string | undefined {
  const notice = noticeOf(message)
  if (!notice) return undefined
  if (type === 'packagist') {
    if (message.event !== 'push') return undefined
    return JSON.stringify({ repository: { url: message.payload.repository.html_url } })
  }
  return JSON.stringify(writers[type](notice, options))
}

const writers: Readonly<
  Record<Exclude<ChatType, 'packagist'>, (notice: Notice, options: ChatOptions) => object>
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
function slack(notice: Notice, { channel, username, icon_url, color }: ChatOptions): object {
  const commits = notice.commits.map(
    ({ id, url, text }) => `<${escapeSlack(url)}|${id}> ${escapeSlack(text)}`,
  )
  const look = {
    channel: channel || undefined,
    username: username || undefined,
    icon_url: icon_url || undefined,
  }
  return {
    ...look,
    text: `<${escapeSlack(notice.url)}|${escapeSlack(notice.text)}>`,
    attachments:
      commits.length > 0 ? [{ color: color || colors[notice.mood], text: commits.join('\n') }] : [],
    unfurl_links: false,
  }
}

/** Discord, "Execute Webhook". Nobody is mentioned, whatever a commit says. */
function discord(notice: Notice, { username, icon_url }: ChatOptions): object {
  const { sender } = notice
  return {
    username: username || undefined,
    avatar_url: icon_url || undefined,
    embeds: [
      {
        title: clip(notice.text, 256),
        url: notice.url,
        description: clip(markdownCommits(notice), longest.discordDescription),
        color: Number.parseInt(colors[notice.mood].slice(1), 16),
        author: { name: clip(sender.login, 256), url: sender.html_url, icon_url: sender.avatar_url },
      },
    ],
    allowed_mentions: { parse: [] },
  }
}

/** DingTalk, robot messages, "actionCard". */
function dingtalk(notice: Notice): object {
  const lines = [withoutLinks(notice.text), ...markdownLines(notice, withoutLinks)]
  return {
    msgtype: 'actionCard',
    actionCard: {
      title: clip(notice.text, 200),
      text: lines.join('\n\n'),
      singleTitle: 'Open',
      singleURL: notice.url,
    },
  }
}

/** Telegram Bot API, "sendMessage", with HTML. Which chat, and which bot, stands in the address of the hook. */
function telegram(notice: Notice): object {
  const head = `<a href="${escapeHtml(notice.url)}">${escapeHtml(notice.text)}</a>`
  const lines = htmlCommits(notice)
  // Whole lines are left out, because a cut tag would have the message refused.
  while (lines.length > 0 && [head, ...lines].join('\n').length > longest.telegram) lines.pop()
  return { text: [head, ...lines].join('\n'), parse_mode: 'HTML', disable_web_page_preview: true }
}

/** Microsoft Teams, "MessageCard" of connectors. */
function msteams(notice: Notice): object {
  const { sender } = notice
  return {
    '@type': 'MessageCard',
    '@context': 'https://schema.org/extensions',
    themeColor: colors[notice.mood].slice(1),
    summary: notice.text,
    title: notice.text,
    sections: [
      {
        activityTitle: sender.full_name || sender.login,
        activitySubtitle: sender.login,
        activityImage: sender.avatar_url,
        text: markdownCommits(notice),
      },
    ],
    potentialAction: [{ '@type': 'OpenUri', name: 'Open', targets: [{ os: 'default', uri: notice.url }] }],
  }
}

/** Feishu, custom bots, plain text: there is nothing in it that must be escaped but tags such as <at>. */
function feishu(notice: Notice): object {
  const commits = notice.commits.map(({ id, text }) => `${id} ${text}`)
  const lines = [notice.text, ...commits, notice.url].map(withoutLinks)
  return { msg_type: 'text', content: { text: lines.join('\n') } }
}

/** Matrix client-server API, "m.room.message"; a notice, as machines should send. */
function matrix(notice: Notice): object {
  const head = `<a href="${escapeHtml(notice.url)}">${escapeHtml(notice.text)}</a>`
  return {
    msgtype: 'm.notice',
    body: [notice.text, ...notice.commits.map(({ id, text }) => `${id} ${text}`), notice.url].join('\n'),
    format: 'org.matrix.custom.html',
    formatted_body: [head, ...htmlCommits(notice)].join('<br>'),
  }
}

/** WeCom (WeChat Work), group robots, "markdown": at most 4096 bytes. */
function wechatwork(notice: Notice): object {
  const head = `[${withoutLinks(notice.text)}](${markdownUrl(notice.url)})`
  const lines = [head, ...markdownLines(notice, withoutLinks)]
  while (lines.length > 1 && Buffer.byteLength(lines.join('\n')) > longest.wechatwork) lines.pop()
  return { msgtype: 'markdown', markdown: { content: lines.join('\n') } }
}

const markdownCommits = (notice: Notice) => markdownLines(notice, escapeMarkdown).join('\n\n')

const markdownLines = ({ commits }: Notice, guard: (text: string) => string) =>
  commits.map(({ id, url, text }) => `[${id}](${markdownUrl(url)}) ${guard(text)}`)

const htmlCommits = ({ commits }: Notice) =>
  commits.map(({ id, url, text }) => `<a href="${escapeHtml(url)}">${id}</a> ${escapeHtml(text)}`)

/** A bracket in an address would end the link. */
const markdownUrl = (url: string) => url.replaceAll('(', '%28').replaceAll(')', '%29')
