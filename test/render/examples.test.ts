import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cleanId } from '../../src/render/html/anchor.ts'
import { render } from '../../src/render/render.ts'
import { limits } from './examples/limits.ts'
import { places } from './examples/places.ts'
import { references } from './examples/references.ts'
import { syntax } from './examples/syntax.ts'
import { html, problem, requestOf } from './request.ts'

// The behaviour known of the forge whose interface this is; where a line differs, it says why.
for (const example of [...places, ...references, ...syntax, ...limits])
  test(`example: ${example.name}`, () => {
    const outcome = render(requestOf(example.text, example.request))
    assert.equal(html(outcome), example.html === '' ? '' : `${example.html}\n`)
  })

test('a heading id keeps inner blanks one by one', () => {
  assert.equal(cleanId('  tes a a   a  a  '), 'tes-a-a---a--a')
})

test('a file without a renderer is refused', () => {
  const outcome = render(requestOf('x', { mode: 'file', filePath: 'path/test.unknown' }))
  assert.equal(problem(outcome).message, 'unable to find a render')
  assert.equal(problem(render(requestOf('x', { mode: 'file' }))).reason, 'renderer')
})

test('an unknown mode is refused by its name', () => {
  assert.equal(
    problem(render(requestOf('x', { mode: 'unknown' }))).message,
    'unsupported render mode: unknown',
  )
})

test('the wiki flag wins over any mode', () => {
  assert.equal(
    html(render(requestOf('[[A]]', { mode: 'unknown', wiki: true }))),
    '<p><a href="http://localhost:3000/wiki/A" rel="nofollow">A</a></p>\n',
  )
})
