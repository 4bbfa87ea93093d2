import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from '../../src/log.ts'
import { publishScheduled } from '../../src/site/drafts.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { basic, samePassword } from '../support/forge/make.ts'
import { dotPicture, pngHead } from '../support/forge/pictures.ts'
import { root, sameOrigin } from './browser.ts'
import { hiddenIn, manage, manageIn } from './managing.ts'

const app = await startApp()
const { call, clock, pool } = app
const { admin, cookie, done, form_token, get, send, show } = await manageIn(app)
const fresh = `${manage}/posts/new`

const news = async () => (await call('GET /api/news')).body
const titles = async () => (await news()).map(({ title }: { title: string }) => title)
const idOf = (address: string) => /[?&]id=(\d+)/.exec(address)?.[1] ?? ''
/** Runs a task to its end. */
async function runTask(task: string, { call: ask, app: { tools } } = app as TestApp): Promise<void> {
  const params = { task }
  assert.equal((await ask('POST /api/v1/admin/cron/{task}', { as: admin, params })).status, 204)
  await tools.schedule.idle()
}

/** The task of another process, which runs at the same time. */
const publishDue = () =>
  publishScheduled(async () => {}).run({
    sql: pool,
    begin: app.make.begin,
    now: clock.now(),
    log: createLog('error', app.log),
    signal: new AbortController().signal,
  })
const minutes = (count: number) => new Date(clock.now().getTime() + count * 60_000).toISOString().slice(0, 16)

/** What of the site the public sees, in every operation that lists posts or media. */
async function publicView(): Promise<string> {
  const stream = await fetch(`${app.url}/api/stats/stream`)
  const reader = stream.body?.getReader()
  let events = ''
  while (!events.includes('event: general') || !events.includes('event: news'))
    events += Buffer.from((await reader?.read())?.value ?? []).toString()
  await reader?.cancel()
  const answers = await Promise.all(
    ['GET /api/news', 'GET /api/media', 'GET /api/stats/overview'].map(
      async (literal) => (await call(literal)).body,
    ),
  )
  const pages = await Promise.all(
    ['/', '/overview'].map(async (path) => (await fetch(app.url + path)).text()),
  )
  return JSON.stringify([events, answers, pages])
}

test(`POST ${fresh} publishes a post, which the API shows as any other`, async () => {
  const to = await done(fresh, {
    action: 'publish',
    title: 'First',
    content: 'It **works**.',
    format: 'markdown',
  })
  assert.match(to, /^\?done=published&id=\d+$/)
  const [post] = await news()
  assert.deepEqual(post, {
    id: Number(idOf(to)),
    title: 'First',
    content: 'It **works**.',
    created_at: clock.now().toISOString(),
  })
  assert.match(
    await show(manage + to),
    /The post is published\. <a href="[^"]*\/overview\/news\/\d+" autofocus>/,
  )
  assert.match(
    await show(`/overview/news/${post.id}`),
    /<div class="rendered"><p[^>]*>It <strong>works<\/strong>\./,
  )
  for (const path of ['/', '/overview'])
    assert.match(await (await fetch(app.url + path)).text(), />It works\.</, 'lists show no marks')
})

test(`POST ${manage}/posts/{id} corrects a post, whose id, time and place stay`, async () => {
  const { body } = await call('POST /api/news', { body: { title: 'Tpyo', content: '**as sent**' } })
  assert.match(
    await show(`/overview/news/${body.id}`),
    /<p class="prose-text" dir="auto">\*\*as sent\*\*<\/p>/,
  )
  const path = `${manage}/posts/${body.id}`
  const page = await show(path)
  assert.match(page, /value="plain" selected/, 'what the API sent stays plain text')
  clock.tick(1000)
  const fields = { action: 'publish', title: 'Typo', content: '**as sent**', format: 'plain' }
  const to = await done(path, { ...fields, version: hiddenIn(page, 'version') })
  assert.equal(to, `?done=changed&id=${body.id}`)
  const [post] = await news()
  assert.deepEqual(post, { ...body, title: 'Typo' })
  assert.match(await show(`/overview/news/${body.id}`), /changed <time/)
})

test(`POST ${manage}/posts/{id} shows the second of two editors what the first one has saved`, async () => {
  const { body } = await call('POST /api/news', { body: { title: 'Shared', content: 'old' } })
  const path = `${manage}/posts/${body.id}`
  const version = hiddenIn(await show(path), 'version')
  await done(path, { action: 'publish', title: 'Shared', content: 'of the first', version })
  const second = await send(path, { action: 'publish', title: 'Mine', content: 'of the second', version })
  assert.equal(second.status, 409)
  const page = await second.text()
  assert.match(page, /What it says now[\s\S]*of the first[\s\S]*value="Mine"[\s\S]*of the second/)
  assert.equal((await news())[0].content, 'of the first')
  const seen = hiddenIn(page, 'version')
  await done(path, { action: 'publish', title: 'Mine', content: 'of both', version: seen })
  assert.equal((await news())[0].content, 'of both')
  for (const wrong of ['', '0', '-1', 'x', '1e9', '99999999999'])
    assert.equal(
      (await send(path, { action: 'publish', title: 'a', content: 'b', version: wrong })).status,
      409,
    )
})

test(`POST ${fresh} shows a preview, and publishes nothing`, async () => {
  const before = await titles()
  const fields = { title: 'Seen <first>', content: '# One\n\n<script>alert(1)</script>', format: 'markdown' }
  const response = await send(fresh, { ...fields, action: 'preview' })
  assert.equal(response.status, 200)
  const page = await response.text()
  assert.match(page, /Preview: nothing is published yet[\s\S]*Seen &lt;first&gt;[\s\S]*<h1[^>]*>One/)
  assert.doesNotMatch(page, /<script>alert/)
  assert.match(page, /value="Seen &lt;first&gt;"[\s\S]*# One/, 'the form keeps the text')
  assert.deepEqual(await titles(), before)
})

test(`POST ${fresh} keeps drafts, which nobody else sees, and publishes them once`, async () => {
  const before = await publicView()
  const to = await done(fresh, { action: 'draft', title: '', content: 'hidden words' })
  assert.match(to, /^\/drafts\/\d+\?done=draft$/)
  const [path = ''] = (manage + to).split('?')
  assert.match(await show(manage + to), /The text is saved as a draft/)
  assert.match(await show(manage), /Drafts and scheduled posts[\s\S]*Without a title/)
  assert.equal(await publicView(), before)
  const version = hiddenIn(await show(path), 'version')
  await done(path, { action: 'draft', title: 'Kept', content: 'hidden words', version })
  const stale = await send(path, { action: 'draft', title: 'x', content: 'y', version })
  assert.equal(stale.status, 409)
  assert.match(await stale.text(), /What it says now[\s\S]*Kept/)
  const latest = hiddenIn(await show(path), 'version')
  const ids = (await news()).map(({ id }: { id: number }) => id)
  clock.tick(1000)
  const published = await done(path, {
    action: 'publish',
    title: 'Kept',
    content: 'hidden words',
    version: latest,
  })
  const [post] = await news()
  assert.equal(post.created_at, clock.now().toISOString())
  assert.ok(post.id > Math.max(...ids), 'its id is the newest, like its time')
  assert.equal(idOf(published), String(post.id))
  assert.equal((await get(path)).status, 404)
  const again = await send(path, { action: 'publish', title: 'Kept', content: 'too late', version: latest })
  assert.equal(again.status, 404)
  assert.match(await again.text(), /no longer there[\s\S]*action="[^"]*\/posts\/new"[\s\S]*too late/)
})

test(`POST ${fresh} refuses what is missing or no time, beside the field, and keeps the rest`, async () => {
  const before = await titles()
  for (const [fields, fault] of [
    [{ action: 'publish', title: '', content: 'kept' }, 'title'],
    [{ action: 'publish', title: 'kept', content: ' ' }, 'content'],
    [{ action: 'draft', title: ' ', content: '' }, 'title'],
    ...['soon', '2026-02-30T10:00', '2026-01-31', '12026-01-01T00:00', '2026-01-31T25:00'].map(
      (publish_at) =>
        [{ action: 'publish', title: 'kept', content: 'kept', publish_at }, 'publish_at'] as const,
    ),
  ] as const) {
    const response = await send(fresh, fields)
    assert.equal(response.status, 422, JSON.stringify(fields))
    const page = await response.text()
    assert.match(page, new RegExp(`id="${fault}-fault"`))
    const focused = /<(?:input|textarea)[^>]* id="(\w+)"[^>]* autofocus/.exec(page)?.[1]
    const named = /id="(\w+)"[^>]*autofocus/.exec(page)?.[1]
    assert.equal(focused ?? named, fault, 'the page opens at the fault')
  }
  assert.deepEqual(await titles(), before)
})

test('a scheduled post is published at its time, once, by one of several processes', async () => {
  const before = await publicView()
  const at = minutes(60)
  assert.match(
    await done(fresh, { action: 'publish', title: 'Later', content: 'c', publish_at: at }),
    /done=scheduled/,
  )
  await done(fresh, { action: 'publish', title: 'Far away', content: 'c', publish_at: '9999-12-31T23:59' })
  assert.equal(await publicView(), before)
  assert.match(await show(manage), /scheduled<\/span> appears <time datetime="9999-12-31T23:59:00\.000Z"/)
  await runTask('publish_scheduled')
  assert.equal((await titles()).includes('Later'), false)
  clock.tick(61 * 60_000)
  await Promise.all([publishDue(), runTask('publish_scheduled'), publishDue(), publishDue()])
  await runTask('publish_scheduled')
  const posts = (await news()).filter(({ title }: { title: string }) => title === 'Later')
  assert.equal(posts.length, 1)
  const all = await news()
  assert.equal(posts[0].id, Math.max(...all.map(({ id }: { id: number }) => id)))
  assert.ok(posts[0].created_at >= `${at}:00.000Z`, 'its time is that of its publication')
  assert.equal((await titles()).includes('Far away'), false)
})

test('a post that is scheduled in the past is published at once', async () => {
  const to = await done(fresh, {
    action: 'publish',
    title: 'Past',
    content: 'c',
    publish_at: '0001-01-01T00:00',
  })
  assert.match(to, /done=published/)
  assert.equal((await news())[0].created_at, clock.now().toISOString())
})

test('removed posts and media are in the trash, and are restored with their id, time and text', async () => {
  const { body: post } = await call('POST /api/news', { body: { title: 'Gone <b>', content: 'c' } })
  const media = { title: 'Lost', media_type: 'image', url: 'https://x.example/a.png' }
  const { body: item } = await call('POST /api/media', { body: media })
  const before = await publicView()
  const page = await show(manage)
  assert.match(
    page,
    /<summary aria-label="Remove Gone &lt;b&gt;">Remove<\/summary>[\s\S]*Remove it from the site\?/,
  )
  const removed = await done(manage, { action: 'remove-post', id: String(post.id) })
  await done(manage, { action: 'remove-item', id: String(item.id) })
  assert.doesNotMatch(await publicView(), /Gone|Lost/)
  for (const path of [`/overview/news/${post.id}`, `${manage}/posts/${post.id}`])
    assert.equal((await get(path)).status, 404)
  const notice = await show(manage + removed)
  assert.match(notice, /in the trash[\s\S]*value="restore-post"[\s\S]*<button class="small" autofocus>Undo</)
  assert.match(await show(`${manage}/trash`), /Gone &lt;b&gt;[\s\S]*Lost/)
  await done(manage, { action: 'restore-post', id: String(post.id) })
  await done(manage, { action: 'restore-item', id: String(item.id), back: 'trash' })
  assert.equal(withoutIds(await publicView()), withoutIds(before))
  for (const action of ['restore-post', 'delete-post', 'restore-item', 'delete-item'])
    assert.equal((await send(manage, { action, id: String(post.id) })).status, 404, action)
})

/** Ids of events are counted on by each change. */
const withoutIds = (view: string) => view.replace(/id: [\w-]+\.\d+/g, 'id')

test(`POST ${manage}/media/new and ${manage}/media/{id} add and correct a media item`, async () => {
  const item = { title: 'Film', media_type: 'video', url: 'https://x.example/a.webm', description: 'A <i>' }
  const id = idOf(await done(`${manage}/media/new`, item))
  const path = `${manage}/media/${id}`
  const page = await show(path)
  assert.match(page, /value="A &lt;i&gt;"/)
  const version = hiddenIn(page, 'version')
  const { description, ...rest } = item
  const corrected = { ...rest, title: 'The film', description, version }
  assert.equal(await done(path, corrected), `?done=item-changed&id=${id}`)
  const [shown] = (await call('GET /api/media')).body
  assert.deepEqual([shown.id, shown.title, shown.media_type], [Number(id), 'The film', 'video'])
  const second = await send(path, { ...corrected, title: 'Mine' })
  assert.equal(second.status, 409)
  assert.match(await second.text(), /What it says now[\s\S]*The film[\s\S]*value="Mine"/)
  for (const wrong of ['', 'x', '99999999999'])
    assert.equal((await send(path, { ...corrected, version: wrong })).status, 409)
  for (const at of [`${manage}/media/new`, path])
    for (const url of ['', 'javascript:alert(1)', 'x']) {
      const refused = await send(at, { ...corrected, url })
      assert.equal(refused.status, 422)
      assert.match(await refused.text(), /id="url-fault"/)
    }
  for (const unknown of [`${manage}/media/999999`, `${manage}/posts/999999`, `${manage}/drafts/999999`]) {
    assert.equal((await get(unknown)).status, 404)
    const fields = { action: 'publish', title: 'a', content: 'b', url: 'https://x.example/', version: '1' }
    assert.equal((await send(unknown, fields)).status, 404)
  }
})

test(`POST ${manage}/media/upload adds a picture, and shows what is refused beside the field`, async () => {
  const upload = (picture: Buffer, more: Record<string, string> = {}) => {
    const form = new FormData()
    for (const [name, value] of Object.entries({
      form_token,
      title: 'Sent',
      description: 'A "dot"',
      ...more,
    }))
      form.append(name, value)
    form.append('picture', new Blob([new Uint8Array(picture)]), 'a.png')
    return fetch(`${app.url}${manage}/media/upload`, {
      method: 'POST',
      redirect: 'manual',
      headers: { ...sameOrigin, cookie },
      body: form,
    })
  }
  const sent = await upload(dotPicture.bytes)
  assert.equal(sent.status, 303)
  const id = idOf(sent.headers.get('location') ?? '')
  const [item] = (await call('GET /api/media')).body
  assert.deepEqual([String(item.id), item.title], [id, 'Sent'])
  const page = await show(`${manage}/media/${id}`)
  assert.match(page, /<img src="[^"]*\/api\/media\/pictures\/[^"]*" alt="A &#34;dot&#34;"/)
  assert.doesNotMatch(page, /type="url"/, 'the address of a picture that is here stays')

  // The form of a post leads here, and takes the line that the page has.
  assert.match(await show(fresh), new RegExp(`href="${root}${manage.slice(1)}/media/new" target="_blank"`))
  const line = /In the text of a post: <code>([^<]*)<\/code>/.exec(page)?.[1]?.replaceAll('&#34;', '"') ?? ''
  const preview = await send(fresh, {
    action: 'preview',
    title: 'With it',
    content: line,
    format: 'markdown',
  })
  assert.match(await preview.text(), /<img [^>]*src="[^"]*\/api\/media\/pictures\/[^"]*"/)

  const fields = { title: 'Renamed', url: hiddenIn(page, 'url'), version: hiddenIn(page, 'version') }
  await done(`${manage}/media/${id}`, { ...fields, picture: 'own' })
  assert.deepEqual((await call('GET /api/media')).body[0], { ...item, title: 'Renamed' })
  for (const [picture, more, status, fault] of [
    [Buffer.from('<svg/>'), {}, 415, 'picture'],
    [pngHead(20_000, 20_000).bytes, {}, 422, 'picture'],
    [pngHead(9, 9, 10 * 1024 * 1024).bytes, {}, 413, 'picture'],
    [dotPicture.bytes, { title: ' ' }, 422, 'upload-title'],
    [dotPicture.bytes, { form_token: 'x' }, 403, undefined],
  ] as const) {
    const refused = await upload(picture, more)
    assert.equal(refused.status, status)
    const text = await refused.text()
    if (fault) assert.match(text, new RegExp(`id="${fault}-fault"[\\s\\S]*`))
    if (fault) assert.match(text, /id="upload-description"[^>]*|value="A &#34;dot&#34;"/)
  }
  assert.equal((await call('GET /api/media')).body.length > 0, true)
})

test('each form of the editor shows a preview, shows faults, and refuses NUL', async () => {
  const { body } = await call('POST /api/news', { body: { title: 'Formed', content: 'old' } })
  const kept = await done(fresh, { action: 'draft', title: 'Begun', content: 'x' })
  const [, draft = ''] = /drafts\/(\d+)/.exec(kept) ?? []
  for (const path of [fresh, `${manage}/posts/${body.id}`, `${manage}/drafts/${draft}`]) {
    const version = hiddenIn(await show(path), 'version')
    const fields = { title: 'Seen', content: 'It **works**.', format: 'markdown', version }
    const preview = await send(path, { ...fields, action: 'preview' })
    assert.equal(preview.status, 200, path)
    assert.match(await preview.text(), /<strong>works<\/strong>/, path)
    const faulty = await send(path, { ...fields, action: 'publish', title: ' ' })
    assert.equal(faulty.status, 422, path)
    assert.match(await faulty.text(), /id="title-fault"/, path)
  }
  const forms = [fresh, `${manage}/posts/${body.id}`, `${manage}/drafts/${draft}`, `${manage}/media/new`]
  for (const path of [...forms, `${manage}/media/1`])
    assert.equal((await send(path, { action: 'publish', title: 'a\0' })).status, 400, path)
  const form = new FormData()
  form.append('form_token', form_token)
  const cut = { method: 'POST', headers: { ...sameOrigin, cookie }, body: form }
  assert.equal((await fetch(`${app.url}${manage}/media/upload`, cut)).status, 400)
  assert.equal((await news())[0].content, 'old')
})

test('only administrators use the editor, and nobody on a server without writes', async () => {
  await app.make.person({ name: 'reader' })
  const paths = ['/posts/new', '/posts/1', '/drafts/1', '/media/new', '/media/1', '/trash'].map(
    (path) => manage + path,
  )
  for (const path of paths) {
    const { status, headers } = await fetch(app.url + path, { redirect: 'manual' })
    assert.equal(status, 303)
    assert.match(headers.get('location') ?? '', /\/login\?next=/)
    const asReader = { headers: { authorization: basic('reader', samePassword).authorization } }
    assert.equal((await fetch(app.url + path, { redirect: 'manual', ...asReader })).status, 303)
  }
  const off = await startApp({ SITE_WRITES: 'off' })
  const editor = await manageIn(off)
  for (const path of paths) assert.equal((await editor.get(path)).status, 403, path)
  for (const path of paths.filter((each) => !each.endsWith('trash')))
    assert.equal((await editor.send(path, { action: 'draft', title: 'a', content: 'b' })).status, 403, path)
  for (const action of ['remove-post', 'restore-item', 'discard-draft'])
    assert.equal((await editor.send(manage, { action, id: '1' })).status, 403, action)
})

test('posts and media that the API removes are in the trash until they are deleted or thirty days are over', async () => {
  for (const title of ['now', 'old', 'new']) {
    const { body } = await call('POST /api/news', { body: { title, content: 'c' } })
    await call('DELETE /api/news/{id}', { params: { id: body.id } })
    const media = { title, media_type: 'video', url: 'u' }
    const { body: item } = await call('POST /api/media', { body: media })
    await call('DELETE /api/media/{id}', { params: { id: item.id } })
    if (title === 'now')
      for (const [action, { id }] of [
        ['delete-post', body],
        ['delete-item', item],
      ] as const)
        assert.equal(
          await done(manage, { action, id: String(id), back: 'trash' }),
          `/trash?done=${action}&id=${id}`,
        )
    if (title === 'old') clock.tick(24 * 3_600_000)
  }
  const inTrash = async () =>
    [
      ...(await pool`select title from site.removed_post where title in ('now', 'old', 'new') order by id`),
      ...(await pool`select title from site.removed_item where title in ('now', 'old', 'new') order by id`),
    ].map(({ title }) => title)
  assert.deepEqual(await inTrash(), ['old', 'new', 'old', 'new'])
  clock.tick(29 * 24 * 3_600_000 + 1)
  await runTask('empty_trash')
  assert.deepEqual(await inTrash(), ['new', 'new'])
})

test('what the editor does is in the audit trail', async () => {
  const rows = await pool<{ action: string }[]>`
    select distinct action from forge.audit where action ~ '^(news|media|draft)\\.' order by action`
  assert.deepEqual(
    rows.map(({ action }) => action),
    [
      'draft.saved',
      'draft.scheduled',
      'media.changed',
      'media.deleted',
      'media.published',
      'media.removed',
      'media.restored',
      'news.changed',
      'news.deleted',
      'news.published',
      'news.removed',
      'news.restored',
    ],
  )
  const [byTask] = await pool<{ times: number }[]>`
    select count(*) as times from forge.audit where action = 'news.published' and actor_name = 'cron task'`
  assert.ok((byTask?.times ?? 0) <= 1)
})
