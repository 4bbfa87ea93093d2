import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as v from 'valibot'
import { userName } from '../../../src/forge/accounts/names.ts'
import { readForgeBody, refuseBody } from '../../../src/forge/protocol/body.ts'
import {
  flag,
  integer,
  named,
  option,
  optionalFlag,
  optionalInteger,
  optionalMap,
  optionalMoment,
  optionalText,
  text,
  texts,
} from '../../../src/forge/protocol/fields.ts'
import { maxSize, oneOf, required, url } from '../../../src/forge/protocol/rules.ts'
import { Problem } from '../../../src/http/route/problem.ts'
import type { Query } from '../../../src/http/route/query.ts'
import { routeOf } from '../../../src/http/route/route.ts'
import type { Method } from '../../../src/http/route/router.ts'
import { noBody } from '../../../src/http/route/sends.ts'

const Draft = option('Draft', {
  username: named('UserName', text(required, userName, maxSize(5))),
  full_name: text(maxSize(3)),
  email: optionalText(oneOf(['', 'a@b'])),
  website: text(url),
  active: optionalFlag(),
  private: flag(),
  source_id: integer(),
  max_repo_creation: optionalInteger(),
  badge_slugs: texts(),
  config: optionalMap(),
  created_at: named('Created', optionalMoment()),
})

const empty = {
  username: 'ada',
  full_name: '',
  website: '',
  private: false,
  source_id: 0,
  badge_slugs: [],
}

const route = routeOf<null>()
const anybody = { name: 'anybody', refusals: [], admit: () => null }
const taking = {
  summary: '',
  access: anybody,
  body: Draft,
  returns: noBody(204),
  handler: () => {},
} as const
const routes = {
  POST: route('POST /x', taking),
  PUT: route('PUT /x', taking),
  PATCH: route('PATCH /x', taking),
  DELETE: route('DELETE /x', taking),
}
const raw = route('POST /raw', {
  summary: '',
  access: anybody,
  body: v.string(),
  accepts: ['text/plain'],
  returns: noBody(204),
  handler: () => {},
})

interface Sent {
  type?: string | undefined
  method?: Exclude<Method, 'GET'>
  query?: Query
}

/** The checked body, or the refusal. */
async function read(
  body: string | Uint8Array,
  { type = 'application/json', method = 'POST', query = {} }: Sent = {},
) {
  try {
    const about = { contentType: type === '' ? undefined : type, route: routes[method], query }
    const checked = v.safeParse(Draft, await readForgeBody(Buffer.from(body), about))
    if (checked.success) return checked.output
    throw refuseBody(checked.issues)
  } catch (error) {
    assert.ok(error instanceof Problem, String(error))
    assert.equal(error.status, 422)
    return error.message
  }
}

test('a JSON body is read with its defaults; unknown members are ignored and null is not given', async () => {
  assert.deepEqual(
    await read('{"username":"ada","unknown":[1,{"a":null}],"email":null,"source_id":null}'),
    empty,
  )
  const whole = {
    username: 'ada',
    full_name: 'äöü',
    email: 'a@b',
    website: 'https://a.example',
    active: false,
    private: true,
    source_id: 3,
    max_repo_creation: -1,
    badge_slugs: ['a', 'b'],
    config: { url: 'x' },
    created_at: '2026-01-31T08:00:00+01:00',
  }
  assert.deepEqual(await read(JSON.stringify(whole)), {
    ...whole,
    created_at: new Date('2026-01-31T07:00:00Z'),
  })
})

test('any type that contains json is JSON', async () => {
  for (const type of ['text/json', 'application/vnd.x+json', 'application/json; charset=utf-8']) {
    assert.deepEqual(await read('{"username":"ada"}', { type }), empty)
  }
})

test('members are found by their exact name first, then in any case', async () => {
  assert.deepEqual(await read('{"UserName":"bob","username":"ada"}'), empty)
  assert.deepEqual(await read('{"USERNAME":"ada"}'), empty)
})

for (const body of [
  '',
  ' ',
  '{',
  '{"username":"ada"} x',
  '{"username":"ada"}{}',
  '[]',
  '["username"]',
  '"username"',
  '1',
  'true',
  "{'username':'ada'}",
  '{"username":1}',
  '{"username":["ada"]}',
  '{"username":{"a":1}}',
  '{"username":"ada","active":"true"}',
  '{"username":"ada","active":1}',
  '{"username":"ada","source_id":"1"}',
  '{"username":"ada","source_id":1.5}',
  '{"username":"ada","source_id":1e300}',
  '{"username":"ada","badge_slugs":"a"}',
  '{"username":"ada","badge_slugs":[1]}',
  '{"username":"ada","config":{"url":1}}',
  '{"username":"ada","config":["a"]}',
  '{"username":"ada","created_at":""}x',
  '{"username":"ada","created_at":"2026-01-31"}',
  '{"username":"ada","created_at":1}',
  '{"username":"a\\u0000"}',
  '{"username":"\\ud800"}',
  '{"username":"ada","x":"\\u0000"}',
  new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]),
]) {
  test(`a body that cannot be read names no property: ${typeof body === 'string' ? JSON.stringify(body) : 'no UTF-8'}`, async () => {
    assert.match(String(await read(body)), /^\[\]: ./)
  })
}

for (const [body, message] of [
  ['{}', '[UserName]: Required'],
  ['null', '[UserName]: Required'],
  ['{"username":""}', '[UserName]: Required'],
  ['{"username":null}', '[UserName]: Required'],
  ['{"username":"a b c d"}', '[UserName]: invalid username'],
  ['{"username":"abcdef","full_name":"abcd"}', '[UserName]: MaxSize'],
  ['{"full_name":"abcd","username":"ada","email":"x"}', '[FullName]: MaxSize'],
  ['{"username":"ada","email":"x","website":"y"}', '[Email]: In'],
  ['{"username":"ada","website":"ftp://a"}', '[Website]: Url'],
] as const) {
  test(`the first broken rule in the order of the declaration is reported: ${body}`, async () => {
    assert.equal(await read(body), message)
  })
}

test('a parse error is reported before every broken rule', async () => {
  assert.match(String(await read('{"username":"","active":"x"}')), /^\[\]: cannot read active/)
})

test('texts of wrong types are not repeated in the refusal', async () => {
  assert.equal(String(await read('{"username":"ada","active":"my secret"}')).includes('secret'), false)
})

test('a form has the names of the internal properties, and reads flags and integers leniently', async () => {
  const type = 'application/x-www-form-urlencoded'
  const form =
    'user_name=ada&full_name=%C3%A4&active=on&private=maybe&source_id=7&badge_slugs=a&badge_slugs=b&created=2026-01-31T08%3A00%3A00Z&config=x&unknown=1'
  assert.deepEqual(await read(form, { type }), {
    ...empty,
    full_name: 'ä',
    active: true,
    private: false,
    source_id: 7,
    badge_slugs: ['a', 'b'],
    created_at: new Date('2026-01-31T08:00:00Z'),
  })
  assert.equal(await read('username=ada', { type }), '[UserName]: Required')
  assert.equal(await read('', { type }), '[UserName]: Required')
  assert.match(String(await read('user_name=a%00', { type })), /^\[\]: /)
})

test('the query completes a form; the body takes precedence', async () => {
  const type = 'application/x-www-form-urlencoded'
  const query = { user_name: 'bob', full_name: ['x', 'y'] }
  assert.deepEqual(await read('user_name=ada', { type, query }), { ...empty, full_name: 'x' })
})

test('a multipart form is read like an urlencoded one; its files are dropped', async () => {
  const form = new FormData()
  form.append('user_name', 'ada')
  form.append('badge_slugs', 'a')
  form.append('full_name', new File(['x'], 'x.txt'))
  const request = new Response(form)
  const type = request.headers.get('content-type') ?? ''
  const bytes = new Uint8Array(await request.arrayBuffer())
  assert.deepEqual(await read(bytes, { type }), { ...empty, badge_slugs: ['a'] })
  for (const broken of ['', 'nonsense', '--x\r\n']) {
    assert.match(String(await read(broken, { type })), /^\[\]: /)
    assert.match(String(await read(broken, { type: 'multipart/form-data' })), /^\[\]: /)
  }
})

for (const method of ['POST', 'PUT'] as const) {
  test(`${method} without a type is refused`, async () => {
    assert.equal(await read('{"username":"ada"}', { type: '', method }), '[]: Empty Content-Type')
  })
}

for (const method of ['PATCH', 'DELETE'] as const) {
  test(`${method} without a type is an empty form, which the query fills`, async () => {
    assert.equal(await read('{"username":"ada"}', { type: '', method }), '[UserName]: Required')
    assert.deepEqual(await read('', { type: '', method, query: { user_name: 'ada' } }), empty)
  })
}

test('a body in another encoding than UTF-8 is refused', async () => {
  const refusal = '[]: the body must be sent in UTF-8, not in utf-16'
  for (const type of ['application/json; charset=utf-16', 'application/x-www-form-urlencoded;charset=utf-16'])
    assert.equal(await read('{"username":"ada"}', { type, method: 'POST' }), refusal)
})

for (const type of ['text/plain', 'application/xml', 'nonsense', 'application/JSON']) {
  test(`the type ${type} is refused`, async () => {
    for (const method of ['POST', 'PATCH', 'DELETE'] as const) {
      assert.equal(await read('{"username":"ada"}', { type, method }), '[]: Unsupported Content-Type')
    }
  })
}

test('a route that accepts text gets it as it is, whatever its type', async () => {
  for (const contentType of ['text/plain', 'application/json', undefined]) {
    assert.equal(await readForgeBody(Buffer.from('{ä'), { contentType, route: raw, query: {} }), '{ä')
  }
})
