import assert from 'node:assert/strict'
import { test } from 'node:test'
import { html } from '../../src/web/html.ts'
import { membersOf, printSchema } from '../../src/web/schema.ts'

const printed = (schema: unknown) => printSchema(schema).text

test('texts are escaped in markup, and markup is not', () => {
  const inner = html`<b>${'<&>"\''}</b>`
  assert.equal(inner.text, '<b>&lt;&amp;&gt;&#34;&#39;</b>')
  assert.equal(html`${[inner, 1, undefined, ['x']]}`.text, `${inner.text}1x`)
})

test('schemas are printed as people read them', () => {
  assert.equal(printed({ type: 'integer' }), 'integer')
  assert.equal(printed({ type: 'array', items: { type: 'string' } }), 'string[]')
  assert.equal(printed({ type: 'string', nullable: true }), 'string or null')
  assert.equal(printed({ enum: ['a', 'b<'] }), '&#34;a&#34; | &#34;b&lt;&#34;')
  assert.equal(printed({ anyOf: [{ type: 'string' }, { type: 'number' }] }), 'string | number')
  assert.equal(printed({ $ref: '#/components/schemas/User' }), '<a href="#schema-User">User</a>')
  assert.equal(
    printed({ type: 'object', required: ['a'], properties: { a: { type: 'string' }, b: {} } }),
    '{ a: string, b?: anything }',
  )
  for (const odd of [undefined, null, 'x', [], {}]) assert.equal(printed(odd), 'anything')
  assert.deepEqual(membersOf({ type: 'string' }), [])
})
