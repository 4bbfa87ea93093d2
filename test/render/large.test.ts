import assert from 'node:assert/strict'
import { test } from 'node:test'
import { render } from '../../src/render/render.ts'
import { html, requestOf } from './request.ts'

const org = (text: string) => html(render(requestOf(text, { mode: 'file', filePath: 'a.org' })))
const count = (text: string, part: string) => text.split(part).length - 1

test('Org: as many headings, list items and lines as there are', () => {
  const many = 4000
  assert.equal(count(org('* a\n'.repeat(many)), '<h2'), many)
  assert.equal(count(org('* a\n** b\n'.repeat(many / 2)), '<h3'), many / 2)
  assert.equal(count(org('- a\n'.repeat(many)), '<li>'), many)
  assert.equal(count(org(`* a\n${'some *bold* words\n'.repeat(many)}`), '<strong>'), many)
  assert.equal(count(org(`* a\n${'| a | b |\n'.repeat(many)}`), '<tr>'), many)
})

test('Org: where the parser would stand still below a heading the text is shown as it is', () => {
  assert.equal(org('* a\n~~\n\n<b>'), '<pre>* a\n~~\n\n&lt;b&gt;</pre>\n')
})
