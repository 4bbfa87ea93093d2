import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { configure } from '../../src/config.ts'
import { createSmtp } from '../../src/mail/smtp.ts'
import { startMailServer } from './server.ts'

const letter = {
  subject: 'Zwei\r\nBcc: eve@example.com',
  paragraphs: ['ä <b>', { link: 'https://x.example/?a=1&b=2' }],
}
const mail = { to: 'ada@example.com', id: 'mail.1', domain: 'x.example', letter }

/** The settings for mail in an environment, which must be right. */
function settingsOf(MAIL_URL: string) {
  const configured = configure({ MAIL_URL, MAIL_FROM: 'forge@example.com', PUBLIC_URL: 'https://x.example/' })
  assert.ok('config' in configured && configured.config.mail)
  return configured.config.mail
}

test('a text is sent as it is, plain and as HTML, and adds no header', async () => {
  const server = await startMailServer()
  const sent = await createSmtp(settingsOf(server.url)).send(mail)
  assert.ok(sent.ok)
  const [{ raw, text } = { raw: '', text: '' }] = server.mails
  assert.equal(/^Bcc:/im.test(raw), false)
  assert.equal(text, 'ä <b>\r\n\r\nhttps://x.example/?a=1&b=2\r\n')
  assert.match(raw, /&lt;b&gt;/)
})

test('a name and a password are sent, and never in a fault', async () => {
  const server = await startMailServer({
    onAuth: ({ username, password }, _session, done) =>
      username === 'forge@x' && password === 'pass/word'
        ? done(null, { user: username })
        : done(new Error('wrong password')),
    authOptional: false,
    allowInsecureAuth: true,
  })
  const address = (password: string) => server.url.replace('//', `//forge%40x:${password}@`)
  assert.ok((await createSmtp(settingsOf(address('pass%2Fword'))).send(mail)).ok)
  assert.ok((await createSmtp(settingsOf(address('pass%2Fword'))).check()).ok)
  const refused = await createSmtp(settingsOf(address('another'))).send(mail)
  assert.ok(!refused.ok && !refused.fault.isFinal && !refused.fault.message.includes('another'))
  assert.equal(server.mails.length, 1)
})

test('a certificate that nobody vouches for is refused, and the mail waits', async () => {
  const server = await startMailServer({ secure: true })
  const sent = await createSmtp(settingsOf(server.url.replace('smtp:', 'smtps:'))).send(mail)
  assert.ok(!sent.ok && !sent.fault.isFinal)
  assert.match(sent.fault.message, /certificate/)
  assert.equal(server.mails.length, 0)
})

test('a server that hangs up, or is not there, lets the mail wait', async () => {
  const rude = createServer((socket) => socket.end())
  await new Promise<void>((resolve) => rude.listen(0, '127.0.0.1', resolve))
  const address = rude.address()
  assert.ok(typeof address === 'object' && address)
  const smtp = createSmtp(settingsOf(`smtp://127.0.0.1:${address.port}`))
  for (const isThere of [true, false]) {
    if (!isThere) await new Promise((resolve) => rude.close(resolve))
    const sent = await smtp.send(mail)
    assert.ok(!sent.ok && !sent.fault.isFinal)
    const checked = await smtp.check()
    assert.ok(!checked.ok)
  }
})

test('a server that says nothing is given up', async () => {
  const silent = createServer(() => {})
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const address = silent.address()
  assert.ok(typeof address === 'object' && address)
  const sent = await createSmtp(settingsOf(`smtp://127.0.0.1:${address.port}`), 200).send(mail)
  assert.ok(!sent.ok && !sent.fault.isFinal)
  await new Promise((resolve) => silent.close(resolve))
})

const faults: [environment: Record<string, string>, says: RegExp][] = [
  [{ MAIL_URL: 'smtp://mail.example.com' }, /^MAIL_URL needs MAIL_FROM/],
  [{ MAIL_URL: 'smtp://mail.example.com', MAIL_FROM: 'a@b' }, /^MAIL_URL needs PUBLIC_URL/],
  [{ MAIL_URL: 'mail.example.com' }, /^MAIL_URL must be an address such as/],
  [{ MAIL_URL: 'smtp://user@mail.example.com' }, /^MAIL_URL must be an address such as/],
  [{ MAIL_URL: 'smtp://a:secret@mail.example.com/path' }, /^MAIL_URL must be an address such as/],
  [{ MAIL_URL: 'https://a:secret@mail.example.com' }, /^MAIL_URL must be an address such as/],
  [{ MAIL_FROM: 'a@b' }, /^MAIL_FROM has no effect without MAIL_URL/],
  [{ MAIL_URL: 'smtp://a.example', MAIL_FROM: 'a@b\nBcc: c@d' }, /^MAIL_FROM must be an address/],
  [{ MAIL_URL: 'smtp://a.example', MAIL_FROM: 'nobody' }, /^MAIL_FROM must be an address/],
]
for (const [environment, says] of faults)
  test(`a start refuses ${JSON.stringify(environment)}`, () => {
    const configured = configure(environment)
    assert.ok('faults' in configured)
    assert.ok(configured.faults.some((fault) => says.test(fault)))
    assert.ok(!configured.faults.join().includes('secret'))
  })

test('settings are read with the usual ports', () => {
  const { host, port, isSecure, login } = settingsOf('smtps://a%40b:c%2Fd@mail.example.com')
  assert.deepEqual(
    [host, port, isSecure, login],
    ['mail.example.com', 465, true, { user: 'a@b', pass: 'c/d' }],
  )
  assert.deepEqual(settingsOf('smtp://[::1]:25'), {
    host: '::1',
    port: 25,
    isSecure: false,
    from: 'forge@example.com',
  })
  assert.equal(settingsOf('smtp://mail.example.com').port, 587)
})
