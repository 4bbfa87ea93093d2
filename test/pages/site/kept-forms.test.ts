import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { samePassword } from '../../support/forge/make.ts'
import { dotPicture, pngHead } from '../../support/forge/pictures.ts'
import { cookieIn, holdClean, root, sameOrigin, send } from '../browser.ts'
import { hiddenIn, manage, manageIn } from '../managing.ts'

const app = await startApp()
const { call, pool, url } = app
const { done, form_token, show } = await manageIn(app)

const hostile = '"><script>alert(1)</script>\r\nsecond line & übel'

const post = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  send(url, path, fields, headers)

/** A text as it stands in an attribute. */
const unescaped = (text: string) =>
  text.replace(/&(?:#(\d+)|(lt|gt|quot|amp));/g, (_, code: string | undefined, name: string) =>
    code === undefined
      ? ({ lt: '<', gt: '>', quot: '"', amp: '&' }[name] ?? '')
      : String.fromCodePoint(Number(code)),
  )

/** All hidden fields of a page. */
const hiddenFields = (page: string) =>
  Object.fromEntries(
    [...page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)].map(
      ([, name = '', value = '']) => [unescaped(name), unescaped(value)],
    ),
  )

/** Signs in on the page that a form without a session has led to; gives the page after it, and its session. */
async function signInOn(page: string) {
  const fields = { ...hiddenFields(page), user: 'editor', password: samePassword }
  const response = await post('/login', fields)
  const cookie = cookieIn(response)
  return { status: response.status, cookie, page: await response.text() }
}

/** What is written on the site: rows of all tables that the editor writes. */
const written = () => pool`
  select 'post' as kind, title as text from site.news_post
  union all select 'draft', title from site.news_draft
  union all select 'item', title from site.media_item
  union all select 'activity', description from site.activity_entry
  order by 1, 2`

/** Makes what is edited, and gives the forms, with what they make public. */
async function forms() {
  const { body: item } = await call('POST /api/media', {
    body: { title: 'item', media_type: 'video', url: 'https://x.example/a.webm' },
  })
  const { body: edited } = await call('POST /api/news', { body: { title: 'post', content: 'c' } })
  const draft = await done(`${manage}/posts/new`, { action: 'draft', title: 'draft', content: 'c' })
  const paths = {
    post: `${manage}/posts/${edited.id}`,
    draft: manage + draft.replace(/\?.*/, ''),
    item: `${manage}/media/${item.id}`,
  }
  const version = async (path: string) => ({ version: hiddenIn(await show(path), 'version') })
  const text = { action: 'publish', title: hostile, content: hostile }
  const film = { title: hostile, url: 'https://x.example/b.webm' }
  return [
    [`${manage}/posts/new`, { ...text, publish_at: '' }],
    [paths.post, { ...text, ...(await version(paths.post)) }],
    [paths.draft, { ...text, ...(await version(paths.draft)) }],
    [`${manage}/media/new`, { ...film, media_type: 'video' }],
    [paths.item, { ...film, ...(await version(paths.item)) }],
    [manage, { action: 'add-activity', description: hostile }],
  ] as const
}

test('a form that is sent after the end of the session waits in the sign-in page, and is sent after the sign-in', async () => {
  for (const [path, fields] of await forms()) {
    const before = await written()
    const sent = await post(path, { ...fields, form_token }, { cookie: `__Host-forgehall=${'a'.repeat(43)}` })
    assert.equal(sent.status, 401, path)
    assert.equal(sent.headers.get('www-authenticate'), null)
    const page = await sent.text()
    holdClean(page)
    assert.match(page, /role="alert">You are not signed in any more/)
    const wrong = await post('/login', { ...hiddenFields(page), user: 'editor', password: 'wrong' })
    assert.equal(wrong.status, 401)
    const second = await signInOn(await wrong.text())
    assert.equal(second.status, 200)
    holdClean(second.page)
    assert.match(second.page, /<h1>You are signed in again/)
    assert.match(second.page, new RegExp(`action="${root.slice(0, -1)}${path}"[\\s\\S]*<button autofocus>`))
    assert.deepEqual(await written(), before, 'nothing is published before it is sent')
    const kept = hiddenFields(second.page)
    assert.notEqual(kept.form_token, form_token)
    assert.deepEqual({ ...kept, form_token }, { ...fields, form_token })
    const { status } = await post(path, kept, { cookie: second.cookie })
    assert.equal(status, 303, path)
    assert.ok(
      (await written()).some(({ text }) => text === hostile),
      path,
    )
    assert.notDeepEqual(await written(), before)
    await pool`update site.news_post set title = 'x'`
    await pool`update site.media_item set title = 'x'`
  }
})

const uploadPath = `${manage}/media/upload`

/** Sends the form with a picture; its texts come first. */
function upload(fields: Record<string, string>, picture: Buffer, headers: Record<string, string> = {}) {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append('picture', new Blob([new Uint8Array(picture)]), 'a.png')
  return fetch(url + uploadPath, {
    method: 'POST',
    redirect: 'manual',
    headers: { ...sameOrigin, ...headers },
    body: form,
  })
}

test('the texts of a picture that is sent after the end of the session wait, and the picture is chosen again', async () => {
  const before = await written()
  const texts = { title: hostile.replace('\r\n', ' '), description: 'A <dot>' }
  for (const picture of [dotPicture.bytes, pngHead(9, 9, 3_000_000).bytes]) {
    const sent = await upload({ ...texts, form_token }, picture)
    assert.equal(sent.status, 401)
    const signInPage = await sent.text()
    holdClean(signInPage)
    const next = await signInOn(signInPage)
    assert.match(next.page, /The picture could not wait: choose it again[\s\S]*<button autofocus>Go on</)
    holdClean(next.page)
    const kept = hiddenFields(next.page)
    assert.equal(kept.title, texts.title)
    const form = await post(`${manage}/media/new`, kept, { cookie: next.cookie })
    assert.equal(form.status, 422)
    const page = await form.text()
    holdClean(page)
    assert.match(
      page,
      /id="upload-title"[^>]*value="[^"]*second line|value="[^"]*second line[^"]*" id="upload-title"/,
    )
    assert.match(page, /value="A &lt;dot&gt;" id="upload-description"/)
    assert.match(
      page,
      /id="picture"[^>]* autofocus>\s*<p class="fault" id="picture-fault">Choose the picture again/,
    )
    assert.deepEqual(await written(), before)
    const fresh = { ...texts, form_token: hiddenIn(page, 'form_token') }
    const stale = await upload({ ...texts, form_token }, picture, { cookie: next.cookie })
    assert.equal(stale.status, 403, 'a form of the session before')
    assert.match(await stale.text(), /Send it once more[\s\S]*value="A &lt;dot&gt;" id="upload-description"/)
    assert.deepEqual(await written(), before)
    assert.equal((await upload(fresh, picture, { cookie: next.cookie })).status, 303)
    await pool`delete from site.media_item where title = ${texts.title}`
  }
})

test('who is not signed in sends no picture, and a form that cannot be read does not wait', async () => {
  for (const [body, type] of [
    ['x', 'text/plain'],
    ['x', 'multipart/form-data; boundary=x'],
    ['x', 'multipart/form-data'],
    [`--x\r\n${'a'.repeat(100_000)}`, 'multipart/form-data; boundary=x'],
  ] as const) {
    const sent = await fetch(url + uploadPath, {
      method: 'POST',
      redirect: 'manual',
      headers: { ...sameOrigin, 'content-type': type },
      body,
    })
    assert.equal(sent.status, 401, type)
    assert.doesNotMatch(await sent.text(), /name="kept\.title"/)
  }
  const foreign = { 'sec-fetch-site': 'cross-site' }
  assert.equal((await upload({ title: 'x' }, dotPicture.bytes, foreign)).status, 403)
})

test('a form does not wait if it came from another site, has a password, or is too large', async () => {
  const path = `${manage}/posts/new`
  const text = { action: 'publish', title: 'kept', content: 'c' }
  for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'none' }])
    assert.equal((await post(path, text, headers)).status, 403)
  const many = Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`field${at}`, '']))
  for (const more of [
    { password: 'x' },
    { new_Password: 'x' },
    { content: 'x'.repeat(900_000) },
    many,
  ] as Record<string, string>[]) {
    const { status, headers } = await post(path, { ...text, ...more })
    assert.equal(status, 303)
    assert.match(headers.get('location') ?? '', /^https:\/\/forgehall\.example\/login/)
  }
})

test('POST /login shows no form that was sent to another place', async () => {
  for (const kept_path of [
    'https://evil.example/',
    '//evil.example/',
    'javascript:alert(1)',
    '/login/out',
    '',
  ]) {
    const fields = { user: 'editor', password: samePassword, kept_path, 'kept.title': 'x' }
    const { status, headers } = await post('/login', fields)
    assert.deepEqual([status, headers.get('location')], [303, root], kept_path)
  }
})

test('the form of somebody who may not manage the site is refused after the sign-in', async () => {
  await app.make.person({ name: 'reader' })
  const page = await (await post(`${manage}/posts/new`, { title: 'mine', content: 'c' })).text()
  const response = await post('/login', {
    ...hiddenFields(page),
    user: 'reader',
    password: samePassword,
  })
  assert.equal(response.status, 200)
  const cookie = cookieIn(response)
  const kept = hiddenFields(await response.text())
  assert.deepEqual(kept, { title: 'mine', content: 'c' })
  assert.equal((await post(`${manage}/posts/new`, kept, { cookie })).status, 403)
})
