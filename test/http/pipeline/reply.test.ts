import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as v from 'valibot'
import { problemReply, replyOf } from '../../../src/http/pipeline/reply.ts'
import type { ApiProfile } from '../../../src/http/route/api.ts'
import { movedTo, Problem } from '../../../src/http/route/problem.ts'
import { ReplyWith } from '../../../src/http/route/results.ts'
import { routeOf } from '../../../src/http/route/route.ts'
import { json, type Sends, textAs } from '../../../src/http/route/sends.ts'

const profile: ApiProfile = {
  base: '/x',
  json: 'application/json',
  headers: ['X-Own', 'yes'],
  anyOrigin: false,
  readBody: () => undefined,
  problem: ({ message, extra }) => (extra.form === 'brief' ? { message } : { message, more: true }),
  refuse: () => new Problem(422, 'no'),
  unknownPath: () => new Problem(404, 'no'),
  wrongMethod: () => new Problem(405, 'no'),
}

const open = { name: 'open', refusals: [], admit: () => null }
const asked = { root: 'http://x/', url: '/x' }

/** The reply of a route that gives this back. */
async function reply<Result>(returns: Sends<Result>, result: Result, more: { also?: number[] } = {}) {
  const route = routeOf<null>()('GET /x', {
    summary: '',
    access: open,
    returns,
    ...more,
    handler: () => result,
  })
  const { chunks, headers, ...rest } = await replyOf(route, profile, result, asked)
  return { ...rest, text: chunks.join(''), headers: pairs(headers) }
}

function pairs(headers: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1] ?? '']] : [])),
  )
}

const shape = v.object({ a: v.number() })

test('205 with a body has its length, since some take it for bodiless', async () => {
  const { status, text, headers } = await reply(json(205, shape), { a: 1 })
  assert.deepEqual([status, text, headers['Content-Length']], [205, '{"a":1}', '7'])
})

test('a route of another media type sends its text as it is', async () => {
  const { text, headers } = await reply(textAs(200, 'text/html; charset=utf-8'), '<p>ä</p>')
  assert.equal(text, '<p>ä</p>')
  assert.deepEqual([headers['Content-Type'], headers['Content-Length']], ['text/html; charset=utf-8', '9'])
})

test('a dressed value has headers and a status of its own', async () => {
  const dressed = new ReplyWith({ a: 1 }, { status: 202, headers: { 'X-Warning': 'mind' } })
  const { status, text, headers } = await reply(json(200, shape), dressed, { also: [202] })
  assert.deepEqual([status, text, headers['X-Warning'], headers['X-Own']], [202, '{"a":1}', 'mind', 'yes'])
})

test('a dressed 204 has no body and nothing that speaks of one', async () => {
  const { status, text, headers } = await reply(json(201, shape), new ReplyWith({ a: 1 }, { status: 204 }))
  assert.deepEqual([status, text, headers], [204, '', { 'X-Own': 'yes' }])
})

test('a reply that is dressed in nothing is the declared one', async () => {
  assert.deepEqual(
    await reply(json(200, shape), new ReplyWith({ a: 1 }, {})),
    await reply(json(200, shape), { a: 1 }),
  )
})

for (const [form, type, text] of [
  ['own', 'application/json', '{"message":"no","more":true}'],
  ['brief', 'application/json', '{"message":"no"}'],
  ['text', 'text/plain; charset=utf-8', 'no\n'],
  ['empty', undefined, ''],
] as const) {
  test(`a refusal in its ${form} form`, () => {
    const { status, chunks, length, headers } = problemReply(
      profile,
      new Problem(403, 'no', { form, headers: { A: 'b' } }),
    )
    assert.equal(status, 403)
    assert.equal(chunks.join(''), text)
    assert.equal(length, text.length)
    const { 'Content-Type': sent, 'Content-Length': announced, A } = pairs(headers)
    assert.deepEqual([sent, announced, A], [type, String(text.length), 'b'])
  })
}

test('movedTo() is a 307 without a body', () => {
  const { status, headers, length } = problemReply(profile, movedTo('/y?z'))
  assert.deepEqual([status, pairs(headers).Location, length], [307, '/y?z', 0])
})
