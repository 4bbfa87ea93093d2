import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { dotPicture, pngHead } from '../../support/forge/pictures.ts'
import { sameOrigin } from '../browser.ts'
import { hiddenIn, manage, manageIn } from '../managing.ts'

const app = await startApp()
const { call, clock, pool } = app
const { admin, cookie, form_token, send, show } = await manageIn(app)

const count = async (literal: 'GET /api/news' | 'GET /api/media', title: string) =>
  (await call(literal)).body.filter((row: { title: string }) => row.title === title).length

/** Answers of sendings: where the first one led, as often as there are sendings. */
function sameAnswers(responses: readonly Response[]): string {
  const [first] = responses.map(({ headers }) => headers.get('location') ?? '')
  assert.ok(first)
  for (const { status, headers } of responses)
    assert.deepEqual([status, headers.get('location')], [303, first])
  return first
}

const tenTimes = (act: () => Promise<Response>) => Promise.all(Array.from({ length: 10 }, act))

/** Forms that make something, each twice one after the other and ten times at once. */
const forms = [
  {
    path: `${manage}/posts/new`,
    fields: { action: 'publish', title: 'Post', content: 'c' },
    made: () => count('GET /api/news', 'Post'),
    leads: /\?done=published&id=\d+$/,
  },
  {
    path: `${manage}/posts/new`,
    fields: { action: 'draft', title: 'Draft', content: 'c' },
    made: async () => (await pool`select from site.news_draft where title = 'Draft'`).length,
    leads: /\/drafts\/\d+\?done=draft$/,
  },
  {
    path: `${manage}/media/new`,
    fields: { title: 'Linked', media_type: 'video', url: 'https://x.example/a.webm' },
    made: () => count('GET /api/media', 'Linked'),
    leads: /\?done=item-added&id=\d+$/,
  },
  {
    path: manage,
    fields: { action: 'add-activity', description: 'Moved in' },
    made: async () => (await pool`select from site.activity_entry where description = 'Moved in'`).length,
    leads: /\?done=add-activity$/,
  },
]

for (const { path, fields, made, leads } of forms) {
  const { title = 'Activity' } = fields as { title?: string }
  test(`POST ${path} makes one thing of a form that is sent twice, or ten times at once (${title})`, async () => {
    const form_id = hiddenIn(await show(path), 'form_id')
    const form = { ...fields, form_id }
    const answers = [await send(path, form), await send(path, form)]
    assert.match(sameAnswers(answers), leads)
    assert.equal(await made(), 1)
    const other = { ...fields, form_id: hiddenIn(await show(path), 'form_id') }
    assert.notEqual(other.form_id, form_id)
    sameAnswers(await tenTimes(() => send(path, other)))
    assert.equal(await made(), 2, 'another form with the same text is another one')
  })
}

test(`POST ${manage}/drafts/{id} publishes a draft once, and ${manage}/posts/{id} saves a post once`, async () => {
  const draft = await send(`${manage}/posts/new`, { action: 'draft', title: 'Kept', content: 'c' })
  const path = new URL(draft.headers.get('location') ?? '').pathname
  const fieldsIn = (page: string) => ({
    form_id: hiddenIn(page, 'form_id'),
    version: hiddenIn(page, 'version'),
  })
  const publish = { action: 'publish', title: 'Kept', content: 'c', ...fieldsIn(await show(path)) }
  const led = sameAnswers(await tenTimes(() => send(path, publish)))
  assert.equal(await count('GET /api/news', 'Kept'), 1)
  const post = `${manage}/posts/${new URL(led).searchParams.get('id')}`
  const save = { action: 'publish', title: 'Corrected', content: 'c', ...fieldsIn(await show(post)) }
  assert.match(sameAnswers([await send(post, save), await send(post, save)]), /done=changed/)
})

test(`POST ${manage}/media/upload adds a picture once`, async () => {
  const page = await show(`${manage}/media/new`)
  const upload = (picture: Buffer, title: string) => {
    const form = new FormData()
    const fields = { form_token, form_id: hiddenIn(page, 'form_id'), title, description: '' }
    for (const [name, value] of Object.entries(fields)) form.append(name, value)
    form.append('picture', new Blob([new Uint8Array(picture)]), 'a.png')
    const headers = { ...sameOrigin, cookie }
    const path = `${app.url}${manage}/media/upload`
    return fetch(path, { method: 'POST', redirect: 'manual', headers, body: form })
  }
  const pictures = async () => (await pool`select from forge.site_picture`).length
  sameAnswers([await upload(dotPicture.bytes, 'Dot'), await upload(dotPicture.bytes, 'Dot')])
  assert.deepEqual([await count('GET /api/media', 'Dot'), await pictures()], [1, 1])
  sameAnswers(await tenTimes(() => upload(dotPicture.bytes, 'Many')))
  assert.deepEqual([await count('GET /api/media', 'Many'), await pictures()], [1, 2])
  assert.equal((await upload(pngHead(9, 9).bytes, 'Dot')).status, 303)
  assert.equal(await count('GET /api/media', 'Dot'), 2, 'another picture in the same form is sent')
})

test('a form that is sent again with another text is done, and so is one that was refused', async () => {
  const path = `${manage}/posts/new`
  const form_id = hiddenIn(await show(path), 'form_id')
  const publish = (title: string, content = 'c') => send(path, { action: 'publish', title, content, form_id })
  assert.equal((await publish('Written first')).status, 303)
  assert.equal((await publish('Written anew')).status, 303)
  assert.equal(await count('GET /api/news', 'Written anew'), 1)
  const before = (await pool`select from site.sent_form`).length
  const refused = await publish('Refused', ' ')
  assert.equal(refused.status, 422)
  assert.match(hiddenIn(await refused.text(), 'form_id'), /^[\w-]{36}$/)
  assert.equal((await pool`select from site.sent_form`).length, before, 'a refusal leaves nothing')
  for (const wrong of ['', 'a b', 'x'.repeat(101)])
    assert.equal(
      (await send(path, { action: 'publish', title: 'No id', content: 'c', form_id: wrong })).status,
      303,
    )
  assert.equal(await count('GET /api/news', 'No id'), 3)
})

test('a form is forgotten after a day', async () => {
  const left = async () => (await pool`select from site.sent_form`).length
  assert.ok((await left()) > 5)
  clock.tick(24 * 3_600_000 + 1)
  const params = { task: 'forget_idempotency_keys' }
  assert.equal((await call('POST /api/v1/admin/cron/{task}', { as: admin, params })).status, 204)
  await app.app.tools.schedule.idle()
  assert.equal(await left(), 0)
})
