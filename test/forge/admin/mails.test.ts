import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startMailServer } from '../../mail/server.ts'
import { signedIn } from '../../pages/admin/browser.ts'
import { startApp } from '../../support/app.ts'
import { until } from '../../support/wait.ts'

const LIST = 'GET /api/v1/admin/mails'
const RETRY = 'POST /api/v1/admin/mails/{id}/retry'
const DELETE = 'DELETE /api/v1/admin/mails/{id}'

let refusal: number | undefined
const server = await startMailServer({
  onRcptTo(_address, _session, done) {
    done(refusal === undefined ? null : Object.assign(new Error('not now'), { responseCode: refusal }))
  },
})
const app = await startApp({ MAIL_URL: server.url, MAIL_FROM: 'forge@example.com' })
const { call, clock, make, pool } = app
const boss = await make.admin({ name: 'boss' })
const ada = await make.person({ name: 'ada' })
const worker = app.app.mails?.start()
after(() => worker?.stop())

const list = async (state = '') => (await call(LIST, { as: boss, query: { state } })).body
const change = async (literal: string, id: number) =>
  (await call(literal, { as: boss, params: { id } })).status

/** Lets the server of mail refuse the mail about a new account; gives its id. */
async function refused(username: string, code: number): Promise<number> {
  refusal = code
  const body = { username, email: `${username}@example.com`, password: 'a first password', send_notify: true }
  assert.equal((await call('POST /api/v1/admin/users', { as: boss, body })).status, 201)
  const mail = await until('the mail has been tried', async () => {
    app.app.mails?.wake()
    const rows = await list()
    return rows.find(
      (row: { recipient: string; error: string }) => row.recipient === body.email && row.error !== '',
    )
  })
  refusal = undefined
  return mail.id
}

const arrived = (username: string) =>
  until('the mail arrives', () => {
    app.app.mails?.wake()
    return server.mails.some(({ to }) => to === `${username}@example.com`)
  })

test(`${LIST} has what waits and what was given up, with the reason, and no secret`, async () => {
  const failed = await refused('gone', 550)
  const waiting = await refused('grey', 451)
  const rows = await list()
  assert.deepEqual(
    rows.map(({ id, state, attempts }: Record<string, unknown>) => [id, state, attempts]),
    [
      [waiting, 'waiting', 1],
      [failed, 'failed', 1],
    ],
  )
  const now = clock.now().getTime()
  assert.match(rows[0].error, /451/)
  assert.equal(Date.parse(rows[0].next_attempt), now + 60_000)
  assert.deepEqual([rows[1].kind, rows[1].next_attempt], ['account_made', null])
  for (const [state, id] of [
    ['waiting', waiting],
    ['failed', failed],
  ] as const)
    assert.deepEqual(
      (await list(state)).map((row: { id: number }) => row.id),
      [id],
    )
  assert.equal((await call(LIST, { as: boss, query: { state: 'sent' } })).status, 422)
  const [secret] = await pool`select secret_hash from forgehall.mail where id = ${failed}`
  assert.ok(!JSON.stringify(rows).includes(secret?.secret_hash ?? 'secret'))
})

test(`${RETRY} sends a mail that was given up, with a link that holds`, async () => {
  const id = await refused('again', 550)
  await pool`update forgehall.mail set kind = 'password_forgotten' where id = ${id}`
  clock.tick(7_200_000)
  assert.equal(await change(RETRY, id), 204)
  await arrived('again')
  const { text } = server.mails.find(({ to }) => to === 'again@example.com') ?? {}
  const link = /login\/password\?link=[\w-]{43}/.exec(text ?? '')?.[0]
  assert.equal((await fetch(`${app.url}/${link}`)).status, 200)
  assert.equal(await change(RETRY, id), 404, 'it was sent')
  const audit = await call('GET /api/v1/admin/audit', { as: boss, query: { action: 'mail.retried' } })
  assert.deepEqual(audit.body.entries[0].target, { kind: 'mail', id, name: 'again@example.com' })
})

test(`${RETRY} sends a mail that waits for long, and leaves one alone that may be under way`, async () => {
  const id = await refused('patient', 451)
  const soon = new Date(clock.now().getTime() + 60_000)
  const late = new Date(clock.now().getTime() + 43_200_000)
  await pool`update forgehall.mail set due_at = ${soon}, attempts = 3 where id = ${id}`
  assert.equal(await change(RETRY, id), 204)
  assert.equal((await list())[0].attempts, 3)
  await pool`update forgehall.mail set due_at = ${late} where id = ${id}`
  assert.equal(await change(RETRY, id), 204)
  await arrived('patient')
})

test(`${RETRY} is refused while the same mail waits`, async () => {
  const id = await refused('twice', 550)
  await pool`
    insert into forgehall.mail (kind, recipient, created_at, due_at)
    select kind, recipient, created_at, ${new Date(clock.now().getTime() + 600_000)} from forgehall.mail where id = ${id}`
  const answer = await call(RETRY, { as: boss, params: { id } })
  assert.deepEqual(
    [answer.status, answer.body.message],
    [409, 'the same mail to this recipient waits already'],
  )
  assert.equal((await list('failed')).filter((row: { id: number }) => row.id === id).length, 1)
})

test(`${DELETE} deletes a mail that was not sent`, async () => {
  const id = await refused('never', 550)
  assert.equal(await change(DELETE, id), 204)
  assert.equal(await change(DELETE, id), 404)
  for (const unknown of [0, 999_999, 2 ** 60]) assert.equal(await change(DELETE, unknown), 404)
})

test('mails are for administrators', async () => {
  for (const literal of [LIST, RETRY, DELETE])
    for (const [as, status] of [
      [ada, 403],
      [undefined, 401],
    ] as const)
      assert.equal((await call(literal, { ...(as && { as }), params: { id: 1 } })).status, status, literal)
})

test('GET /-/admin/mails shows them; its forms try one again and delete it', async () => {
  const { page, done, refused: refusedForm } = await signedIn(app, 'boss')
  const id = await refused('shown', 550)
  const shown = await page('/-/admin/mails?state=failed')
  assert.match(shown, /A new account to <bdi>shown@example\.com<\/bdi> <span class="badge">given up/)
  assert.match(shown, /550/)
  assert.match(await done(`/-/admin/mails/${id}/retry`, {}), /The mail is sent now/)
  await arrived('shown')
  const other = await refused('dropped', 550)
  assert.match(await done(`/-/admin/mails/${other}/delete`, {}), /The mail was deleted/)
  await refusedForm(`/-/admin/mails/${other}/delete`, {})
  const twice = (await list('failed')).find(
    (row: { recipient: string }) => row.recipient === 'twice@example.com',
  ).id
  assert.match(await refusedForm(`/-/admin/mails/${twice}/retry`, {}), /waits already/)
})
