import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { bearer } from '../../support/forge/make.ts'

const { call, pool, make } = await startApp()
const boss = await make.admin({ name: 'boss' })

const LIST = 'GET /api/v1/admin/users/{username}/badges'
const GIVE = 'POST /api/v1/admin/users/{username}/badges'
const TAKE = 'DELETE /api/v1/admin/users/{username}/badges'
const ALL = 'GET /api/v1/admin/badges'
const CREATE = 'POST /api/v1/admin/badges'
const SHOW = 'GET /api/v1/admin/badges/{slug}'
const EDIT = 'PATCH /api/v1/admin/badges/{slug}'
const REMOVE = 'DELETE /api/v1/admin/badges/{slug}'

interface Shown {
  id: number
  slug: string
}

const create = (body: unknown, as: { authorization: string } = boss) => call(CREATE, { as, body })
const edit = (slug: string, body: unknown) => call(EDIT, { as: boss, params: { slug }, body })
const remove = (slug: string) => call(REMOVE, { as: boss, params: { slug } })
const show = (slug: string) => call(SHOW, { as: boss, params: { slug } })
const give = (username: string, ...slugs: unknown[]) =>
  call(GIVE, { as: boss, params: { username }, body: { badge_slugs: slugs } })
const take = (username: string, ...slugs: unknown[]) =>
  call(TAKE, { as: boss, params: { username }, body: { badge_slugs: slugs } })
const slugsOf = async (username: string) =>
  (await call(LIST, { as: boss, params: { username } })).body.map(({ slug }: Shown) => slug)
const deeds = async (name: string) =>
  (
    await pool`
      select action, target_kind, details from forge.audit
      where target_name = ${name} and action like 'badge.%'
      order by id`
  ).map(({ action, target_kind, details }) => [action, target_kind, details])

for (const slug of ['founder', 'gold', 'silver', 'Gold']) {
  assert.equal((await create({ slug })).status, 201)
}

test(`${CREATE}, ${SHOW}, ${EDIT} and ${REMOVE} work in this order, and the audit trail records them`, async () => {
  const draft = { slug: 'life.1', description: 'Long <lived>', image_url: 'https://example.org/b.png' }
  const { status, body } = await create(draft)
  assert.equal(status, 201)
  const { id } = body
  const { slug, description, image_url } = draft
  const capitals = { ID: id, Slug: slug, Description: description, ImageURL: image_url }
  assert.deepEqual(body, { id, ...draft, ...capitals })
  assert.deepEqual((await show('life.1')).body, body)
  const edited = await edit('life.1', { slug: 'life-2', image_url: '' })
  assert.equal(edited.status, 200)
  assert.deepEqual(
    [edited.body.id, edited.body.slug, edited.body.description, edited.body.ImageURL],
    [id, 'life-2', 'Long <lived>', ''],
  )
  assert.equal((await show('life.1')).status, 404)
  assert.deepEqual((await show('life-2')).body, edited.body)
  // Nothing new, or nothing at all, is no change.
  for (const same of [{}, { slug: 'life-2' }, { description: null }]) {
    assert.deepEqual((await edit('life-2', same)).body, edited.body)
  }
  const gone = await remove('life-2')
  assert.deepEqual([gone.status, gone.body], [204, undefined])
  assert.deepEqual(await deeds('life.1'), [
    ['badge.created', 'badge', { description, image_url }],
    ['badge.edited', 'badge', { slug: 'life-2', image_url: '' }],
  ])
  assert.deepEqual(await deeds('life-2'), [['badge.deleted', 'badge', {}]])
})

test(`${CREATE} and ${EDIT} refuse a taken slug, an empty one and other invalid ones`, async () => {
  for (const [answer, status, message] of [
    [await create({ slug: 'gold' }), 409, 'badge already exists [slug: gold]'],
    [await edit('silver', { slug: 'gold' }), 409, 'badge already exists [slug: gold]'],
    [await create({}), 422, '[Slug]: Required'],
    [await create({ slug: '' }), 422, '[Slug]: Required'],
    [await edit('silver', { slug: '' }), 422, '[Slug]: invalid slug'],
    [await create({ slug: 'a'.repeat(256) }), 422, '[Slug]: MaxSize'],
    [await create({ slug: 'x', description: 'd'.repeat(256) }), 422, '[Description]: MaxSize'],
    [await create({ slug: 'x', image_url: 'javascript:alert(1)' }), 422, '[ImageURL]: Url'],
    [await edit('silver', { image_url: 'x' }), 422, '[ImageURL]: Url'],
  ] as const) {
    assert.deepEqual([answer.status, answer.body.message], [status, message])
  }
  for (const slug of ['-a', 'a-', 'a--b', '.a', 'a b', 'a/b', 'ä', 'a\r\n', 'a_', '%', "'", 'a\0']) {
    assert.equal((await create({ slug })).status, 422, slug)
    assert.equal((await edit('silver', { slug })).status, 422, slug)
  }
  for (const body of [{ slug: 7 }, { slug: ['a'] }, { slug: 'a', description: {} }, [], '', '{', 'null']) {
    assert.equal((await create(body)).status, 422, JSON.stringify(body))
  }
  assert.equal((await create({ slug: 'b'.repeat(255) })).status, 201)
  assert.equal((await remove('b'.repeat(255))).status, 204)
  assert.equal((await show('silver')).body.image_url, '')
})

test(`${SHOW}, ${EDIT} and ${REMOVE} of what is no badge are 404, in whatever spelling`, async () => {
  for (const slug of ['nothing', 'GOLD', 'go_d', '%', 'a\0b', "' or true --", 'x'.repeat(3000), 'ä b']) {
    for (const answer of [await show(slug), await edit(slug, { description: 'x' }), await remove(slug)]) {
      assert.equal(answer.status, 404, slug)
      assert.match(answer.body.message, /^badge does not exist \[slug: /)
    }
  }
})

test(`${ALL} lists badges by slug, in pages`, async () => {
  const whole = await call(ALL, { as: boss })
  const slugs = whole.body.map(({ slug }: Shown) => slug)
  assert.deepEqual(slugs, ['Gold', 'founder', 'gold', 'silver'])
  assert.equal(whole.headers.get('x-total-count'), '4')
  const second = await call(ALL, { as: boss, query: { page: 2, limit: 3 } })
  assert.deepEqual(second.body, whole.body.slice(3))
  assert.match(second.headers.get('link') ?? '', /rel="first",.*rel="prev"$/)
  const beyond = await call(ALL, { as: boss, query: { page: 9 } })
  assert.deepEqual([beyond.body, beyond.headers.get('x-total-count')], [[], '4'])
})

test(`${GIVE} gives badges in the order in which ${LIST} shows them`, async () => {
  await make.person({ name: 'Ada' })
  const answer = await give('ada', 'silver', 'founder', 'silver')
  assert.deepEqual([answer.status, answer.body], [204, undefined])
  assert.equal((await give('ADA', 'gold')).status, 204)
  const listed = await call(LIST, { as: boss, params: { username: 'ada' } })
  assert.equal(listed.status, 200)
  assert.deepEqual(await slugsOf('ada'), ['silver', 'founder', 'gold'])
  assert.deepEqual([listed.headers.get('x-total-count'), listed.headers.get('link')], ['3', null])
  assert.deepEqual(listed.body[2], (await show('gold')).body)
  assert.deepEqual(await deeds('Ada'), [
    ['badge.given', 'user', { badges: ['silver', 'founder'] }],
    ['badge.given', 'user', { badges: ['gold'] }],
  ])
})

test(`${TAKE} takes badges, and ignores those that the user does not have`, async () => {
  await make.person({ name: 'ben' })
  await give('ben', 'silver', 'gold')
  const taken = await take('ben', 'silver', 'Gold', 'nothing')
  assert.deepEqual([taken.status, taken.body], [204, undefined])
  assert.deepEqual(await slugsOf('ben'), ['gold'])
  assert.equal((await take('ben', 'silver')).status, 204)
  assert.deepEqual((await deeds('ben')).slice(1), [['badge.taken', 'user', { badges: ['silver'] }]])
})

test(`${LIST} of more badges than a page has is whole, without links`, async () => {
  await make.person({ name: 'rich' })
  const slugs = Array.from({ length: 60 }, (_, at) => `many${at}`)
  for (const slug of slugs) await pool`insert into forge.badge (slug) values (${slug})`
  assert.equal((await give('rich', ...slugs)).status, 204)
  const { body, headers } = await call(LIST, { as: boss, params: { username: 'rich' } })
  assert.deepEqual(
    body.map(({ slug }: Shown) => slug),
    slugs,
  )
  assert.deepEqual([headers.get('x-total-count'), headers.get('link')], ['60', null])
  await pool`delete from forge.badge where slug like 'many%'`
})

test(`${GIVE} gives none of the badges if a slug is unknown or the user has one of them`, async () => {
  const bob = await make.person({ name: 'bob' })
  await give('bob', 'silver')
  const silver = (await show('silver')).body.id
  for (const [slugs, status, message] of [
    [['gold', 'nothing'], 422, 'badge does not exist [slug: nothing]'],
    [['gold', 'GOLD'], 422, 'badge does not exist [slug: GOLD]'],
    [['gold', 'go%d'], 422, 'badge does not exist [slug: go%d]'],
    [['gold', ''], 422, 'badge does not exist [slug: ]'],
    [['gold', 'silver'], 409, `user badge already exists [user_id: ${bob.id}, badge_id: ${silver}]`],
  ] as const) {
    const answer = await give('bob', ...slugs)
    assert.deepEqual([answer.status, answer.body.message], [status, message])
  }
  assert.equal((await give('bob')).status, 204, 'none are given')
  assert.deepEqual(await slugsOf('bob'), ['silver'])
  assert.equal((await deeds('bob')).length, 1)
})

test(`${GIVE} and ${TAKE} refuse broken bodies`, async () => {
  await make.person({ name: 'cy' })
  await give('cy', 'gold')
  const params = { username: 'cy' }
  for (const literal of [GIVE, TAKE]) {
    for (const body of [
      {},
      { badge_slugs: null },
      { badge_slugs: 'gold' },
      { badge_slugs: [7] },
      { badge_slugs: [['gold']] },
      { badge_slugs: { 0: 'gold' } },
      { badge_slugs: ['a\0'] },
      ['gold'],
      '',
      '{',
    ]) {
      const headers = { 'content-type': 'application/json' }
      const answer = await call(literal, { as: boss, params, body, headers })
      assert.equal(answer.status, 422, `${literal} ${JSON.stringify(body)}`)
    }
    assert.equal((await call(literal, { as: boss, params })).status, 422)
  }
  assert.deepEqual(await slugsOf('cy'), ['gold'])
  // Without a body a form is read, which the query fills.
  const query = { badge_slugs: ['gold', 'silver'] }
  assert.equal((await call(TAKE, { as: boss, params, query })).status, 204)
  assert.deepEqual(await slugsOf('cy'), [])
})

test(`${GIVE} of one badge by many at once: one succeeds, the others are a 409`, async () => {
  await make.person({ name: 'dan' })
  const answers = await Promise.all(
    [1, 2, 3, 4].map((at) => (at % 2 ? give('dan', 'gold', 'silver') : give('dan', 'silver', 'gold'))),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 409, 409, 409])
  assert.equal((await slugsOf('dan')).length, 2)
})

test(`${GIVE} while the badge or the user is deleted leaves neither behind`, async () => {
  for (let round = 0; round < 5; round++) {
    await create({ slug: 'fleeting' })
    await make.person({ name: `eve${round}` })
    const [first] = await Promise.all([give(`eve${round}`, 'fleeting'), remove('fleeting')])
    assert.ok([204, 422].includes(first.status), String(first.status))
    assert.deepEqual(await slugsOf(`eve${round}`), [])
    const [second] = await Promise.all([
      give(`eve${round}`, 'gold'),
      call('DELETE /api/v1/admin/users/{username}', { as: boss, params: { username: `eve${round}` } }),
    ])
    assert.ok([204, 404].includes(second.status), String(second.status))
  }
})

test(`${CREATE} of one slug by many at once: one badge`, async () => {
  const answers = await Promise.all([1, 2, 3, 4].map(() => create({ slug: 'race' })))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409, 409])
  assert.equal((await remove('race')).status, 204)
  assert.equal((await deeds('race')).length, 2)
})

test(`${EDIT} of a badge does not take it from the users who have it, ${REMOVE} does`, async () => {
  await make.person({ name: 'fay' })
  await create({ slug: 'worn' })
  await give('fay', 'worn', 'gold')
  await edit('worn', { slug: 'worn-out' })
  assert.deepEqual(await slugsOf('fay'), ['worn-out', 'gold'])
  await remove('worn-out')
  assert.deepEqual(await slugsOf('fay'), ['gold'])
})

test('badges of an unknown user are 404, and of a renamed user 307, for any body', async () => {
  await make.person({ name: 'gus' })
  await call('POST /api/v1/admin/users/{username}/rename', {
    as: boss,
    params: { username: 'gus' },
    body: { new_username: 'gustav' },
  })
  for (const literal of [LIST, GIVE, TAKE]) {
    const body = literal === LIST ? {} : { body: '{' }
    const nobody = await call(literal, { as: boss, params: { username: 'Nobody' }, ...body })
    assert.deepEqual(
      [nobody.status, nobody.body.message],
      [404, 'user redirect does not exist [name: nobody]'],
    )
    const moved = await call(literal, { as: boss, params: { username: 'gus' }, ...body })
    assert.deepEqual(
      [moved.status, moved.headers.get('location')],
      [307, '/api/v1/admin/users/gustav/badges'],
    )
  }
})

test('badges are for administrators alone', async () => {
  const hal = await make.person({ name: 'hal' })
  const readOnly = bearer(await make.token(boss, 'read:admin'))
  const other = bearer(await make.token(boss, 'write:user'))
  for (const literal of [LIST, GIVE, TAKE, ALL, CREATE, SHOW, EDIT, REMOVE]) {
    const params = { username: 'hal', slug: 'gold' }
    const isRead = literal.startsWith('GET')
    const body = { slug: 'new', description: 'x', badge_slugs: ['gold'] }
    const request = { params, ...(isRead || literal === REMOVE ? {} : { body }) }
    assert.equal((await call(literal, request)).status, 401, literal)
    for (const as of [hal, other])
      assert.equal((await call(literal, { ...request, as })).status, 403, literal)
    assert.equal((await call(literal, { ...request, as: readOnly })).status, isRead ? 200 : 403, literal)
  }
  assert.deepEqual([await slugsOf('hal'), (await show('new')).status], [[], 404])
})

test('GET /{username} shows the badges of a person', async () => {
  await make.person({ name: 'honoured' })
  await create({ slug: 'plain', description: '<b>first' })
  await create({ slug: 'drawn', description: 'Star', image_url: 'https://x.example/star.svg' })
  await create({ slug: 'odd' })
  await give('honoured', 'plain', 'drawn', 'odd')
  const { body } = await call('GET /{username}', { params: { username: 'honoured' } })
  assert.match(body, /<span class="badge">&lt;b&gt;first<\/span>/)
  assert.match(body, /<img src="https:\/\/x\.example\/star\.svg" alt="Star" title="Star" height="24">/)
  assert.match(body, /<span class="badge">odd<\/span>/)
})
