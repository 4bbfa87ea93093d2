import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../support/app.ts'
import { makersFor, type Somebody } from '../support/forge/make.ts'
import { browserHeaders, browserOf, hostile } from './browser.ts'

const app = await startApp()
const { url, call, pool } = app
const make = makersFor(app)
const [ada, eve] = await make.people('ada', 'eve')
const [hidden, limited] = [
  await make.person({ name: 'hidden', visibility: 'private' }),
  await make.person({ name: 'limited', visibility: 'limited' }),
]
const restricted = await make.person({ name: 'restricted', is_restricted: true })
const boss = await make.admin({ name: 'boss' })
const guild = await make.organization(ada, { name: 'guild', full_name: 'The Smiths' })
const lodge = await make.organization(ada, { name: 'lodge', visibility: 'private' })
await make.team(guild, [restricted])

const owners = { ada, hidden, limited, guild: { ...guild, authorization: ada.authorization } }
for (const [name, owner] of Object.entries(owners)) {
  await make.repository(owner, { name: `tool-of-${name}`, by: ada })
  const by = 'authorization' in owner ? owner.authorization : ada.authorization
  await call('PUT /api/packages/{owner}/generic/{package}/{version}/{file}', {
    as: { authorization: by },
    params: { owner: owner.name, package: `kit-of-${name}`, version: '1.0', file: 'kit.bin' },
    body: 'content',
  })
}
await make.repository(ada, { name: 'tool-secret', is_private: true })
await pool`update forge.repository set updated_at = created_at + interval '1 hour', stars_count = 3 where name = 'tool-of-ada'`

const { page, get, statusOf } = browserOf(url)

/** The names of the entries that a list shows, in their order, to each. */
async function entries(path: string, as?: Somebody): Promise<string[]> {
  const headers = { ...browserHeaders, ...(as && { authorization: as.authorization }) }
  const text = await (await fetch(url + path, { headers })).text()
  return [...text.matchAll(/<h3>(?:<img[^>]*> )?<a href="[^"]+">([^<]+)<\/a>/g)].map(([, name = '']) => name)
}
const sorted = (names: readonly string[]) => [...names].sort()

test('GET /explore leads to the list of repositories', async () => {
  const response = await get('/explore')
  assert.equal(response.status, 303)
  assert.equal(response.headers.get('location'), 'https://forgehall.example/explore/repos')
})

test('GET /explore/repos shows each visitor the repositories that a search by API finds', async () => {
  for (const as of [undefined, eve, restricted, ada, hidden, boss]) {
    const { body } = await call('GET /api/v1/repos/search', { query: { limit: 50 }, ...(as && { as }) })
    const names = body.data.map(({ full_name }: { full_name: string }) => full_name)
    assert.deepEqual(sorted(await entries('/explore/repos', as)), sorted(names), as?.name)
  }
  assert.deepEqual(sorted(await entries('/explore/repos')), ['ada/tool-of-ada', 'guild/tool-of-guild'])
  assert.equal((await entries('/explore/repos', boss)).length, 5)
})

test('GET /explore/repos finds by name, and sorts', async () => {
  assert.deepEqual(await entries('/explore/repos?q=OF-GUILD'), ['guild/tool-of-guild'])
  assert.deepEqual(await entries('/explore/repos?q=nothing'), [])
  assert.match(await page('/explore/repos?q=nothing'), /No repositories match &ldquo;nothing&rdquo;/)
  assert.match(await page('/explore/repos?q=nothing'), /are searched on the pages of their repository/)
  const byName = ['ada/tool-of-ada', 'guild/tool-of-guild']
  assert.deepEqual(await entries('/explore/repos?sort=alpha'), byName)
  assert.deepEqual(await entries('/explore/repos?sort=updated'), byName)
  assert.deepEqual(await entries('/explore/repos?sort=stars'), byName)
  assert.deepEqual(await entries('/explore/repos?sort=created'), byName.toReversed())
  assert.deepEqual(await entries('/explore/repos?sort=x'), byName)
  assert.match(
    await page('/explore/repos?sort=stars'),
    /sort=stars" aria-current="true">Most stars<[\s\S]*name="sort" value="stars"|name="sort" value="stars"[\s\S]*sort=stars" aria-current="true">Most stars</,
  )
})

test('GET /explore/organizations shows each visitor what GET /orgs does, and finds by names', async () => {
  for (const as of [undefined, eve, restricted, ada, boss]) {
    const { body } = await call('GET /api/v1/orgs', { ...(as && { as }) })
    const names = body.map(({ name }: { name: string }) => name)
    assert.deepEqual(await entries('/explore/organizations', as), names, as?.name)
  }
  const find = (q: string, as?: Somebody) => entries(`/explore/organizations?q=${q}`, as)
  assert.deepEqual(await find('smith'), ['guild'])
  assert.deepEqual(await find('gu'), ['guild'])
  assert.deepEqual(await find('uild'), ['guild'])
  assert.deepEqual(await find('dge'), [])
  assert.deepEqual(await find('dge', boss), ['lodge'])
  assert.deepEqual(await find('lo', boss), ['lodge'])
  assert.deepEqual(await find('smith', restricted), ['guild'])
  assert.deepEqual(await find('dge', restricted), [])
  assert.deepEqual(await entries('/explore/organizations?order=desc', boss), ['lodge', 'guild'])
  // An address is no name.
  await pool`update forge.account set email = 'needle@orgs.example' where id = ${guild.id}`
  assert.deepEqual(await find('needle'), [])
})

test('GET /explore/users shows each visitor the people whom a search by API finds', async () => {
  for (const as of [undefined, eve, restricted, limited, boss]) {
    const { body } = await call('GET /api/v1/users/search', { query: { limit: 50 }, ...(as && { as }) })
    const names = body.data.map(({ login }: { login: string }) => login)
    assert.deepEqual(await entries('/explore/users', as), names, as?.name)
  }
  assert.deepEqual(await entries('/explore/users?q=imite'), [])
  assert.deepEqual(await entries('/explore/users?q=imite', eve), ['limited'])
  const oldest = (await entries('/explore/users', boss))[0]
  assert.equal(oldest, 'ada')
  assert.equal((await entries('/explore/users?sort=created', boss))[0], 'boss')
})

test('GET /explore/packages shows the packages of owners whom the visitor may see', async () => {
  const of = (...names: string[]) => names.map((name) => `kit-of-${name} 1.0`)
  const [open, all] = [of('guild', 'ada'), of('guild', 'limited', 'hidden', 'ada')]
  assert.deepEqual(sorted(await entries('/explore/packages')), sorted(open))
  assert.deepEqual(sorted(await entries('/explore/packages', eve)), sorted(of('guild', 'limited', 'ada')))
  assert.deepEqual(sorted(await entries('/explore/packages', restricted)), sorted(open))
  assert.deepEqual(sorted(await entries('/explore/packages', hidden)), sorted(all))
  assert.deepEqual(sorted(await entries('/explore/packages', boss)), sorted(all))
  assert.deepEqual(await entries('/explore/packages?q=GUILD'), of('guild'))
  assert.deepEqual(await entries('/explore/packages?q=hidden'), [])
  assert.deepEqual(await entries('/explore/packages?q=hi', hidden), of('hidden'))
  assert.deepEqual(await entries('/explore/packages?type=npm'), [])
  assert.equal((await entries('/explore/packages?type=generic')).length, 2)
  // A member sees the packages of an organization that others do not see; a token for public resources shows none.
  await call('PUT /api/packages/{owner}/generic/{package}/{version}/{file}', {
    as: ada,
    params: { owner: 'lodge', package: 'inner', version: '1.0', file: 'kit.bin' },
    body: 'content',
  })
  assert.deepEqual(await entries('/explore/packages?q=inner', eve), [])
  assert.deepEqual(await entries('/explore/packages?q=inner', ada), ['inner 1.0'])
  const authorization = `token ${await make.token(ada, 'read:package', 'public-only')}`
  assert.deepEqual(await entries('/explore/packages?q=inner', { ...ada, authorization }), [])
})

test('lists have pages, which keep the search and the order', async () => {
  for (let at = 0; at < 31; at++) {
    await make.repository(ada, { name: `many-${at}` })
    await make.organization(ada, { name: `many-org-${at}` })
    await make.person({ name: `many-person-${at}` })
    await call('PUT /api/packages/{owner}/generic/{package}/{version}/{file}', {
      as: ada,
      params: { owner: 'ada', package: 'many', version: `1.${at}`, file: 'kit.bin' },
      body: 'content',
    })
  }
  for (const list of [
    'repos?q=many&sort=created',
    'organizations?q=many',
    'users?q=many',
    'packages?q=many',
    'packages?',
  ]) {
    const first = await page(`/explore/${list}`)
    const [, next = ''] = /href="https:\/\/forgehall\.example([^"]+)">Next</.exec(first) ?? []
    assert.ok(next.includes('page=2'), list)
    assert.doesNotMatch(first, />Previous</)
    const second = await page(next.replaceAll('&amp;', '&'))
    assert.match(second, />Previous</)
    assert.doesNotMatch(second, />Next</, list)
    const shown = [...(await entries(`/explore/${list}`)), ...(await entries(next.replaceAll('&amp;', '&')))]
    assert.equal(new Set(shown).size, shown.length, list)
    assert.ok(shown.length >= 31, list)
  }
})

test('the text of a search is escaped, and any query has an answer', async () => {
  await pool`update forge.account set full_name = ${hostile[1] ?? ''}, description = ${hostile[0] ?? ''} where kind <> 'bot'`
  await pool`update forge.repository set description = ${hostile[3] ?? ''}`
  for (const list of ['repos', 'organizations', 'users', 'packages']) {
    await page(`/explore/${list}`)
    for (const q of [...hostile, '\0', '%25_%5C', 'x'.repeat(3000)])
      await page(`/explore/${list}?${new URLSearchParams({ q, sort: q, order: q, type: q, page: q })}`)
  }
})

test('each page has a field that searches the repositories', async () => {
  for (const path of ['/', '/overview', '/ada', '/explore/users'])
    assert.match(
      await page(path),
      /<form class="top-search" role="search"[^>]* action="https:\/\/forgehall\.example\/explore\/repos">\s*<input [^>]*name="q"/,
    )
})

test('with REQUIRE_SIGNIN the lists are for those who are signed in', async () => {
  const closed = await startApp({ REQUIRE_SIGNIN: 'true' })
  const person = await makersFor(closed).person({ name: 'ada' })
  for (const list of ['repos', 'organizations', 'users', 'packages']) {
    const of = browserOf(closed.url)
    assert.equal(await of.statusOf(`/explore/${list}`), 403, list)
    assert.equal(await of.statusOf(`/explore/${list}`, { authorization: person.authorization }), 200, list)
  }
})

test('a token of another scope and wrong credentials show no list', async () => {
  const authorization = `token ${await make.token(ada, 'read:issue')}`
  for (const list of ['repos', 'users', 'packages'])
    assert.equal(await statusOf(`/explore/${list}`, { authorization }), 403, list)
  for (const list of ['repos', 'organizations', 'users', 'packages'])
    assert.equal(await statusOf(`/explore/${list}`, { authorization: 'token nonsense' }), 401, list)
})

test('no account can take the name of the lists', async () => {
  const { status } = await call('POST /api/v1/orgs', { as: ada, body: { username: 'explore' } })
  assert.equal(status, 422)
  assert.ok(lodge.id > 0)
})
