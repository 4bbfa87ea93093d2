import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serveApp, startApp } from '../../support/app.ts'
import { basic, bearer, samePassword } from '../../support/forge/make.ts'
import { browserOf, hostile } from '../browser.ts'
import { hiddenIn, manage, manageIn } from '../managing.ts'

const app = await startApp()
const { call, make, pool, url } = app
const { page, get } = browserOf(url)
const editor = await manageIn(app)
const change = 'PUT /api/site'
const read = async () => (await call('GET /api/site')).body.name

/** The name in the head and in the title of a page. */
const namesIn = (text: string) => [
  />([^<]*)<\/span><\/a>\s*<nav aria-label="Site">/.exec(text)?.[1],
  / · ([^<]*)<\/title>/.exec(text)?.[1],
]

test('GET /api/site and all pages have the name of the product as long as nobody names the site', async () => {
  assert.equal(await read(), 'Forgehall')
  assert.deepEqual(namesIn(await page('/overview')), ['Forgehall', 'Forgehall'])
  assert.match(await editor.show(manage), /id="name" name="name"/)
  assert.match(await editor.show(manage), /<input type="text" value="" id="name"/)
})

test(`POST ${manage} names the site at the top of each page, in titles and in the feed, and takes the name back`, async () => {
  const named = { action: 'name-site', name: ' The  "Observatory" & <b> ' }
  assert.equal(await editor.done(manage, named), '?done=name-site')
  assert.equal(await read(), 'The  "Observatory" & <b>')
  const shown = 'The  &#34;Observatory&#34; &amp; &lt;b&gt;'
  for (const path of ['/', '/overview', '/overview/news', '/explore/repos', '/login'])
    assert.deepEqual(namesIn(await page(path)), [shown, shown], path)
  assert.deepEqual(namesIn(await editor.show(`${manage}?done=name-site`)), [shown, shown])
  assert.deepEqual(namesIn(await (await get('/no/such/page')).text()), [shown, shown])
  assert.match(await page('/'), new RegExp(`<h1>Welcome to ${shown}</h1>`))
  const feed = await (await get('/feed.atom')).text()
  assert.ok(feed.includes(`<title>News · ${shown}</title>`) && feed.includes(`<name>${shown}</name>`))
  await editor.done(manage, { action: 'name-site', name: ' ' })
  assert.equal(await read(), 'Forgehall')
  assert.deepEqual(namesIn(await page('/overview')), ['Forgehall', 'Forgehall'])
})

test(`POST ${manage} refuses a name that is no line, and keeps it in the form`, async () => {
  for (const name of ['x'.repeat(61), 'a\nb', 'a\u0085b']) {
    const response = await editor.send(manage, { action: 'name-site', name })
    assert.equal(response.status, 422, JSON.stringify(name))
    assert.match(await response.text(), /id="name"[^>]*aria-invalid="true" autofocus[\s\S]*id="name-fault"/)
  }
  assert.equal(await read(), 'Forgehall')
})

test(`${change} is for administrators with a token, whoever may publish`, async () => {
  const body = { name: 'Dawn' }
  const { status } = await call(change, { body })
  assert.equal(status, 401)
  assert.equal((await call(change, { body, as: basic('editor', samePassword) })).status, 401)
  const eve = await make.person({ name: 'eve' })
  assert.equal((await call(change, { body, as: eve })).status, 403)
  const narrow = bearer(await make.token(editor.admin, 'read:misc'))
  assert.equal((await call(change, { body, as: narrow })).status, 403)
  assert.equal(await read(), 'Forgehall')
  const done = await call(change, { body, as: bearer(await make.token(editor.admin, 'write:misc')) })
  assert.deepEqual([done.status, done.body], [200, { name: 'Dawn' }])
  assert.equal(await read(), 'Dawn')
  for (const wrong of [{}, { name: 1 }, { name: null }, { name: 'x'.repeat(61) }, { name: 'a\tb' }])
    assert.equal((await call(change, { body: wrong, as: editor.admin })).status, 400, JSON.stringify(wrong))
  const longest = '𝒟'.repeat(60)
  assert.equal((await call(change, { body: { name: longest }, as: editor.admin })).body.name, longest)
  assert.equal((await call(change, { body: { name: '' }, as: editor.admin })).body.name, 'Forgehall')
})

test('a name like the mark of the name, or like code, is only text', async () => {
  for (const name of [...hostile, '<site-name>', '$&$1']) {
    await call(change, { body: { name: name.slice(0, 60) }, as: editor.admin })
    await page('/overview')
    assert.equal(hiddenIn(await editor.show(manage), 'form_token'), editor.form_token)
  }
  await call(change, { body: { name: 'Real' }, as: editor.admin })
  const post = { title: '<site-name>', content: '<site-name>\n\n`<site-name>` &lt;site-name>' }
  const { body } = await call('POST /api/news', { body: post })
  const markdown = { action: 'publish', ...post, format: 'markdown' }
  const version = hiddenIn(await editor.show(`${manage}/posts/${body.id}`), 'version')
  for (const of of [
    { ...markdown, format: 'plain', version },
    { ...markdown, version: '2' },
  ]) {
    await editor.done(`${manage}/posts/${body.id}`, of)
    assert.equal((await page(`/overview/news/${body.id}`)).match(/Real/g)?.length, 2)
  }
})

test('each process shows a name that another one has set, and the audit trail who has set it', async () => {
  const other = await serveApp(app.database, { DATA_DIR: '/nowhere' })
  try {
    for (const name of ['One', 'Two']) {
      await call(change, { body: { name }, as: editor.admin })
      assert.deepEqual(namesIn(await browserOf(other.url).page('/overview')), [name, name])
    }
  } finally {
    await other.close()
  }
  const rows = await pool<{ actor_name: string; target_name: string }[]>`
    select actor_name, target_name from forge.audit where action = 'site.named' order by id desc limit 1`
  assert.deepEqual([...rows], [{ actor_name: 'editor', target_name: 'Two' }])
})
