import assert from 'node:assert/strict'
import { test } from 'node:test'
import { routesOfApp } from '../routes.ts'
import { unproduced } from './statuses.ts'

const routes = routesOfApp()
const all = routes.flatMap(({ method, path, route }) =>
  [route.returns.status, ...route.also, ...route.fails].map((status) => `${method} ${path} ${status}`),
)
const without = (...lines: string[]) => unproduced(new Set(all.filter((line) => !lines.includes(line))))

test('only declared statuses that no test produces are reported', () => {
  assert.deepEqual(without(), [])
  const lines = ['GET /api/news 200', 'DELETE /api/news/{id} 404']
  assert.deepEqual(without(...lines), lines)
  assert.equal(unproduced(new Set()).length > 1_000, true)
})

test('a fault of the machine has to be shown by one operation of its API', () => {
  const full = all.filter((line) => line.includes(' /api/v1/') && line.endsWith(' 507'))
  assert.ok(full.length > 1)
  assert.deepEqual(without(...full.slice(1)), [])
  assert.deepEqual(without(...full).toSorted(), full.toSorted())
})

test('every exception is about a status that is declared', () => {
  const shown = new Set(unproduced(new Set()))
  const excepted = all.filter((line) => !shown.has(line))
  assert.ok(excepted.some((line) => line.endsWith('/actions/runners 400')))
  assert.ok(excepted.some((line) => line.endsWith(' 408')))
})
