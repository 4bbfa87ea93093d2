import * as v from 'valibot'
import { done, failed, type Outcome } from '../common/outcome.ts'
import { read } from '../environment.ts'

/** How mails are sent. */
export interface MailSettings {
  host: string
  port: number
  /** Whether the connection is encrypted from its beginning. */
  isSecure: boolean
  /** Absent: the server needs none. */
  login?: { user: string; pass: string }
  /** The sender, such as `Forgehall <forge@example.com>`. */
  from: string
}

type Server = Omit<MailSettings, 'from'>

const ports: Readonly<Record<string, { port: number; isSecure: boolean }>> = {
  'smtp:': { port: 587, isSecure: false },
  'smtps:': { port: 465, isSecure: true },
}

/** `smtp://user:password@host:port`; the message does not repeat the text, which may contain a password. */
function parseServer(text: string): Outcome<Server, string> {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const usual = url && ports[url.protocol]
  const isPlain = url && /^\/?$/.test(url.pathname) && url.search === '' && url.hash === ''
  if (!usual || !isPlain || url.hostname === '' || (url.username === '') !== (url.password === ''))
    return failed('must be an address such as smtps://user:password@mail.example.com')
  const login = { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) }
  return done({
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? usual.port : Number(url.port),
    isSecure: usual.isSecure,
    ...(login.user !== '' && { login }),
  })
}

/** The variables for mail. */
export const mailVariables = {
  MAIL_URL: v.optional(read(parseServer)),
  MAIL_FROM: v.optional(
    v.pipe(
      v.string(),
      v.regex(
        /^(?:[^<>"@,;\r\n]* <[^\s<>"@,;]+@[^\s<>"@,;]+>|[^\s<>"@,;]+@[^\s<>"@,;]+)$/,
        'must be an address, such as Forge <forge@example.com>',
      ),
    ),
  ),
}

const Variables = v.object(mailVariables)
type Values = v.InferOutput<typeof Variables>

/** Absent: no mail is sent. */
export const mailOf = ({ MAIL_URL, MAIL_FROM: from }: Values): MailSettings | undefined =>
  MAIL_URL && from !== undefined ? { ...MAIL_URL, from } : undefined

/** What is wrong with the combination of these values, as a sentence that begins with `MAIL_URL`. */
export function mailFault(values: Values & { PUBLIC_URL?: string | undefined }): string | undefined {
  if (!values.MAIL_URL) return undefined
  if (values.MAIL_FROM === undefined) return 'needs MAIL_FROM, the address from which mails are sent'
  // A link in a mail must not begin with an address that its requester chose.
  return values.PUBLIC_URL === undefined ? 'needs PUBLIC_URL, with which the links in mails begin' : undefined
}
