import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createPool } from '../../src/render/pool.ts'
import { html, requestOf } from './request.ts'

const pool = createPool({ workers: 1, queue: 2 })
after(() => pool.close())

test('a text is rendered in a thread', async () => {
  const outcome = await pool.run(requestOf('*x*'))
  assert.equal(html(outcome), '<p><em>x</em></p>\n')
})
