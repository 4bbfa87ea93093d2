import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { mailConsumer } from '../../src/forge/letters/events.ts'
import { upsertMailPreference } from '../../src/forge/letters/preference-store.ts'
import { startApp } from '../support/app.ts'
import { startBackground } from '../support/background.ts'
import { until } from '../support/wait.ts'
import { startMailServer } from './server.ts'

const RELEASES = 'POST /api/v1/repos/{owner}/{repo}/releases'
const RELEASE = 'PATCH /api/v1/repos/{owner}/{repo}/releases/{id}'
const COLLABORATOR = 'PUT /api/v1/repos/{owner}/{repo}/collaborators/{collaborator}'
const NO_COLLABORATOR = 'DELETE /api/v1/repos/{owner}/{repo}/collaborators/{collaborator}'
const WATCH = 'PUT /api/v1/repos/{owner}/{repo}/subscription'

const server = await startMailServer()
const root = 'https://forgehall.example/'
const app = await startApp({ MAIL_URL: server.url, MAIL_FROM: 'forge@example.com', PUBLIC_URL: root })
const { call, clock, make, pool, url } = app
const { mails } = app.app
assert.ok(mails)
const startWork = () => startBackground({ pool, clock }, { consumers: [mailConsumer], followers: [mails] })
let background = startWork()
after(() => background.stop())

const [ada, wanda, milo, omar, olga, iris] = await make.people('ada', 'wanda', 'milo', 'omar', 'olga', 'iris')
const readers = [wanda, milo, omar, olga, iris]
const params = { owner: 'ada', repo: 'lamp' }
const made = { name: 'lamp', private: true, auto_init: true }
assert.equal((await call('POST /api/v1/user/repos', { as: ada, body: made })).status, 201)
for (const { name } of readers)
  await call(COLLABORATOR, {
    params: { ...params, collaborator: name },
    as: ada,
    body: { permission: 'read' },
  })
for (const as of [ada, wanda, milo, omar, olga]) await call(WATCH, { params, as })
await call('DELETE /api/v1/repos/{owner}/{repo}/subscription', { params, as: iris })
for (const [{ id }, preference] of [
  [milo, 'onmention'],
  [omar, 'disabled'],
  [olga, 'andyourown'],
  [ada, 'andyourown'],
] as const)
  await make.begin((tx) => upsertMailPreference(tx, id, preference))

let seen = 0
/** Waits until no event and no mail waits; gives the mails since the last call. */
async function newMails() {
  await until('each event and mail is done', async () => {
    background.wake()
    const waiting = await pool`
      select from forge.event
      union all
      select from forgehall.mail where state = 'waiting'`
    return waiting.length === 0
  })
  const mails = server.mails.slice(seen)
  seen = server.mails.length
  return mails
}
const release = async (body: object) => {
  const { status, body: made } = await call(RELEASES, { params, as: ada, body })
  assert.equal(status, 201)
  return made
}
const headerIn = (raw: string, name: string) =>
  new RegExp(`^${name}: (.*(?:\r\n[ \t].*)*)`, 'm').exec(raw)?.[1]

test(`${RELEASES}: those who watch the repository and want mails of all get one, which one click ends`, async () => {
  const { id } = await release({ tag_name: 'v1/a#b', name: 'First light', body: 'Shines & <b>' })
  const mails = await newMails()
  assert.deepEqual(mails.map(({ to }) => to).sort(), ['olga@example.com', 'wanda@example.com'])
  const mail = mails.find(({ to }) => to === 'wanda@example.com')
  assert.ok(mail)
  assert.match(mail.raw, /^Subject: \[ada\/lamp\] New release: First light \(v1/m)
  assert.match(mail.text, /ada has released v1\/a#b of ada\/lamp\.\r\n\r\nShines & <b>/)
  assert.match(mail.raw, /Shines &amp; &lt;b&gt;/)
  assert.ok(mail.text.includes(`${root}ada/lamp/releases/tag/v1/a%23b`))
  for (const name of ['In-Reply-To', 'References'])
    assert.equal(headerIn(mail.raw, name), `<release.${id}@forgehall.example>`)
  const path = /settings\/emails\/unsubscribe\?link=[\w-]{43}/.exec(mail.text)?.[0] ?? ''
  const ended = await fetch(`${url}/${path}`, {
    method: 'POST',
    body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
  })
  assert.equal(ended.status, 200)
  await release({ tag_name: 'v2', body: '' })
  const later = await newMails()
  assert.deepEqual(
    later.map(({ to }) => to),
    ['olga@example.com'],
  )
  assert.match(later[0]?.raw ?? '', /^Subject: \[ada\/lamp\] New release: v2\r$/m)
})

test(`${RELEASE}: a draft is told when it is published, and a prerelease or a change never`, async () => {
  const { id } = await release({ tag_name: 'v3', draft: true })
  await release({ tag_name: 'v4-rc1', prerelease: true })
  assert.deepEqual(await newMails(), [])
  const change = (body: object) => call(RELEASE, { params: { ...params, id }, as: ada, body })
  assert.equal((await change({ draft: false })).status, 200)
  assert.equal((await newMails()).length, 1)
  assert.equal((await change({ body: 'Corrected' })).status, 200)
  assert.deepEqual(await newMails(), [])
})

test('who may not see a release any more when the mail is sent gets none', async () => {
  await background.stop()
  await release({ tag_name: 'v5' })
  await call(NO_COLLABORATOR, { params: { ...params, collaborator: 'olga' }, as: ada })
  background = startWork()
  assert.deepEqual(await newMails(), [])
})
