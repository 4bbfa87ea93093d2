import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openHome } from '../support/binary.ts'
import { runInProcess } from '../support/in-process.ts'
import { startMailServer } from './server.ts'

const server = await startMailServer()
const { environment } = await openHome()
const settings = {
  ...environment,
  MAIL_URL: server.url,
  MAIL_FROM: 'forge@example.com',
  PUBLIC_URL: 'https://forge.example.org/',
}
const unreachable = { ...settings, MAIL_URL: 'smtp://127.0.0.1:1' }

test('mail test sends a mail, and says why it was not sent', async () => {
  assert.equal((await runInProcess(['migrate'], settings)).code, 0)
  const sent = await runInProcess(['mail', 'test', 'ada@example.com'], settings)
  assert.deepEqual([sent.code, sent.err], [0, ''])
  assert.match(sent.out, /127\.0\.0\.1 has taken a mail for ada@example\.com/)
  assert.equal(server.mails[0]?.to, 'ada@example.com')
  assert.match(server.mails[0]?.text ?? '', /https:\/\/forge\.example\.org\//)
  const failed = await runInProcess(['mail', 'test', 'ada@example.com'], unreachable)
  assert.equal(failed.code, 1)
  assert.match(failed.err, /the mail was not sent: .*ECONNREFUSED/)
  const invalid = await runInProcess(['mail', 'test', 'ada'], settings)
  assert.deepEqual([invalid.code, invalid.err], [2, 'forgehall: "ada" is not an e-mail address\n'])
  const without = await runInProcess(['mail', 'test', 'ada@example.com'], environment)
  assert.deepEqual([without.code, without.err], [1, 'forgehall: MAIL_URL is not set\n'])
})

test('doctor tells whether the server of mail can be reached', async () => {
  const findings = async (environment: Record<string, string>) => {
    const { out } = await runInProcess(['doctor', '--json'], environment)
    return JSON.parse(out).filter(({ check }: { check: string }) => check === 'mail')
  }
  const [reached] = await findings(settings)
  assert.deepEqual([reached.state, reached.found], ['ok', '127.0.0.1 can be reached'])
  const [missed] = await findings(unreachable)
  assert.equal(missed.state, 'failed')
  assert.match(missed.advice, /MAIL_URL/)
})
