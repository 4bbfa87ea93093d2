import { after } from 'node:test'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { until } from '../support/wait.ts'

/** A mail that a test server has taken. */
export interface TakenMail {
  to: string
  /** Header and body as they came. */
  raw: string
  /** The text for programs without HTML. */
  text: string
}

/** A server of mail on a free port of this machine; it is closed after the tests. */
export async function startMailServer(options: SMTPServerOptions = {}) {
  const mails: TakenMail[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: options.onAuth ? [] : ['AUTH'],
    onData(stream, session, done) {
      let raw = ''
      stream.on('data', (chunk: Buffer) => {
        raw += chunk
      })
      stream.on('end', () => {
        mails.push({ to: session.envelope.rcptTo[0]?.address ?? '', raw, text: textIn(raw) })
        done()
      })
    },
    ...options,
  })
  // A client that hangs up, or does not trust the certificate.
  server.on('error', () => {})
  const port = await new Promise<number>((resolve) => {
    const { server: socket } = server
    server.listen(0, '127.0.0.1', () => {
      const address = socket.address()
      resolve(typeof address === 'object' && address ? address.port : 0)
    })
  })
  after(() => new Promise<void>((resolve) => server.close(resolve)))
  /** Waits until so many mails have come. */
  const taken = (count: number) => until(`${count} mails have come`, () => mails.length >= count)
  return { mails, taken, port, url: `smtp://127.0.0.1:${port}` }
}

/** The first part of a mail, out of quoted-printable (RFC 2045 §6.7). */
function textIn(raw: string): string {
  const [, part = ''] = /\r\nContent-Type: text\/plain[\s\S]*?\r\n\r\n([\s\S]*?)\r\n--/.exec(raw) ?? []
  return Buffer.from(
    part
      .replace(/=\r\n/g, '')
      .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString('utf8')
}
