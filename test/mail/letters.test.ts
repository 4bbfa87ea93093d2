import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { mailConsumer } from '../../src/forge/letters/events.ts'
import { notificationConsumer } from '../../src/forge/watching/events.ts'
import { insertMails } from '../../src/mail/mail-store.ts'
import { cookieOf } from '../pages/browser.ts'
import { personAt } from '../pages/person.ts'
import { startApp } from '../support/app.ts'
import { startBackground } from '../support/background.ts'
import { basic, samePassword } from '../support/forge/make.ts'
import { until } from '../support/wait.ts'
import { startMailServer } from './server.ts'

const server = await startMailServer()
const root = 'https://forgehall.example/'
const app = await startApp({ MAIL_URL: server.url, MAIL_FROM: 'forge@example.com', PUBLIC_URL: root })
const { call, clock, make, pool, url } = app
const { get, post } = personAt(app)
const { mails } = app.app
assert.ok(mails)
const startWork = () =>
  startBackground({ pool, clock }, { consumers: [notificationConsumer, mailConsumer], followers: [mails] })
let background = startWork()
after(() => background.stop())
const [ada, eve, boss] = [
  await make.person({ name: 'ada' }),
  await make.person({ name: 'eve' }),
  await make.admin({ name: 'boss' }),
]

/** Waits until no event and no mail waits, and returns the mails to an address. */
async function mailsTo(address: string) {
  await until('each event and mail is done', async () => {
    background.wake()
    const waiting = await pool`
      select from forge.event
      union all
      select from forgehall.mail where state = 'waiting'`
    return waiting.length === 0
  })
  return server.mails.filter(({ to }) => to === address)
}
const textsTo = async (address: string) => (await mailsTo(address)).map(({ text }) => text)
const headerIn = (raw: string, name: string) =>
  new RegExp(`^${name}:\\s*((?:[^\r]|\r\n[ \t])*)`, 'm').exec(raw)?.[1]?.replace(/\r\n\s+/g, ' ')
const linkIn = (text = '', path: string) =>
  new RegExp(`https://forgehall\\.example/settings/emails/${path}\\?link=([\\w-]{43})`).exec(text)?.[1] ?? ''

const inRepo = (repo: string) => ({ owner: 'ada', repo })
const open = (repo: string, as: typeof ada, body: object) =>
  call('POST /api/v1/repos/{owner}/{repo}/issues', { params: inRepo(repo), as, body })
const say = (repo: string, index: number, as: typeof ada, body: string) =>
  call('POST /api/v1/repos/{owner}/{repo}/issues/{index}/comments', {
    params: { ...inRepo(repo), index },
    as,
    body: { body },
  })
for (const name of ['lamp', 'hidden'])
  assert.equal((await call('POST /api/v1/user/repos', { as: ada, body: { name } })).status, 201)

test('POST /user/emails adds an address that is used for nothing until its link is followed, once', async () => {
  const second = 'ada.second@example.com'
  const { body } = await call('POST /api/v1/user/emails', { as: ada, body: { emails: [second] } })
  const verified = (listed: { email: string; verified: boolean }[]) =>
    listed.find(({ email }) => email === second)?.verified
  assert.equal(verified(body), false)
  const signIn = () => call('GET /api/v1/user', { as: basic(second, samePassword) })
  assert.equal((await signIn()).status, 401)
  const [text] = await textsTo(second)
  assert.match(text ?? '', /The account ada has added this address/)
  const link = linkIn(text, 'confirm')
  assert.equal((await get(`/settings/emails/confirm?link=${link}`)).status, 200)
  assert.equal((await signIn()).status, 401)
  assert.equal((await post('/settings/emails/confirm', { link })).status, 200)
  assert.equal((await signIn()).status, 200)
  assert.equal(verified((await call('GET /api/v1/user/emails', { as: ada })).body), true)
  assert.equal((await post('/settings/emails/confirm', { link })).status, 404)
  assert.equal((await get(`/settings/emails/confirm?link=${'x'.repeat(43)}`)).status, 404)
  const { body: trail } = await call('GET /api/v1/admin/audit', {
    as: boss,
    query: { action: 'email.confirmed' },
  })
  assert.deepEqual(trail.entries[0].target.name, 'ada')
})

test('the link of an address ends after three days', async () => {
  const third = 'ada.third@example.com'
  await call('POST /api/v1/user/emails', { as: ada, body: { emails: [third] } })
  const link = linkIn((await textsTo(third))[0], 'confirm')
  clock.tick(3 * 24 * 3_600_000 + 1)
  assert.equal((await post('/settings/emails/confirm', { link })).status, 404)
})

test('a token, a key and a password that are changed are told to their owner', async () => {
  await make.person({ name: 'tam' })
  const as = basic('tam', samePassword)
  const params = { username: 'tam' }
  await call('POST /api/v1/users/{username}/tokens', {
    as,
    params,
    body: { name: 'ci', scopes: ['read:user'] },
  })
  await call('DELETE /api/v1/users/{username}/tokens/{token}', { as, params: { ...params, token: 'ci' } })
  await call('PATCH /api/v1/admin/users/{username}', {
    as: boss,
    params,
    body: { source_id: 0, login_name: '', password: 'another long password' },
  })
  const texts = (await textsTo('tam@example.com')).join('\n')
  for (const said of ['An access token was made', 'An access token was deleted', 'The password was changed'])
    assert.match(texts, new RegExp(said))
  assert.ok(!texts.includes('another long password'))
})

test('news of an issue are one conversation, as text and HTML, and end with one click', async () => {
  const { body: issue } = await open('lamp', eve, {
    title: 'It\u2028flickers <b>',
    body: 'At night & by day',
  })
  await mailsTo('ada@example.com')
  clock.tick(600_000)
  await say('lamp', issue.number, eve, 'Still\n\n<script>alert(1)</script>')
  const [first, second] = (await mailsTo('ada@example.com')).slice(-2)
  assert.ok(first && second)
  assert.match(first.text, /eve:\r\nAt night & by day/)
  assert.match(second.text, /eve:\r\nStill/)
  assert.ok(!second.text.includes('At night'))
  assert.match(second.raw, /&lt;script&gt;/)
  assert.match(first.text, new RegExp(`${root}ada/lamp/issues/${issue.number}`))
  for (const name of ['In-Reply-To', 'References'])
    assert.deepEqual(
      [first, second].map(({ raw }) => headerIn(raw, name)),
      Array(2).fill(`<issue.${issue.id}@forgehall.example>`),
    )
  assert.notEqual(headerIn(first.raw, 'Message-ID'), headerIn(second.raw, 'Message-ID'))
  assert.equal(headerIn(first.raw, 'List-Unsubscribe-Post'), 'List-Unsubscribe=One-Click')
  const address = /<(.*)>/.exec(headerIn(second.raw, 'List-Unsubscribe') ?? '')?.[1] ?? ''
  assert.ok(address.startsWith(`${root}settings/emails/unsubscribe?link=`))

  const path = address.replace(root, '/')
  assert.equal((await get(path)).status, 200)
  // A program of mail sends no cookie and no origin.
  const oneClick = () =>
    fetch(url + path, { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) })
  assert.equal((await oneClick()).status, 200)
  await say('lamp', issue.number, eve, 'Once more')
  assert.equal((await textsTo('ada@example.com')).filter((text) => text.includes('Once more')).length, 0)
  assert.equal((await oneClick()).status, 200)
  assert.equal((await get('/settings/emails/unsubscribe?link=none')).status, 404)
  assert.equal((await post('/settings/emails/unsubscribe', { link: 'none' })).status, 404)
})

const wanted: [preference: string, heard: string[]][] = [
  ['enabled', ['plain', 'named']],
  ['onmention', ['named']],
  ['disabled', []],
  ['andyourown', ['plain', 'named', 'own']],
]
for (const [preference, heard] of wanted)
  test(`POST /settings/emails: who chooses ${preference} gets these mails: ${heard}`, async () => {
    const cookie = await cookieOf(url, { user: 'ada', password: samePassword })
    const chosen = await post('/settings/emails', { action: 'preference', preference }, cookie)
    assert.equal(chosen.status, 303)
    assert.match((await get('/settings/emails', cookie)).text, new RegExp(`value="${preference}" selected`))
    const before = (await mailsTo('ada@example.com')).length
    const { number } = (await open('lamp', ada, { title: `Chosen ${preference}` })).body
    await mailsTo('ada@example.com')
    const texts: Record<string, [typeof ada, string]> = {
      plain: [eve, 'just so'],
      named: [eve, '@ada look'],
      own: [ada, 'my own words'],
    }
    for (const [as, text] of Object.values(texts)) {
      clock.tick(600_000)
      await say('lamp', number, as, text)
      await mailsTo('ada@example.com')
    }
    const mine = (await textsTo('ada@example.com')).slice(before).join('\n')
    assert.deepEqual(
      Object.entries(texts)
        .filter(([, [, text]]) => mine.includes(text))
        .map(([name]) => name),
      heard,
    )
  })

test('POST /settings/emails refuses an unknown choice', async () => {
  const cookie = await cookieOf(url, { user: 'ada', password: samePassword })
  const refused = await post('/settings/emails', { action: 'preference', preference: 'sometimes' }, cookie)
  assert.equal(refused.status, 422)
})

test('who may not read an issue any more when the mail is sent gets none', async () => {
  const params = { ...inRepo('hidden'), collaborator: 'eve' }
  await call('PUT /api/v1/repos/{owner}/{repo}/collaborators/{collaborator}', { as: ada, params, body: {} })
  const { number } = (await open('hidden', eve, { title: 'Secret' })).body
  await mailsTo('eve@example.com')
  await background.stop()
  await say('hidden', number, ada, 'For members only')
  await call('PATCH /api/v1/repos/{owner}/{repo}', {
    as: ada,
    params: inRepo('hidden'),
    body: { private: true },
  })
  await call('DELETE /api/v1/repos/{owner}/{repo}/collaborators/{collaborator}', { as: ada, params })
  background = startWork()
  assert.ok(!(await textsTo('eve@example.com')).join().includes('For members only'))
})

test('ten thousand mails of a kind wait at most, and others are not kept from theirs', async () => {
  await background.stop()
  const drafts = Array.from({ length: 10_000 }, (_, at) => ({
    recipient: `made.up.${at}@example.com`,
    account: null,
    about: '',
  }))
  await insertMails(pool, 'password_forgotten', drafts, clock.now())
  await post('/login/forgotten', { address: 'eve@example.com' })
  await insertMails(
    pool,
    'account_made',
    [{ recipient: 'new@example.com', account: ada.id, about: '' }],
    clock.now(),
  )
  const [row] =
    await pool`select count(*) as all, count(*) filter (where kind = 'account_made') as made from forgehall.mail where state = 'waiting'`
  assert.deepEqual([row?.all, row?.made], [10_001, 1])
})
