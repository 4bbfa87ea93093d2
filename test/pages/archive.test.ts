import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../support/app.ts'
import { browserOf, hostile, root } from './browser.ts'
import { manageIn } from './managing.ts'

const app = await startApp()
const { url, call, pool, clock } = app
const { get, page } = browserOf(url)

test('GET /overview/news and GET /overview/media say when there is nothing', async () => {
  assert.match(await page('/overview/news'), /No posts yet\./)
  assert.match(await page('/overview/media'), /No pictures or films yet\./)
  assert.doesNotMatch(await page('/overview'), /All posts|All media/)
})

/** Posts and media of two full pages and a bit, two of them with the same time. */
async function publish() {
  for (let at = 0; at < 45; at++) {
    if (at !== 7) clock.tick(1000)
    const title = hostile[at] ?? `number ${at}`
    const content = at === 44 ? 'long '.repeat(200) : `content ${at}`
    await call('POST /api/news', { body: { title, content } })
    await call('POST /api/media', { body: { title, media_type: 'image', url: 'https://x.example/a.png' } })
  }
  await pool`update site.media_item set description = 'What is "seen"', url = repeat('u', 3000) where title = 'number 10'`
}

/** Texts of all pages of a list, by its links to what is older, or newer. */
async function walk(path: string, to: 'Older' | 'Newer' = 'Older'): Promise<string[]> {
  const pages = [await page(path)]
  for (;;) {
    const link = new RegExp(`href="https://forgehall\\.example([^"]+)">${to} `)
    const next = link.exec(pages.at(-1) ?? '')?.[1]
    if (next === undefined) return pages
    pages.push(await page(next))
  }
}

test('GET /overview/news lists all posts, twenty on a page, in the order of the API', async () => {
  await publish()
  const { body } = await call('GET /api/news', { query: { limit: 100 } })
  const pages = await walk('/overview/news')
  assert.equal(pages.length, 3)
  const shown = pages.map((text) => [...text.matchAll(/id="post-(\d+)"/g)].map(([, id]) => Number(id)))
  assert.deepEqual(
    shown.map((ids) => ids.length),
    [20, 20, 5],
  )
  assert.deepEqual(
    shown.flat(),
    body.map(({ id }: { id: number }) => id),
  )
  const last = /href="https:\/\/forgehall\.example([^"]+)">Older /.exec(pages[1] ?? '')?.[1] ?? ''
  const back = await walk(last, 'Newer')
  assert.deepEqual(
    back.map((text) => text.match(/id="post-/g)?.length),
    [5, 20, 20],
  )
  assert.deepEqual(back.at(-1), pages[0])
  assert.match(pages[0] ?? '', /long long[^<]*…<\/p>/)
  assert.doesNotMatch(pages[0] ?? '', /Newer posts/)
  assert.match(
    pages[1] ?? '',
    /<title>News until \d{4}-\d\d-\d\d · [\s\S]*\/overview\/news\?at=newer[^"]*">Newer posts[\s\S]*\?at=older[^"]*">Older posts/,
  )
  assert.ok((await page('/overview')).includes(`href="${root}overview/news">All posts`))
})

test('GET /overview/media lists all items with their descriptions, and shows no address that is too long', async () => {
  const pages = await walk('/overview/media')
  assert.deepEqual(
    pages.map((text) => text.match(/<figure>/g)?.length),
    [20, 20, 5],
  )
  const text = pages.join('')
  assert.equal(text.match(/Its address cannot be shown/g)?.length, 1)
  assert.doesNotMatch(text, /uuuu/)
  assert.ok((await page('/overview')).includes(`href="${root}overview/media">All media`))
})

test('GET /overview/news and GET /overview/media show a part for each place, and are 304 to those who have it', async () => {
  for (const path of ['/overview/news', '/overview/media']) {
    const first = await get(path)
    const etag = first.headers.get('etag') ?? ''
    const text = await first.text()
    const wrong = ['', '2', 'x', 'older', 'older.x.1', 'older.1', 'older.-99999999999999.1', 'other.1.1']
    for (const at of [
      ...wrong,
      'older.999999999999999.1',
      'older.1.9999999999999999',
      'newer.253402300799999.0',
    ])
      assert.equal(await page(`${path}?at=${at}`), text, at)
    assert.equal(await page(`${path}?at=older.1&at=older.2`), text)
    const end = await page(`${path}?at=older.-62135596800000.1`)
    assert.match(end, />Newer (?:posts|media)</, 'the last ones where nothing is older')
    assert.doesNotMatch(end, />Older /)
    assert.match(end, /id="post-1"|>&lt;script&gt;alert/)
    assert.equal((await get(path, { 'if-none-match': etag })).status, 304)
    await call('POST /api/news', { body: { title: 'newest', content: 'c' } })
    await call('POST /api/media', { body: { title: 'newest', media_type: 'video', url: 'u' } })
    assert.equal((await get(path, { 'if-none-match': etag })).status, 200)
    assert.match(await page(path), /newest/)
  }
})

test('GET /overview/news shows neither drafts nor what was removed, and tells who is signed in', async () => {
  const { body: post } = await call('POST /api/news', { body: { title: 'Taken back', content: 'c' } })
  assert.match(await page('/overview/news'), /Taken back/)
  await call('DELETE /api/news/{id}', { params: { id: post.id } })
  const editor = await manageIn(app)
  await editor.done('/overview/manage/posts/new', { action: 'draft', title: 'Unfinished', content: 'c' })
  for (const text of await walk('/overview/news')) assert.doesNotMatch(text, /Taken back|Unfinished/)
  for (const path of ['/overview/news', '/overview/media']) {
    assert.match(await editor.show(path), /class="menu-name">/)
    assert.doesNotMatch(await page(path), /class="menu-name">/)
  }
  const { body: kept } = await call('POST /api/news', { body: { title: 'Kept', content: 'c' } })
  const edit = new RegExp(`href="[^"]*/overview/manage/posts/${kept.id}">Edit<`)
  assert.match(await editor.show(`/overview/news/${kept.id}`), edit)
  assert.doesNotMatch(await page(`/overview/news/${kept.id}`), edit)
})
