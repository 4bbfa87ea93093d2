import { parseAddress } from '../forge/accounts/email-address.ts'
import { createSmtp } from '../mail/smtp.ts'
import { oneArgument } from './arguments.ts'
import { type Command, SetupError, UsageError } from './command.ts'

const test: Command = {
  name: 'mail test',
  usage: '<address>',
  summary: 'send a mail to an address, to see whether MAIL_URL and MAIL_FROM work',
  async run(context) {
    const { config, print, clock } = context
    const to = oneArgument(context)
    if (!parseAddress(to).ok) throw new UsageError(`"${to}" is not an e-mail address`)
    if (!config.mail) throw new SetupError('MAIL_URL is not set')
    const { host } = new URL(config.root)
    const letter = {
      subject: `Mail from ${host}`,
      paragraphs: ['This server can send mail:', { link: config.root }],
    }
    const sent = await createSmtp(config.mail).send({
      to,
      id: `test.${clock().getTime()}`,
      domain: host,
      letter,
    })
    if (!sent.ok) throw new SetupError(`the mail was not sent: ${sent.fault.message}`)
    print(`${config.mail.host} has taken a mail for ${to}`)
  },
}

export const mailCommands = [test]
