import assert from 'node:assert/strict'
import { test } from 'node:test'
import { printDate } from '../../../src/forge/protocol/time.ts'
import { hookPurpose } from '../../../src/forge/webhooks/delivery/hook-secrets.ts'
import { hookTypes } from '../../../src/forge/webhooks/payload/chats.ts'
import { eventNames } from '../../../src/forge/webhooks/payload/events.ts'
import { startApp } from '../../support/app.ts'
import { type As, bearer, testSecrets } from '../../support/forge/make.ts'
import { tablesHolding } from '../../support/traces.ts'

const app = await startApp()
const { call, pool, make } = app
const boss = await make.admin({ name: 'boss' })
const [ada, eve] = await make.people('Ada', 'eve')
const guild = await make.organization(ada, { name: 'Guild' })
await make.team(guild, [eve], { permission: 'admin', includes_all_repositories: true })
await call('POST /api/v1/user/repos', { as: ada, body: { name: 'Engine' } })
await call('POST /api/v1/user/repos', { as: ada, body: { name: 'other', private: true } })

type Params = Record<string, string | number>

/** The four places where hooks hang: the same operations, for others. */
const places = [
  {
    path: '/admin/hooks',
    who: boss,
    others: eve,
    params: {} as Params,
    scope: 'default',
    name: 'site',
    needs: 'admin',
  },
  {
    path: '/repos/{owner}/{repo}/hooks',
    who: ada,
    others: eve,
    params: { owner: 'ada', repo: 'engine' },
    scope: 'repository',
    name: 'Ada/Engine',
    needs: 'repository',
  },
  {
    path: '/orgs/{org}/hooks',
    who: ada,
    others: eve,
    params: { org: 'guild' },
    scope: 'organization',
    name: 'Guild',
    needs: 'organization',
  },
  {
    path: '/user/hooks',
    who: ada,
    others: undefined,
    params: {} as Params,
    scope: 'user',
    name: 'Ada',
    needs: 'user',
  },
] as const
type HookPlace = (typeof places)[number]

const config = { url: 'https://hear.example/in?a=1', content_type: 'json' }
const literal = (method: string, { path }: HookPlace, rest = '') => `${method} /api/v1${path}${rest}`
const on = (
  place: HookPlace,
  method: string,
  rest: string,
  more: { params?: Params; body?: unknown; query?: Record<string, string | number>; as?: As | null } = {},
) => {
  const { params = {}, as = place.who, ...others } = more
  const asking = as === null ? {} : { as }
  return call(literal(method, place, rest), { ...others, ...asking, params: { ...place.params, ...params } })
}
const create = (place: HookPlace, body: unknown = {}, as?: As | null) =>
  on(place, 'POST', '', {
    body: typeof body === 'object' && !Array.isArray(body) ? { type: 'gitea', config, ...body } : body,
    ...(as !== undefined && { as }),
  })
const [site, repo, org, user] = places
const listSite = 'GET /api/v1/admin/hooks'
const createSite = 'POST /api/v1/admin/hooks'
const showSite = 'GET /api/v1/admin/hooks/{id}'
const editSite = 'PATCH /api/v1/admin/hooks/{id}'
const removeSite = 'DELETE /api/v1/admin/hooks/{id}'
const deeds = async (id: number) =>
  await pool<{ action: string; target_name: string; details: Record<string, unknown> }[]>`
    select action, target_name, details
    from forge.audit
    where target_kind = 'hook' and target_id = ${id}
    order by id`

for (const place of places) {
  test(`${literal('POST', place)} creates a hook: inactive, for pushes, with members in the order of the reference`, async () => {
    const { status, body } = await create(place)
    assert.equal(status, 201)
    const { id, created_at, updated_at, ...rest } = body
    assert.deepEqual(rest, {
      name: '',
      type: 'gitea',
      branch_filter: '',
      config,
      events: ['push'],
      authorization_header: '',
      active: false,
    })
    const now = printDate(app.clock.now())
    assert.deepEqual([created_at, updated_at], [now, now])
    const [stored] = await pool`select scope, method from forge.hook where id = ${id}`
    assert.deepEqual({ ...stored }, { scope: place.scope, method: 'POST' })
    const [deed] = await deeds(id)
    assert.deepEqual([deed?.action, deed?.target_name], ['hook.created', place.name])
    assert.deepEqual(deed?.details, {
      scope: place.scope,
      type: 'gitea',
      host: 'hear.example',
      events: ['push'],
      branch_filter: '',
      active: false,
    })
  })

  test(`${literal('GET', place, '/{id}')}, ${literal('PATCH', place, '/{id}')} and ${literal('DELETE', place, '/{id}')}: one hook from the first look to the last`, async () => {
    const full = {
      config: { ...config, secret: 'hush' },
      events: ['issues_only', 'create'],
      branch_filter: '{main,release/*}',
      authorization_header: 'Bearer x',
      active: true,
      name: '  a label ',
    }
    const { body: made } = await create(place, full)
    assert.deepEqual([made.name, made.config, made.events], ['a label', config, ['create', 'issues']])
    const params = { id: made.id }
    const shown = await on(place, 'GET', '/{id}', { params })
    assert.deepEqual([shown.status, shown.body], [200, made])
    app.clock.tick(60_000)
    const edited = await on(place, 'PATCH', '/{id}', {
      params,
      body: { config: { url: 'http://other.example:81/' }, events: ['repository'], branch_filter: 'main' },
    })
    assert.equal(edited.status, 200)
    const { updated_at, ...rest } = edited.body
    assert.notEqual(updated_at, made.updated_at)
    const { updated_at: _, ...before } = made
    assert.deepEqual(rest, {
      ...before,
      config: { url: 'http://other.example:81/', content_type: 'json' },
      events: ['repository'],
      branch_filter: 'main',
    })
    assert.deepEqual((await on(place, 'GET', '/{id}', { params })).body, edited.body)
    assert.equal((await on(place, 'DELETE', '/{id}', { params })).status, 204)
    assert.equal((await on(place, 'DELETE', '/{id}', { params })).status, 404)
    for (const method of ['GET', 'PATCH'])
      assert.equal(
        (await on(place, method, '/{id}', { params, ...(method === 'PATCH' && { body: {} }) })).status,
        404,
      )
    assert.deepEqual(
      (await deeds(made.id)).map(({ action }) => action),
      ['hook.created', 'hook.edited', 'hook.deleted'],
    )
    assert.equal((await pool`select from forge.hook where id = ${made.id}`).length, 0)
  })

  test(`${literal('GET', place)} lists hooks in the order of their ids, with total and links`, async () => {
    const query = { type: 'all', limit: 2 }
    const before = Number((await on(place, 'GET', '', { query })).headers.get('x-total-count'))
    const ids = []
    for (let at = 0; at < 3; at++) ids.push((await create(place)).body.id)
    const total = before + 3
    const first = await on(place, 'GET', '', { query })
    assert.equal(first.headers.get('x-total-count'), String(total))
    assert.match(first.headers.get('link') ?? '', /rel="next"/)
    const seen: number[] = []
    for (let page = 1; seen.length < total; page++) {
      const { body } = await on(place, 'GET', '', { query: { ...query, page } })
      assert.ok(body.length > 0)
      seen.push(...body.map(({ id }: { id: number }) => id))
    }
    assert.deepEqual(
      seen,
      [...seen].sort((a, b) => a - b),
    )
    assert.deepEqual(seen.slice(-3), ids)
    const beyond = await on(place, 'GET', '', { query: { ...query, page: 99 } })
    assert.deepEqual([beyond.body, beyond.headers.get('x-total-count')], [[], String(total)])
  })

  test(`${literal('GET', place)} and its neighbours answer 401 and 403 before anything is read`, async () => {
    const { body: made } = await create(place)
    const params = { id: made.id }
    const wrong = bearer(await make.token(place.who, 'write:misc'))
    const reader = bearer(await make.token(place.who, `read:${place.needs}`))
    const attempts: readonly (readonly [string, string, unknown?])[] = [
      ['GET', ''],
      ['POST', '', { type: 'gitea', config }],
      ['GET', '/{id}'],
      ['PATCH', '/{id}', {}],
      ['DELETE', '/{id}'],
      ['GET', '/{id}/deliveries'],
      ['GET', '/{id}/deliveries/{delivery}'],
      ['POST', '/{id}/deliveries/{delivery}/redeliver'],
    ]
    for (const [method, rest, body] of attempts) {
      const status = async (as: As | null) => {
        const filled = rest.includes('{delivery}') ? { ...params, delivery: 1 } : params
        return (await on(place, method, rest, { params: filled, as, ...(body !== undefined && { body }) }))
          .status
      }
      assert.equal(await status(null), 401, `${method} ${rest} by nobody`)
      assert.equal(await status(wrong), 403, `${method} ${rest} with another scope`)
      if (place.others) assert.equal(await status(place.others), 403, `${method} ${rest} by another`)
      if (method !== 'GET') assert.equal(await status(reader), 403, `${method} ${rest} by a reader`)
    }
    assert.equal((await on(place, 'GET', '/{id}', { params, as: reader })).status, 200)
    assert.equal((await on(place, 'GET', '/{id}', { params })).status, 200, 'nothing was changed')
  })

  test(`${literal('POST', place)} refuses what the reference refuses, with its messages and in its order`, async () => {
    const refusals: readonly (readonly [unknown, number, string])[] = [
      [{ type: '' }, 422, '[Type]: Required'],
      [{ type: 'webhook', config: {} }, 422, 'Invalid hook type: webhook'],
      [{ type: 'Gitea' }, 422, 'Invalid hook type: Gitea'],
      [{ config: null }, 422, '[Config]: Required'],
      [{ config: {} }, 422, 'Missing config option: url'],
      [{ config: { url: 'x' } }, 422, 'Missing config option: content_type'],
      [{ config: { url: 'x', content_type: 'xml' } }, 422, 'Invalid content type'],
      [{ config: { ...config, url: 'x', is_system_webhook: 'maybe' } }, 422, 'Invalid url'],
      [{ config: { ...config, is_system_webhook: 'maybe' } }, 422, 'Invalid is_system_webhook value'],
      [{ type: 'slack' }, 422, 'Missing config option: channel'],
      [{ type: 'slack', config: { ...config, channel: '#' } }, 400, 'Invalid slack channel name'],
      [{ type: 'slack', config: { ...config, channel: 'a b' } }, 400, 'Invalid slack channel name'],
      [{ branch_filter: '{a' }, 422, '[BranchFilter]: GlobPattern'],
      [{ authorization_header: 'a\r\nX-Evil: 1' }, 422, '[AuthorizationHeader]: HeaderValue'],
      [{ authorization_header: 'snow ☃' }, 422, '[AuthorizationHeader]: HeaderValue'],
      [{ name: 'x'.repeat(256) }, 422, '[Name]: MaxSize'],
      [{ config: { ...config, secret: 'x'.repeat(5000) } }, 422, 'Config option is too long: secret'],
    ]
    const count = async () => (await pool`select from forge.hook`).length
    const before = await count()
    for (const [body, status, message] of refusals) {
      const answer = await create(place, body)
      assert.deepEqual([answer.status, answer.body.message], [status, message])
    }
    const urls = ['ftp://x.example/', 'http:///x', 'http://x.example:port/', 'http://x.example:99999/']
    const hostile = [
      'javascript:alert(1)',
      'http://a b/',
      ' http://x.example/',
      'http://x.example/\r\nHost: y',
    ]
    for (const url of [...urls, ...hostile, '', 'file:///etc/passwd', 'http:\\\\x.example', '//x.example/']) {
      const answer = await create(place, { config: { ...config, url } })
      assert.deepEqual([answer.status, answer.body.message], [422, 'Invalid url'], url)
    }
    const broken = [
      ...['', '[]', '7', '"x"', 'null', '{', '{"type":"a\\u0000"}'],
      ...[{ type: 7 }, { config: [] }, { config: 'x' }, { config: { url: 7 } }, { config: { secret: true } }],
      ...[{ events: 'push' }, { events: [7] }, { events: {} }, { active: 'true' }, { active: 1 }],
      ...[{ branch_filter: 7 }, { authorization_header: [] }, { name: {} }],
    ]
    for (const body of broken) assert.equal((await create(place, body)).status, 422, JSON.stringify(body))
    assert.equal(await count(), before, 'nothing is left of them')
    const internal = await create(place, { config: { ...config, url: 'http://127.0.0.1:22/' } })
    assert.equal(internal.status, 201, 'where it may go is judged when something is sent')
  })
}

test(`${createSite} creates default hooks, or system hooks if config says so; ${listSite} lists them separately`, async () => {
  const make = async (is_system_webhook: string) =>
    (await create(site, { config: { ...config, is_system_webhook } })).body
  const system = [await make('true'), await make('1'), await make('T')]
  const ordinary = [await make('false'), await make('0'), await make('')]
  assert.deepEqual(system[0].config, config)
  const listed = async (type?: string) => {
    const { body } = await on(site, 'GET', '', { query: { limit: 50, ...(type !== undefined && { type }) } })
    return body.map(({ id }: { id: number }) => id)
  }
  const ids = system.map(({ id }) => id)
  assert.deepEqual(await listed(), ids)
  for (const type of ['system', '', 'System']) assert.deepEqual(await listed(type), ids)
  const defaults = await listed('default')
  for (const { id } of ordinary) assert.ok(defaults.includes(id))
  assert.ok(!ids.some((id) => defaults.includes(id)))
  const all = await listed('all')
  for (const id of [...ids, ...ordinary.map(({ id }) => id)]) assert.ok(all.includes(id))
  const [{ id: ofRepo }] = (await on(repo, 'GET', '')).body
  assert.ok(!all.includes(ofRepo))
})

for (const place of places) {
  const full = {
    events: ['repository'],
    branch_filter: 'main',
    authorization_header: 'Bearer x',
    active: true,
    name: 'label',
    config: { ...config, secret: 'hush' },
  }
  const secretsOf = async (id: number) => {
    const [row] = await pool`select secret, authorization_header from forge.hook where id = ${id}`
    const plain = (sealed: Buffer | null, purpose: string) => sealed && testSecrets.decrypt(sealed, purpose)
    return [
      plain(row?.secret, hookPurpose.secret(id)),
      plain(row?.authorization_header, hookPurpose.authorization(id)),
    ]
  }

  test(`${literal('PATCH', place, '/{id}')} keeps every member that is absent or null, and what a client writes back`, async () => {
    const { body: made } = await create(place, full)
    const { id, created_at: _, updated_at: __, authorization_header: ___, ...read } = made
    const nothing = Object.fromEntries(Object.keys(full).map((name) => [name, null]))
    for (const body of [{}, nothing, { config: {} }, { config: { secret: null } }, read]) {
      const edited = await on(place, 'PATCH', '/{id}', { params: { id }, body })
      assert.equal(edited.status, 200, JSON.stringify(body))
      assert.deepEqual(edited.body, { ...made, updated_at: edited.body.updated_at })
      assert.deepEqual(await secretsOf(id), ['hush', 'Bearer x'], JSON.stringify(body))
    }
    // Each member alone leaves the others alone.
    const changes = { events: ['push'], branch_filter: '', active: false, name: '' }
    let expected = made
    for (const [name, value] of Object.entries(changes)) {
      const edited = await on(place, 'PATCH', '/{id}', { params: { id }, body: { [name]: value } })
      expected = { ...expected, [name]: value, updated_at: edited.body.updated_at }
      assert.deepEqual(edited.body, expected)
      assert.deepEqual(await secretsOf(id), ['hush', 'Bearer x'], name)
    }
  })

  test(`${literal('PATCH', place, '/{id}')} replaces the secret and the authorization, and removes them`, async () => {
    const { id } = (await create(place, full)).body
    const edit = async (body: object) => {
      assert.equal((await on(place, 'PATCH', '/{id}', { params: { id }, body })).status, 200)
      return await secretsOf(id)
    }
    assert.deepEqual(await edit({ config: { secret: 'new' } }), ['new', 'Bearer x'])
    assert.deepEqual(await edit({ authorization_header: 'Basic y' }), ['new', 'Basic y'])
    assert.deepEqual(await edit({ config: { secret: '' } }), [null, 'Basic y'])
    assert.deepEqual(await edit({ authorization_header: '' }), [null, null])
    const { status, body } = await on(place, 'PATCH', '/{id}', {
      params: { id },
      body: { config: { secret: 'x'.repeat(5000) } },
    })
    assert.deepEqual([status, body.message], [422, 'Config option is too long: secret'])
  })
}

test(`${editSite} turns a system hook into a default one and back, as far as there is room; other hooks have no such kind`, async () => {
  const { body: made } = await create(site)
  const params = { id: made.id }
  const edit = (is_system_webhook: string, place: HookPlace = site, id = made.id) =>
    on(place, 'PATCH', '/{id}', { params: { id }, body: { config: { is_system_webhook } } })
  const scope = async () => (await pool`select scope from forge.hook where id = ${made.id}`)[0]?.scope
  for (const [word, becomes] of [
    ['true', 'system'],
    ['1', 'system'],
    ['false', 'default'],
    ['T', 'system'],
    ['', 'default'],
  ] as const) {
    assert.equal((await edit(word)).status, 200)
    assert.equal(await scope(), becomes, word)
  }
  await edit('true')
  await on(site, 'PATCH', '/{id}', { params, body: { config: {}, name: 'x' } })
  assert.equal(await scope(), 'system', 'an absent one changes nothing')
  const maybe = await edit('maybe')
  assert.deepEqual([maybe.status, maybe.body.message], [422, 'Invalid is_system_webhook value'])
  for (const place of [repo, org, user]) {
    const { id } = (await create(place)).body
    assert.equal((await edit('false', place, id)).status, 200)
    const message = 'is_system_webhook is for webhooks of the site'
    const refused = await edit('true', place, id)
    assert.deepEqual([refused.status, refused.body.message], [422, message])
    const draft = { config: { ...config, is_system_webhook: 'true' } }
    assert.deepEqual((await create(place, draft)).body.message, message)
  }
})

test(`${createSite} and ${editSite} take http_method; only the methods that deliveries know`, async () => {
  const methodOf = async (id: number) =>
    (await pool`select method from forge.hook where id = ${id}`)[0]?.method
  const { body: made } = await create(site, { config: { ...config, http_method: 'get' } })
  assert.equal(await methodOf(made.id), 'GET')
  const edit = (http_method: string) =>
    on(site, 'PATCH', '/{id}', { params: { id: made.id }, body: { config: { http_method } } })
  await on(site, 'PATCH', '/{id}', { params: { id: made.id }, body: { config: {} } })
  assert.equal(await methodOf(made.id), 'GET')
  for (const [word, method] of [
    ['POST', 'POST'],
    ['GET', 'GET'],
    ['', 'POST'],
  ] as const) {
    assert.equal((await edit(word)).status, 200)
    assert.equal(await methodOf(made.id), method)
  }
  for (const word of ['PUT', 'DELETE', 'x'])
    assert.equal((await edit(word)).body.message, `Invalid http_method: ${word}`)
  const slack = { type: 'slack', config: { ...config, channel: 'dev', http_method: 'GET' } }
  assert.equal((await create(site, slack)).body.message, 'Invalid http_method: GET')
})

test(`${editSite} refuses bad values and leaves everything as it was`, async () => {
  const { body: made } = await create(site, { events: ['repository'], active: true })
  const params = { id: made.id }
  const refusals: readonly (readonly [unknown, string | undefined])[] = [
    [{ config: { url: 'ftp://x' } }, 'Invalid url'],
    [{ config: { url: '' } }, 'Invalid url'],
    [{ config: { content_type: 'xml' } }, 'Invalid content type'],
    [{ branch_filter: '[' }, '[BranchFilter]: GlobPattern'],
    [{ authorization_header: 'a\nb' }, '[AuthorizationHeader]: HeaderValue'],
    [{ events: 'push' }, undefined],
    [{ events: ['zzz'] }, undefined],
    [{ config: { http_method: 'PUT' } }, 'Invalid http_method: PUT'],
    [{ active: 'no' }, undefined],
    [{ config: [] }, '[]: cannot read Config: expected Object'],
    [[], undefined],
    ['{', undefined],
  ]
  for (const [body, message] of refusals) {
    const answer = await on(site, 'PATCH', '/{id}', { params, body })
    assert.equal(answer.status, 422)
    if (message !== undefined) assert.equal(answer.body.message, message)
  }
  assert.deepEqual((await on(site, 'GET', '/{id}', { params })).body, made)
})

test(`${showSite}, ${editSite} and ${removeSite}: a malformed id and a hook of another scope are 404`, async () => {
  const made = { site: (await create(site)).body.id, repo: (await create(repo)).body.id }
  const elsewhere = { ...repo, params: { owner: 'ada', repo: 'other' } } as unknown as HookPlace
  const cases: readonly (readonly [HookPlace, string | number])[] = [
    ...['0', '-1', 'x', '1.5', '99999999999999999999', '%00'].map((id) => [site, id] as const),
    ...[[site, made.repo] as const, [repo, made.site] as const, [org, made.repo] as const],
    ...[[user, made.repo] as const, [elsewhere, made.repo] as const],
  ]
  const before = await pool`select id, updated_at from forge.hook order by id`
  for (const [place, id] of cases) {
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const answer = await on(place, method, '/{id}', {
        params: { id },
        ...(method === 'PATCH' && { body: {} }),
      })
      assert.deepEqual([answer.status, answer.body.message], [404, 'not found'], `${method} ${id}`)
    }
    assert.equal((await on(place, 'GET', '/{id}/deliveries', { params: { id } })).status, 404)
    const one = { params: { id, delivery: 1 } }
    assert.equal((await on(place, 'GET', '/{id}/deliveries/{delivery}', one)).status, 404)
    assert.equal((await on(place, 'POST', '/{id}/deliveries/{delivery}/redeliver', one)).status, 404)
  }
  assert.deepEqual(await pool`select id, updated_at from forge.hook order by id`, before)
})

test(`${createSite} normalises events: groups are expanded, narrow names stay, unknown ones are refused`, async () => {
  const eventsOf = async (events: unknown) => (await create(site, { events })).body.events
  assert.deepEqual(await eventsOf([]), ['push'])
  assert.deepEqual(await eventsOf(null), ['push'])
  for (const name of ['*', 'nothing', '__proto__', '']) {
    const refused = await create(site, { events: ['push', name] })
    assert.equal(refused.status, 422)
    assert.match(refused.body.message, /^unknown event ".*"; known are create, delete, .*issues_only/)
  }
  assert.deepEqual(await eventsOf(['PUSH', 'Push', 'wiki']), ['push', 'wiki'])
  assert.deepEqual(await eventsOf(['issues_only']), ['issues'])
  assert.equal((await eventsOf(['issues'])).length, 5)
  assert.equal((await eventsOf(['pull_request'])).length, 8)
  assert.deepEqual(await eventsOf([...eventNames]), [...eventNames])
  assert.deepEqual(await eventsOf(['pull_request_review_approved']), ['pull_request_review'])
})

test(`${createSite} accepts every type; chats keep the appearance of their messages`, async () => {
  const look = { channel: '#dev', username: 'forge', icon_url: 'https://x.example/i.png', color: '#123456' }
  for (const type of hookTypes) {
    const { status, body } = await create(site, { type, config: { ...config, ...look } })
    assert.equal(status, 201, type)
    const { username, icon_url } = look
    const appearance = type === 'slack' ? look : type === 'discord' ? { username, icon_url } : {}
    assert.deepEqual(body.config, { ...config, ...appearance }, type)
  }
  const { body: slack } = await create(site, { type: 'slack', config: { ...config, channel: 'dev' } })
  // Options that were not sent are there, and empty.
  const bare = { channel: 'dev', username: '', icon_url: '', color: '' }
  assert.deepEqual(slack.config, { ...config, ...bare })
  const params = { id: slack.id }
  assert.deepEqual((await on(site, 'GET', '/{id}', { params })).body.config, slack.config)
  const edited = await on(site, 'PATCH', '/{id}', { params, body: { config: { color: 'good' } } })
  assert.deepEqual(edited.body.config, { ...config, ...bare, color: 'good' })
  const bad = await on(site, 'PATCH', '/{id}', { params, body: { config: { channel: '' } } })
  assert.deepEqual([bad.status, bad.body.message], [400, 'Invalid slack channel name'])
})

test('no row, no reply and no trace holds a secret in clear', async () => {
  const { body } = await create(repo, {
    config: { ...config, url: 'https://ada:in-the-url@hear.example/token-in-path', secret: 'swordfish-123' },
    authorization_header: 'Bearer sesame-456',
  })
  const params = { id: body.id }
  await on(repo, 'PATCH', '/{id}', { params, body: { authorization_header: 'Bearer sesame-789' } })
  const [row] = await pool`select secret, authorization_header from forge.hook where id = ${body.id}`
  assert.equal(testSecrets.decrypt(row?.secret, hookPurpose.secret(body.id)), 'swordfish-123')
  assert.equal(
    testSecrets.decrypt(row?.authorization_header, hookPurpose.authorization(body.id)),
    'Bearer sesame-789',
  )
  const texts = await pool<{ text: string }[]>`
    select hook::text as text from forge.hook as hook where id = ${body.id}
    union all select encode(secret, 'escape') from forge.hook where id = ${body.id}
    union all select details::text from forge.audit where target_id = ${body.id}`
  const shown = [
    ...texts.map(({ text }) => text),
    JSON.stringify((await on(repo, 'GET', '/{id}', { params })).body),
    ...app.log.lines().map((line) => JSON.stringify(line)),
  ]
  for (const text of shown) assert.ok(!/swordfish-123|sesame-(456|789)/.test(text), text)
  for (const text of shown.slice(texts.length)) assert.ok(!text.includes('in-the-url'), text)
  for (const part of ['in-the-url', 'token-in-path']) assert.deepEqual(await tablesHolding(pool, part), [])
  for (const { details } of await deeds(body.id))
    assert.ok(!/in-the-url|token-in-path/.test(JSON.stringify(details)))
})

test(`${showSite}, ${editSite}, ${removeSite} with an address that no key decrypts: it is not shown, and stays until another is set`, async () => {
  const { body: made } = await create(site)
  const params = { id: made.id }
  await pool`
    update forge.hook set address = set_byte(address, 3, 255 - get_byte(address, 3)) where id = ${made.id}`
  const sealed = async () => (await pool`select address from forge.hook where id = ${made.id}`)[0]?.address
  const before = await sealed()
  const nowhere = { ...made.config, url: '' }
  assert.deepEqual((await on(site, 'GET', '/{id}', { params })).body.config, nowhere)
  const list = await on(site, 'GET', '', { query: { type: 'default', limit: 50 } })
  assert.equal(list.status, 200)
  const edit = (body: object) => on(site, 'PATCH', '/{id}', { params, body })
  const named = await edit({ name: 'named' })
  assert.deepEqual([named.status, named.body.config, named.body.name], [200, nowhere, 'named'])
  assert.deepEqual(await sealed(), before)
  assert.equal((await edit({ config: { url: 'https://******@hear.example/in' } })).status, 422)
  const edited = await edit({ config: { url: config.url } })
  assert.deepEqual([edited.status, edited.body.config], [200, config])
  await pool`update forge.hook set address = ${before} where id = ${made.id}`
  assert.equal((await on(site, 'DELETE', '/{id}', { params })).status, 204)
  assert.equal((await deeds(made.id)).at(-1)?.details.host, '')
})

test('a user and password in an address are masked, and stay when the masked address is written back', async () => {
  const address = async (id: number) => {
    const [row] = await pool`select address from forge.hook where id = ${id}`
    return testSecrets.decrypt(row?.address, hookPurpose.address(id))
  }
  const at = (url: string) => ({ config: { ...config, url } })
  for (const place of places) {
    const made = await create(place, at('https://ada:p%40ss@hear.example/in'))
    const params = { id: made.body.id }
    assert.equal(made.body.config.url, 'https://******@hear.example/in')
    assert.deepEqual((await on(place, 'GET', '/{id}', { params })).body.config, made.body.config)
    const edit = (url: string) => on(place, 'PATCH', '/{id}', { params, body: at(url) })
    const again = await edit(made.body.config.url)
    assert.deepEqual([again.status, again.body.config.url], [200, made.body.config.url])
    assert.equal(await address(made.body.id), 'https://ada:p%40ss@hear.example/in')
    assert.equal((await edit('https://******@hear.example/out?b=2')).status, 200)
    assert.equal(await address(made.body.id), 'https://ada:p%40ss@hear.example/out?b=2')
    // A client that does not know a password can have it sent neither elsewhere nor in plain text.
    for (const url of [
      'https://******@evil.example/in',
      'https://******@hear.example:444/in',
      'http://******@hear.example/in',
      'https://******:x@hear.example/in',
    ]) {
      const refused = await edit(url)
      assert.deepEqual([refused.status, refused.body.message], [422, 'Invalid url'], url)
    }
    const token = await edit('https://only-a-token@hear.example/in')
    assert.equal(token.body.config.url, 'https://******@hear.example/in')
    assert.equal((await edit('https://hear.example/in')).body.config.url, 'https://hear.example/in')
    assert.equal(
      (await edit('https://******@hear.example/in')).status,
      422,
      'the mask stands for nothing any more',
    )
  }
  assert.equal((await create(site, at('https://******@hear.example/in'))).status, 422)
})

test('default hooks are copied into each new repository, adoption included, and then are independent', async () => {
  const { body: template } = await create(site, {
    name: 'copied',
    active: true,
    events: ['push', 'repository'],
    branch_filter: 'main',
    config: { ...config, secret: 'hush' },
  })
  await call('POST /api/v1/user/repos', { as: ada, body: { name: 'fresh' } })
  const fresh = { ...repo, params: { owner: 'ada', repo: 'fresh' } } as unknown as HookPlace
  const copies = (await on(fresh, 'GET', '', { query: { limit: 50 } })).body
  const copy = copies.find(({ name }: { name: string }) => name === 'copied')
  const { id: _, created_at: __, updated_at: ___, ...same } = template
  const { id, created_at: ____, updated_at: _____, ...found } = copy
  assert.deepEqual(found, same)
  const [sealed] = await pool`select secret from forge.hook where id = ${id}`
  assert.equal(testSecrets.decrypt(sealed?.secret, hookPurpose.secret(id)), 'hush')
  await on(site, 'DELETE', '/{id}', { params: { id: template.id } })
  assert.equal((await on(fresh, 'GET', '/{id}', { params: { id } })).status, 200)
})

test('hooks are deleted with their repository or account; an organization with hooks can be deleted', async () => {
  const host = await make.person({ name: 'host' })
  await call('POST /api/v1/user/repos', { as: host, body: { name: 'house' } })
  const house = { ...repo, who: host, params: { owner: 'host', repo: 'house' } } as unknown as HookPlace
  const own = { ...user, who: host } as unknown as HookPlace
  const firm = await make.organization(host, { name: 'firm' })
  const ofFirm = { ...org, who: host, params: { org: 'firm' } } as unknown as HookPlace
  const ids = [(await create(house)).body.id, (await create(own)).body.id, (await create(ofFirm)).body.id]
  const left = async () => (await pool`select from forge.hook where id = any(${ids}::bigint[])`).length
  assert.equal(await left(), 3)
  const gone = { as: host, params: { owner: 'host', repo: 'house' } }
  assert.equal((await call('DELETE /api/v1/repos/{owner}/{repo}', gone)).status, 204)
  assert.equal(await left(), 2)
  assert.equal(
    (await call('DELETE /api/v1/orgs/{org}', { as: host, params: { org: firm.name } })).status,
    204,
  )
  assert.equal(await left(), 1)
  const removal = { as: boss, params: { username: 'host' } }
  assert.equal((await call('DELETE /api/v1/admin/users/{username}', removal)).status, 204)
  assert.equal(await left(), 0)
})

test(`${literal('POST', repo)} follows a former name and answers 404 for a repository that the caller may not see`, async () => {
  await call('PATCH /api/v1/repos/{owner}/{repo}', {
    as: ada,
    params: { owner: 'ada', repo: 'fresh' },
    body: { name: 'stale' },
  })
  const former = { ...repo, params: { owner: 'ada', repo: 'fresh' } } as unknown as HookPlace
  assert.equal((await create(former)).status, 307)
  const hidden = { ...repo, params: { owner: 'ada', repo: 'other' } } as unknown as HookPlace
  assert.equal((await create(hidden, {}, eve)).status, 404)
  const nobodys = { ...org, params: { org: 'nobody' } } as unknown as HookPlace
  assert.equal((await create(nobodys)).status, 404)
})

test('two concurrent edits of a hook both succeed, and the later one counts', async () => {
  const { body: made } = await create(site)
  const params = { id: made.id }
  const edits = ['one', 'two', 'three'].map((name) =>
    on(site, 'PATCH', '/{id}', { params, body: { name, branch_filter: name } }),
  )
  const answers = await Promise.all(edits)
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200],
  )
  const { body } = await on(site, 'GET', '/{id}', { params })
  assert.equal(body.name, body.branch_filter)
  const removals = await Promise.all([1, 2, 3].map(() => on(site, 'DELETE', '/{id}', { params })))
  assert.deepEqual(removals.map(({ status }) => status).sort(), [204, 404, 404])
})

for (const place of places) {
  test(`${literal('POST', place)} refuses more than a hundred hooks, also at the same moment`, async () => {
    const [count] = await pool<[{ here: number }]>`
      with emptied as (delete from forge.hook), made as (
        insert into forge.hook (scope, owner_id, repository_id, type, address, content_type, events, active, created_at,
          updated_at)
        select ${place.scope},
          case ${place.scope}::text when 'user' then ${ada.id}::bigint when 'organization' then ${guild.id}::bigint end,
          case ${place.scope}::text when 'repository' then (select id from forge.repository where name = 'Engine') end,
          'gitea', '\\x01', 'json', '{push}', true, ${app.clock.now()}, ${app.clock.now()}
        from generate_series(1, 97)
        returning id
      )
      select count(*) as here from made`
    assert.equal(count.here, 97)
    const answers = await Promise.all(Array.from({ length: 6 }, () => create(place)))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 201, 201, 422, 422, 422])
    const refused = await create(place)
    assert.deepEqual(
      [refused.status, refused.body.message],
      [422, 'there are 100 webhooks here already; delete one first'],
    )
    for (const other of places.filter((each) => each !== place))
      assert.equal((await create(other)).status, 201)
  })
}
