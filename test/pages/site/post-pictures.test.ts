import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { photo } from '../../support/forge/photo.ts'
import { dotPicture, pngHead } from '../../support/forge/pictures.ts'
import { holdClean, root } from '../browser.ts'
import { type Files, sendFiles } from '../forms.ts'
import { hiddenIn, manage, manageIn } from '../managing.ts'

const data = join(await temporaryFolder(), 'data')
const app = await startApp({ DATA_DIR: data })
const { call, pool, url } = app
const { cookie, done, form_token, show } = await manageIn(app)
const fresh = `${manage}/posts/new`
const dot = new Uint8Array(dotPicture.bytes)

const publish = { action: 'publish', title: 'Moved in', format: 'markdown', content: 'See ![us](us.gif).' }
const send = (path: string, fields: Readonly<Record<string, string>>, files: Files, token = form_token) =>
  sendFiles(url, { cookie }, path, { form_token: token, ...fields }, files)

const leftOver = () => readdir(join(data, 'packages', '.temporary')).catch(() => [])

/** Rows of pictures and items, and uploads that no row has taken. */
async function kept(): Promise<number[]> {
  const pictures = (await pool`select from forge.site_picture`).count
  const items = (await pool`select from site.media_item`).count
  return [pictures, items, (await leftOver()).length]
}

async function refused(path: string, fields: object, files: Files, status: number): Promise<string> {
  const before = await kept()
  const response = await send(path, { ...publish, ...fields }, files)
  const page = await response.text()
  assert.equal(response.status, status, page)
  holdClean(page)
  assert.deepEqual(await kept(), before, 'nothing is kept of it')
  return page
}

/** A new post, a draft and a published post, which each take pictures. */
async function paths(): Promise<readonly string[]> {
  const draft = await done(fresh, { ...publish, action: 'draft' })
  const post = await done(fresh, publish)
  const id = /id=(\d+)/.exec(post)?.[1] ?? ''
  return [fresh, manage + draft.split('?')[0], `${manage}/posts/${id}`]
}

test(`POST ${fresh}, drafts/{id} and posts/{id} publish pictures with the text that names them, once`, async () => {
  for (const path of await paths()) {
    const page = await show(path)
    const ids = { form_id: hiddenIn(page, 'form_id'), version: hiddenIn(page, 'version') }
    const [before = 0] = await kept()
    const answers = await Promise.all([1, 2].map(() => send(path, { ...publish, ...ids }, [['us.gif', dot]])))
    const [to, again] = answers.map(({ headers }) => headers.get('location') ?? '')
    assert.equal(to, again, path)
    assert.equal((await kept())[0], before + 1, path)
    const id = /id=(\d+)/.exec(to ?? '')?.[1] ?? assert.fail(`${path} leads to ${to}`)
    const { content } = (await call('GET /api/news')).body.find(
      (post: { id: number }) => post.id === Number(id),
    )
    const [, address = ''] =
      new RegExp(`^See !\\[us\\]\\(${root}(api/media/pictures/[\\w-]+\\.gif)\\)\\.$`).exec(content) ?? []
    const picture = await fetch(`${url}/${address}`)
    assert.deepEqual(Buffer.from(await picture.arrayBuffer()), dotPicture.bytes, content)
    assert.match(await show(`/overview/news/${id}`), new RegExp(`<img [^>]*src="${root}${address}"`))
  }
  const items = await pool<{ title: string }[]>`select distinct title from site.media_item`
  assert.deepEqual([...items], [{ title: 'us.gif' }])
})

test(`POST ${fresh} keeps nothing of a photo that says where it was taken, and writes a text of pictures alone`, async () => {
  const shot = new Uint8Array(photo({}))
  const fields = { ...publish, title: 'Shots', content: '' }
  assert.equal((await send(fresh, fields, [['a (1).jpg', shot]])).status, 303)
  const { content } = (await call('GET /api/news')).body.find(
    ({ title }: { title: string }) => title === 'Shots',
  )
  const [, address = ''] = new RegExp(`^!\\[a \\(1\\)\\.jpg\\]\\(${root}(.+\\.jpeg)\\)$`).exec(content) ?? []
  assert.deepEqual(
    Buffer.from(await (await fetch(`${url}/${address}`)).arrayBuffer()),
    photo({ isBare: true }),
  )
})

test(`POST ${fresh}, drafts/{id} and posts/{id} refuse files that are no pictures, too large or too many`, async () => {
  const large = new Uint8Array(10 * 1024 * 1024 + 1)
  const many: Files = Array.from({ length: 9 }, (_, at) => [`${at}.gif`, dot])
  for (const path of await paths()) {
    const drawing: Files = [
      ['us.gif', dot],
      ['a.svg', '<svg onload="alert(1)"/>'],
    ]
    assert.match(await refused(path, {}, drawing, 422), /picture a\.svg must be a PNG/)
    const wide = new Uint8Array(pngHead(16_385, 1).bytes)
    assert.match(await refused(path, {}, [['b.png', wide]], 422), /more than 16384 pixels/)
    assert.match(await refused(path, {}, [['c.png', large]], 413), /c\.png is larger than/)
    assert.match(await refused(path, {}, many, 422), /At most 8 files/)
    assert.match(await refused(path, { format: 'plain' }, [['us.gif', dot]], 422), /shows no pictures/)
    assert.match(await refused(path, { title: '' }, [['us.gif', dot]], 422), /must not be empty/)
  }
  assert.equal((await send(fresh, publish, [['us.gif', dot]], 'x')).status, 403)
  assert.match(await refused(fresh, { upload: 'sent' }, [], 422), /Choose the pictures again/)
})

test(`POST ${fresh} takes no pictures of who is not signed in, and keeps the text`, async () => {
  const before = await kept()
  const response = await sendFiles(url, { cookie: '' }, fresh, publish, [['us.gif', dot]])
  assert.equal(response.status, 401)
  assert.match(await response.text(), /name="kept-content" value="See |See !\[us\]\(us\.gif\)/)
  assert.deepEqual(await kept(), before)
})
