import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createLog } from '../../src/log.ts'
import { createMailWorker } from '../../src/mail/mail-worker.ts'
import { createSmtp } from '../../src/mail/smtp.ts'
import { databaseFigures } from '../../src/metrics/database-figures-store.ts'
import { personAt } from '../pages/person.ts'
import { startApp } from '../support/app.ts'
import { basic } from '../support/forge/make.ts'
import { keepLines } from '../support/sink.ts'
import { until } from '../support/wait.ts'
import { startMailServer } from './server.ts'

const refusals = new Map<string, number>()
const server = await startMailServer({
  onRcptTo({ address }, _session, done) {
    const code = refusals.get(address)
    done(
      code === undefined ? null : Object.assign(new Error(`no mail for ${address}`), { responseCode: code }),
    )
  },
})
const root = 'https://forgehall.example/'
const settings = { MAIL_URL: server.url, MAIL_FROM: 'The Forge <forge@example.com>', PUBLIC_URL: root }
const app = await startApp(settings)
const { call, clock, make, pool, log } = app
const boss = await make.admin({ name: 'boss' })
const { get, post } = personAt(app)
let worker = app.app.mails?.start()
after(() => worker?.stop())
const logged = () => JSON.stringify(log.lines())
const wake = () => app.app.mails?.wake()

const forgotten = '/login/forgotten'
const forget = async (address: string) => {
  const answer = await post(forgotten, { address })
  wake()
  return answer
}
/** Asks as another client. */
const askFrom = (client: number, address: string) =>
  fetch(`${app.url}${forgotten}`, {
    method: 'POST',
    headers: { 'sec-fetch-site': 'same-origin', 'x-forwarded-for': `198.51.100.${client}` },
    body: new URLSearchParams({ address }),
  })
const rows = async () => [
  ...(await pool`select kind, recipient, state, attempts, error from forgehall.mail order by id`),
]
const settled = () =>
  until('each mail has been tried', async () => {
    wake()
    const untried = await pool`
      select from forgehall.mail
      where state = 'waiting' and error = ''`
    return untried.length === 0
  })
/** What metrics say of mails. */
async function figures() {
  const { mails, failedMails } = await databaseFigures(pool, clock.now())
  return { mails, failedMails }
}
const mailsTo = (address: string) => server.mails.filter(({ to }) => to === address)
const linkIn = (text: string) =>
  /https:\/\/forgehall\.example\/login\/password\?link=([\w-]{43})/.exec(text)?.[1]

const create = (username: string, more: object) =>
  call('POST /api/v1/admin/users', {
    as: boss,
    body: { username, email: `${username}@example.com`, password: 'a first password', ...more },
  })

test('POST /admin/users sends a mail to the user with send_notify, and otherwise none', async () => {
  assert.equal((await create('quiet', {})).status, 201)
  assert.equal((await create('told', { send_notify: true })).status, 201)
  wake()
  await server.taken(1)
  const [mail] = server.mails
  assert.equal(mail?.to, 'told@example.com')
  assert.match(mail.raw, /^From: The Forge <forge@example\.com>\r$/m)
  assert.match(mail.raw, /^To: told@example\.com\r$/m)
  assert.match(mail.raw, /^Subject: Your account at forgehall\.example\r$/m)
  assert.match(mail.raw, /^Auto-Submitted: auto-generated\r$/m)
  assert.match(mail.raw, /^Message-ID: <mail\.\d+@forgehall\.example>\r$/m)
  assert.match(mail.text, /told\. You sign in here:\s+https:\/\/forgehall\.example\/login\s/)
  assert.match(mail.raw, /Content-Type: text\/html/)
  assert.ok(!mail.raw.includes('a first password'))
  await settled()
  assert.deepEqual(await rows(), [
    { kind: 'account_made', recipient: 'told@example.com', state: 'sent', attempts: 1, error: '' },
  ])
  assert.equal((await create('told', { send_notify: true })).status, 409)
  assert.equal((await rows()).length, 1)
})

test(`POST ${forgotten} sends a link that sets a new password, once`, async () => {
  const ada = await make.person({ name: 'ada' })
  const page = await get(forgotten)
  assert.equal(page.status, 200)
  assert.match(page.text, /Your e-mail address/)
  assert.match((await get('/login')).text, /login\/forgotten/)
  const answer = await forget(' Ada@EXAMPLE.com ')
  assert.equal(answer.status, 200)
  await settled()
  const [mail] = mailsTo('ada@example.com')
  const link = linkIn(mail?.text ?? '') ?? ''
  assert.notEqual(link, '')
  const dumped = JSON.stringify([
    await pool`select * from forgehall.mail`,
    await pool`select * from forge.password_link`,
  ])
  assert.ok(!dumped.includes(link) && !/ada@example/.test(logged()) && !logged().includes(link))

  const password = 'a password that is mine'
  const set = () => post('/login/password', { link, password, repeated: password })
  assert.equal((await set()).status, 303)
  assert.equal((await call('GET /api/v1/user', { as: basic(ada.name, password) })).status, 200)
  assert.equal((await set()).status, 404)
  const { body } = await call('GET /api/v1/admin/audit', { as: boss, query: { target: 'ada' } })
  const actions = body.entries.map(({ action, actor }: { action: string; actor: { name: string } }) => [
    action,
    actor.name,
  ])
  assert.deepEqual(actions.slice(0, 2), [
    ['user.password_changed', 'ada'],
    ['user.password_link_made', 'mail'],
  ])
})

test(`POST ${forgotten} answers the same for an address of nobody, and of whom may not sign in`, async () => {
  await make.person({ name: 'known' })
  await make.person({ name: 'barred' })
  await make.person({ name: 'asleep' })
  const edit = (username: string, body: object) =>
    call('PATCH /api/v1/admin/users/{username}', { as: boss, params: { username }, body })
  assert.equal((await edit('barred', { prohibit_login: true })).status, 200)
  assert.equal((await edit('asleep', { active: false })).status, 200)
  const texts = new Set<string>()
  for (const name of ['known', 'nobody', 'barred', 'asleep']) {
    const { status, text } = await forget(`${name}@example.com`)
    assert.equal(status, 200)
    texts.add(text.replaceAll(name, ''))
  }
  assert.equal(texts.size, 1)
  await settled()
  for (const name of ['nobody', 'barred', 'asleep']) assert.deepEqual(mailsTo(`${name}@example.com`), [])
  assert.equal(mailsTo('known@example.com').length, 1)
  assert.equal(
    (await rows()).some(({ recipient }) => recipient.startsWith('nobody')),
    false,
  )
})

test(`POST ${forgotten} refuses what is no address, and a form of another site`, async () => {
  const before = await rows()
  const hostile = [
    '',
    'ada',
    'ada@example.com\r\nBcc: eve@example.com',
    'Ada <ada@example.com>',
    'ada@example.com, eve@example.com',
    `${'a'.repeat(300)}@example.com`,
  ]
  for (const address of hostile) {
    const { status, text } = await post(forgotten, { address })
    assert.equal(status, 422, address)
    assert.match(text, /This is not an e-mail address/)
  }
  const foreign = await fetch(`${app.url}${forgotten}`, {
    method: 'POST',
    headers: { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
    body: new URLSearchParams({ address: 'ada@example.com' }),
  })
  assert.equal(foreign.status, 403)
  assert.deepEqual(await rows(), before)
})

test(`POST ${forgotten} makes five mails for a client and an address at once, whether somebody has it or not`, async () => {
  await make.person({ name: 'often' })
  const addresses = ['often@example.com', 'never@example.com']
  for (let count = 0; count < 5; count++) {
    for (const address of addresses) assert.equal((await forget(address)).status, 200)
    await settled()
  }
  await worker?.stop()
  const waiting = async () => (await rows()).filter(({ recipient }) => addresses.includes(recipient)).length
  const sent = await waiting()
  for (const address of addresses) assert.equal((await post(forgotten, { address })).status, 200)
  assert.equal(await waiting(), sent)
  await askFrom(1, 'never@example.com')
  assert.equal(await waiting(), sent + 1)
  clock.tick(720_000)
  for (const address of addresses) assert.equal((await post(forgotten, { address })).status, 200)
  assert.equal(await waiting(), sent + 2)
  clock.tick(3_600_000)
  worker = app.app.mails?.start()
  await settled()
})

test('many requests at once make one mail, and a recipient gets five within an hour', async () => {
  await make.person({ name: 'flood' })
  await worker?.stop()
  const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => askFrom(at, 'flood@example.com')))
  assert.ok(answers.every(({ status }) => status === 200))
  const waiting = () =>
    pool`select from forgehall.mail where recipient = 'flood@example.com' and state = 'waiting'`
  assert.equal((await waiting()).length, 1)
  worker = app.app.mails?.start()
  for (let count = 1; count <= 5; count++) {
    wake()
    await until('it was sent', () => mailsTo('flood@example.com').length === count)
    await until('it is known as sent', async () => (await waiting()).length === 0)
    await askFrom(20 + count, 'flood@example.com')
  }
  wake()
  await forget('ada@example.com')
  await until('others are served', () => mailsTo('ada@example.com').length === 2)
  assert.equal(mailsTo('flood@example.com').length, 5)
  clock.tick(3_600_001)
  wake()
  await until('the sixth was sent', () => mailsTo('flood@example.com').length === 6)
})

test('a mail waits for a server that refuses it for now, and is given up after two days', async () => {
  await make.person({ name: 'grey' })
  refusals.set('grey@example.com', 451)
  await forget('grey@example.com')
  const row = async () => (await rows()).find(({ recipient }) => recipient === 'grey@example.com')
  const attempts = (count: number) =>
    until(`${count} attempts have failed`, () => {
      wake()
      return (
        log.lines().filter(({ message }) => message === 'mail delayed' || message === 'mail given up')
          .length === count
      )
    })
  await attempts(1)
  assert.match((await row())?.error, /451/)
  assert.deepEqual(await figures(), { mails: 1, failedMails: 0 })
  for (const [at, minutes] of [1, 5, 30, 120, 360, 720, 1440].entries()) {
    clock.tick(minutes * 60_000 + 1)
    await attempts(at + 2)
  }
  assert.equal((await row())?.state, 'failed')
  assert.deepEqual(await figures(), { mails: 0, failedMails: 1 })
  assert.deepEqual(mailsTo('grey@example.com'), [])
  refusals.delete('grey@example.com')
  await forget('grey@example.com')
  await until('the next one is sent', () => mailsTo('grey@example.com').length === 1)
})

test('a mail that the server refuses for good is given up at once', async () => {
  await make.person({ name: 'gone' })
  refusals.set('gone@example.com', 550)
  await forget('gone@example.com')
  await settled()
  const row = (await rows()).find(({ recipient }) => recipient === 'gone@example.com')
  assert.deepEqual([row?.state, row?.attempts], ['failed', 1])
  assert.match(row?.error, /550/)
})

test('a mail whose process has ended is sent by another, and two processes send each once', async () => {
  await make.person({ name: 'twice' })
  const { id } = (
    await pool`
      insert into forgehall.mail (kind, recipient, attempts, created_at, due_at)
      values ('password_forgotten', 'twice@example.com', 1, ${clock.now()}, ${new Date(clock.now().getTime() + 300_000)})
      returning id`
  )[0] as { id: number }
  wake()
  assert.deepEqual(mailsTo('twice@example.com'), [])
  const write = async () => ({ subject: 'x', paragraphs: ['x'] })
  const smtp = createSmtp({
    host: '127.0.0.1',
    port: server.port,
    isSecure: false,
    from: 'forge@example.com',
  })
  const deps = { pool, clock: clock.now, log: quiet, smtp, domain: 'forgehall.example', write }
  const others = [createMailWorker(deps), createMailWorker(deps)]
  const running = others.map((each) => each.start())
  clock.tick(300_001)
  for (const each of [...others, { wake }]) each.wake()
  await until('it was sent', () => mailsTo('twice@example.com').length > 0)
  await settled()
  await Promise.all(running.map((each) => each.stop()))
  assert.equal(mailsTo('twice@example.com').length, 1)
  assert.match(mailsTo('twice@example.com')[0]?.raw ?? '', new RegExp(`<mail\\.${id}@`))
})

const quiet = createLog('silent', keepLines())

test('delete_old_mails removes what was sent or given up a month ago', async () => {
  clock.tick(31 * 24 * 3_600_000)
  const params = { task: 'delete_old_mails' }
  assert.equal((await call('POST /api/v1/admin/cron/{task}', { as: boss, params })).status, 204)
  await until('they are removed', async () => (await rows()).every(({ state }) => state === 'waiting'))
})

test('without MAIL_URL nothing is sent, and the page says so', async () => {
  const silent = await startApp({ PUBLIC_URL: root })
  const admin = await silent.make.admin({ name: 'boss' })
  const person = personAt(silent)
  assert.match((await person.get(forgotten)).text, /This server sends no mail/)
  const sent = await person.post(forgotten, { address: 'boss@example.com' })
  assert.equal(sent.status, 404)
  const body = { username: 'new', email: 'new@example.com', password: 'a first password', send_notify: true }
  assert.equal((await silent.call('POST /api/v1/admin/users', { as: admin, body })).status, 201)
  assert.equal((await silent.pool`select from forgehall.mail`).length, 0)
})
