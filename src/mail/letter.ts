import { escapeHtml } from '../render/html/serialize.ts'

/** What a mail says. */
export interface Letter {
  subject: string
  /** Paragraphs; a link stands for itself. */
  paragraphs: readonly (string | { link: string })[]
  /** The conversation that it belongs to, as the left part of a `Message-ID`; absent: to none. */
  thread?: string
  /** Address that ends such mails with one click (RFC 8058); absent: they cannot be ended. */
  unsubscribe?: string
}

/** The text of a mail, for programs that show no HTML. */
export const plainText = ({ paragraphs }: Letter): string =>
  `${paragraphs.map((each) => (typeof each === 'string' ? each : each.link)).join('\n\n')}\n`

/** The same as HTML. */
export const htmlText = ({ paragraphs }: Letter): string =>
  paragraphs
    .map(
      (each) =>
        `<p>${typeof each === 'string' ? escapeHtml(each).replaceAll('\n', '<br>\n') : anchor(each.link)}</p>\n`,
    )
    .join('')

const anchor = (link: string) => `<a href="${escapeHtml(link)}">${escapeHtml(link)}</a>`
