import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { bearer, type Somebody } from '../../support/forge/make.ts'
import { holdRefusal } from '../../support/forge/refusals.ts'

const { call, pool, clock, make } = await startApp()
const boss = await make.admin({ name: 'boss' })
const [owner, ada, eve] = await make.people('Owner', 'ada', 'eve')

const REPO = '/api/v1/repos/{owner}/{repo}'
const OPEN = `POST ${REPO}/issues`
const COMMENT = `POST ${REPO}/issues/{index}/comments`
const LIST = `GET ${REPO}/issues/{index}/reactions`
const ADD = `POST ${REPO}/issues/{index}/reactions`
const REMOVE = `DELETE ${REPO}/issues/{index}/reactions`
const LIST_OF_COMMENT = `GET ${REPO}/issues/comments/{id}/reactions`
const ADD_TO_COMMENT = `POST ${REPO}/issues/comments/{id}/reactions`
const REMOVE_FROM_COMMENT = `DELETE ${REPO}/issues/comments/{id}/reactions`

/** The three operations on an issue, and the same on a comment. */
const kinds = [
  { list: LIST, add: ADD, remove: REMOVE },
  { list: LIST_OF_COMMENT, add: ADD_TO_COMMENT, remove: REMOVE_FROM_COMMENT },
] as const

/** An issue, 1, with a comment. */
interface Place {
  repo: { id: number; name: string }
  comment: number
}

async function tracker(draft: { is_private?: boolean } = {}): Promise<Place> {
  const repo = await make.repository(owner, draft)
  const params = { owner: 'owner', repo: repo.name, index: 1 }
  await call(OPEN, { as: owner, params, body: { title: 'It leaks' } })
  const { body } = await call(COMMENT, { as: owner, params, body: { body: 'Where?' } })
  return { repo, comment: body.id }
}

interface More {
  as?: { authorization: string } | undefined
  index?: number | string
  id?: number | string
  query?: Record<string, number>
}

function ask(literal: string, { repo, comment }: Place, body: unknown, more: More = {}) {
  const { index = 1, id = comment, query = {} } = more
  const as = 'as' in more ? more.as : ada
  const params = { owner: 'owner', repo: repo.name, index, id }
  return call(literal, { params, query, ...(as && { as }), ...(body !== undefined && { body }) })
}

const content = (name: string) => ({ content: name })

/** Who reacted how, in the order of the list. */
async function seen(literal: string, place: Place): Promise<string[]> {
  const { body } = await ask(literal, place, undefined, { as: undefined })
  const rows: { user: { login: string }; content: string }[] = body
  return rows.map((row) => `${row.user.login} ${row.content}`)
}

for (const { list, add, remove } of kinds) {
  test(`${remove} refuses a body that is no reaction, and takes nothing back`, async () => {
    const place = await tracker()
    await ask(add, place, content('heart'))
    for (const body of [{ content: 7 }, '[]']) assert.equal((await ask(remove, place, body)).status, 422)
    assert.deepEqual(await seen(list, place), [`${ada.name} heart`])
  })

  test(`${add} answers 201, and 200 when the caller has reacted so before; ${remove} takes it back`, async () => {
    const place = await tracker()
    const { status, body } = await ask(add, place, content('heart'))
    const created = `${clock.now().toISOString().slice(0, 19)}Z`
    assert.equal(status, 201)
    assert.deepEqual([body.user.login, body.user.email], ['ada', 'ada@example.com'])
    assert.deepEqual({ ...body, user: undefined }, { user: undefined, content: 'heart', created_at: created })
    clock.tick(5000)
    const again = await ask(add, place, content('heart'))
    assert.deepEqual([again.status, again.body], [200, body])
    assert.equal((await ask(add, place, content('+1'))).status, 201)
    assert.equal((await ask(add, place, content('heart'), { as: owner })).status, 201)
    assert.deepEqual(await seen(list, place), ['ada heart', 'ada +1', 'Owner heart'])
    const gone = await ask(remove, place, content('heart'))
    assert.deepEqual([gone.status, gone.body], [200, undefined])
    assert.equal((await ask(remove, place, content('heart'))).status, 200, 'once is enough')
    assert.deepEqual(await seen(list, place), ['ada +1', 'Owner heart'])
  })

  test(`${add} accepts exactly the reactions that /settings/ui lists`, async () => {
    const place = await tracker()
    const { body: settings } = await call('GET /api/v1/settings/ui')
    const known: string[] = settings.allowed_reactions
    for (const name of known) assert.equal((await ask(add, place, content(name))).status, 201)
    const wrong = ['', 'thumbsup', ':heart:', 'HEART', 'heart ', '❤', 'git', '__proto__', 'x'.repeat(100_000)]
    for (const name of wrong)
      holdRefusal(await ask(add, place, content(name)), 403, `'${name}' is not an allowed reaction`)
    holdRefusal(await ask(add, place, {}), 403, "'' is not an allowed reaction")
    for (const body of [content('\u0000'), { content: 1 }, { content: ['heart'] }, [], '{"content":', 'x']) {
      const { status } = await ask(add, place, body)
      assert.ok(status === 400 || status === 422, `${JSON.stringify(body)} is refused with ${status}`)
    }
    for (const name of ['', 'thumbsup']) assert.equal((await ask(remove, place, content(name))).status, 200)
    assert.deepEqual(
      await seen(list, place),
      known.map((name) => `ada ${name}`),
    )
  })

  test(`${list} has pages if the client requests one, and hides what the reader may not see`, async () => {
    const place = await tracker()
    const none = await ask(list, place, undefined, { as: undefined })
    assert.deepEqual([none.body, none.headers.get('x-total-count')], [[], '0'])
    for (const name of ['laugh', 'eyes', 'rocket']) await ask(add, place, content(name))
    const { body, headers } = await ask(list, place, undefined, { query: { page: 2, limit: 2 } })
    assert.deepEqual([body.length, body[0].content, headers.get('x-total-count')], [1, 'rocket', '3'])
    const shy = await make.person()
    await pool`update forge.account set hides_email = true where id = ${shy.id}`
    await ask(add, place, content('heart'), { as: shy })
    for (const as of [undefined, eve]) {
      const { body } = await ask(list, place, undefined, { as })
      assert.match(body[3].user.email, /@noreply\./)
    }
  })

  test(`${add} and ${remove} are for those who may read the issue`, async () => {
    const place = await tracker()
    const hidden = await tracker({ is_private: true })
    await ask(add, hidden, content('heart'), { as: owner })
    for (const literal of [add, remove]) {
      holdRefusal(await ask(literal, place, content('eyes'), { as: undefined }), 401, 'token is required')
      holdRefusal(await ask(literal, hidden, content('heart'), { as: eve }), 404, 'not found')
      const reading = bearer(await make.token(ada, 'read:issue'))
      assert.equal((await ask(literal, place, content('eyes'), { as: reading })).status, 403)
      for (const id of [0, 999_999, -1, 'x', '1e3', '9'.repeat(30)])
        holdRefusal(await ask(literal, place, content('eyes'), { id, index: id }), 404, 'not found')
    }
    holdRefusal(await ask(list, hidden, undefined, { as: eve }), 404, 'not found')
    holdRefusal(await ask(list, hidden, undefined, { as: undefined }), 404, 'not found')
    holdRefusal(await ask(list, place, undefined, { id: 0, index: 0 }), 404, 'not found')
    assert.equal((await ask(list, hidden, undefined, { as: boss })).body.length, 1)
    assert.deepEqual(await seen(list, place), [])
  })

  test(`${remove} takes back the caller's own reaction only`, async () => {
    const place = await tracker()
    await ask(add, place, content('heart'), { as: ada })
    for (const as of [eve, owner, boss])
      assert.equal((await ask(remove, place, content('heart'), { as })).status, 200)
    assert.deepEqual(await seen(list, place), ['ada heart'])
  })

  test(`${add} of the same by many requests at once is one reaction`, async () => {
    const place = await tracker()
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(add, place, content('rocket'))))
    assert.equal(answers.filter(({ status }) => status === 201).length, 1)
    assert.equal(answers.filter(({ status }) => status === 200).length, 19)
    assert.deepEqual(await seen(list, place), ['ada rocket'])
  })

  test(`${add} changes neither the issue nor its threads, and works on an archived repository`, async () => {
    const place = await tracker()
    const params = { owner: 'owner', repo: place.repo.name, index: 1 }
    const issue = async () => (await call(`GET ${REPO}/issues/{index}`, { params })).body
    const before = await issue()
    await call(`PATCH ${REPO}`, { as: owner, params, body: { archived: true } })
    clock.tick(5000)
    assert.equal((await ask(add, place, content('heart'))).status, 201)
    assert.equal((await ask(remove, place, content('heart'))).status, 200)
    assert.deepEqual(await issue(), before)
  })

  test(`${list} loses the reactions of an account that is deleted`, async () => {
    const place = await tracker()
    const gone: Somebody = await make.person()
    await ask(add, place, content('heart'), { as: gone })
    await ask(add, place, content('eyes'), { as: ada })
    const params = { username: gone.name }
    assert.equal((await call('DELETE /api/v1/admin/users/{username}', { as: boss, params })).status, 204)
    assert.deepEqual(await seen(list, place), ['ada eyes'])
  })
}

test(`${LIST} and ${LIST_OF_COMMENT} are two lists, and a comment is one of its own repository`, async () => {
  const place = await tracker()
  const other = await tracker()
  await ask(ADD, place, content('heart'))
  await ask(ADD_TO_COMMENT, place, content('eyes'))
  assert.deepEqual(
    [await seen(LIST, place), await seen(LIST_OF_COMMENT, place)],
    [['ada heart'], ['ada eyes']],
  )
  const wrong = { ...other, comment: place.comment }
  for (const literal of [LIST_OF_COMMENT, ADD_TO_COMMENT, REMOVE_FROM_COMMENT]) {
    const body = literal === LIST_OF_COMMENT ? undefined : content('eyes')
    holdRefusal(await ask(literal, wrong, body), 404, 'not found')
  }
  assert.deepEqual(await seen(LIST_OF_COMMENT, place), ['ada eyes'])
})

test(`${LIST_OF_COMMENT}: reactions go with their comment`, async () => {
  const place = await tracker()
  await ask(ADD_TO_COMMENT, place, content('eyes'))
  await ask(`DELETE ${REPO}/issues/comments/{id}`, place, undefined, { as: owner })
  holdRefusal(await ask(LIST_OF_COMMENT, place, undefined), 404, 'not found')
  const [left] = await pool`select count(*) as rows from forge.reaction where comment_id = ${place.comment}`
  assert.equal(left?.rows, 0)
})
