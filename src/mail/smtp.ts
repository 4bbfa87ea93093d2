import { createTransport } from 'nodemailer'
import { messageOf } from '../common/errors.ts'
import { done, failed, type Outcome } from '../common/outcome.ts'
import { htmlText, type Letter, plainText } from './letter.ts'
import type { MailSettings } from './variables.ts'

/** Why a mail was not sent. */
interface MailFault {
  /** Whether the server will never take it, such as for an address that it does not know. */
  isFinal: boolean
  /** For operators; the server may quote the address of the recipient. */
  message: string
}

/** A letter on its way. */
interface Mail {
  to: string
  /** Left part of the `Message-ID`: equal for each attempt, so that a mail program shows a repeated one once. */
  id: string
  /** Domain of the ids of mails. */
  domain: string
  letter: Letter
}

/** Sends mails to one server (RFC 5321). */
export interface Smtp {
  send: (mail: Mail) => Promise<Outcome<void, MailFault>>
  /** Connects and signs in. */
  check: () => Promise<Outcome<void, string>>
}

/** Opens no connection yet; `patience`: longest wait for the server at each step, in milliseconds. */
export function createSmtp({ host, port, isSecure, login, from }: MailSettings, patience = 20_000): Smtp {
  const transport = createTransport({
    ...{ host, port, secure: isSecure },
    // Programs for mail on this machine often offer a certificate that nobody vouches for. A password goes to no other
    // machine unencrypted.
    ...(isLoopback(host) ? { ignoreTLS: true } : { requireTLS: login !== undefined }),
    connectionTimeout: patience,
    greetingTimeout: patience,
    socketTimeout: patience,
    dnsTimeout: patience,
    ...(login && { auth: login }),
  })
  return {
    send: async ({ to, id, domain, letter }) => {
      const content = { subject: letter.subject, text: plainText(letter), html: htmlText(letter) }
      try {
        // As an object, an address is never read as several.
        await transport.sendMail({
          ...{ from, to: { name: '', address: to }, messageId: `<${id}@${domain}>`, ...content },
          ...conversation(letter, domain),
          headers: headersOf(letter),
        })
        return done(undefined)
      } catch (error) {
        return failed({ isFinal: isFinal(error), message: messageOf(error) })
      }
    },
    check: () =>
      transport.verify().then(
        () => done(undefined),
        (error: unknown) => failed(messageOf(error)),
      ),
  }
}

const isLoopback = (host: string) => host === 'localhost' || host === '::1' || /^127\./.test(host)

/** All mails of a conversation answer one that was never sent, so that programs show them together (RFC 5322 §3.6.4). */
function conversation({ thread }: Letter, domain: string) {
  if (thread === undefined) return {}
  const first = `<${thread}@${domain}>`
  return { inReplyTo: first, references: first }
}

/** Keeps programs that answer by themselves quiet (RFC 3834 §5), and offers to end such mails (RFC 8058 §3.1). */
const headersOf = ({ unsubscribe }: Letter) => ({
  'Auto-Submitted': 'auto-generated',
  ...(unsubscribe !== undefined && {
    'List-Unsubscribe': `<${unsubscribe}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  }),
})

/**
 * Whether the server refused the recipient or the content for good (RFC 5321 §4.2.1). A refused sign-in is the operator's
 * to mend, and the mail waits for it.
 */
function isFinal(error: unknown): boolean {
  if (!(error instanceof Error) || !('responseCode' in error) || !('code' in error)) return false
  const isOfMail = error.code === 'EENVELOPE' || error.code === 'EMESSAGE'
  return isOfMail && typeof error.responseCode === 'number' && error.responseCode >= 500
}
