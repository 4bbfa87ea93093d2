import assert from 'node:assert/strict'
import { test } from 'node:test'
import { siteApi } from '../site/specified.ts'
import { sourcesOf } from '../support/sources.ts'

/** The table of the specification, section 4: method, path, success. */
const endpoints = [
  ['GET /api/health', 200],
  ['GET /api/news', 200],
  ['POST /api/news', 201],
  ['DELETE /api/news/{id}', 204],
  ['GET /api/media', 200],
  ['POST /api/media', 201],
  ['DELETE /api/media/{id}', 204],
  ['GET /api/stats/overview', 200],
  ['GET /api/stats/users', 200],
  ['POST /api/stats/session/start', 201],
  ['POST /api/stats/session/end', 204],
] as const

/** The table of section 7: status and text of an error. */
const errors = [
  ['POST /api/news', 400, 'title and content are required'],
  ['POST /api/media', 400, 'title, url, and media_type (image|video) are required'],
  ['POST /api/stats/session/start', 400, 'username is required'],
  ['POST /api/stats/session/end', 400, 'sessionId is required'],
  ['DELETE /api/news/{id}', 404, 'not found'],
  ['DELETE /api/media/{id}', 404, 'not found'],
  ['POST /api/stats/session/end', 404, 'no active session with that id'],
] as const

/** Our own, beside the specification's. */
const extensions = [
  'GET /api/site',
  'PUT /api/site',
  'GET /api/stats/stream',
  'GET /api/news/{id}',
  'PATCH /api/news/{id}',
  'POST /api/media/pictures',
  'GET /api/media/pictures/{name}',
  'GET /api/media/thumbnails/{uuid}',
]

const declared = new Map(
  Object.values(siteApi.routes).map((route) => [`${route.method} ${siteApi.prefix}${route.path}`, route]),
)
const siteTests = sourcesOf('test').filter(({ path }) => path.startsWith('test/site/'))

/** The names of all tests of the site, as they stand in the source. */
const names = siteTests.flatMap(({ text }) =>
  [...text.matchAll(/\btest\(\s*(['"`])(.*?)\1,/gs)].map(([, , name]) => name ?? ''),
)

test('the site declares the operations of its specification, and no other but extensions', () => {
  const expected = [...endpoints.map(([literal]) => literal), ...extensions]
  assert.deepEqual([...declared.keys()].toSorted(), expected.toSorted())
})

for (const [literal, status] of endpoints) {
  test(`${literal} is declared with its success and named by a test`, () => {
    assert.equal(declared.get(literal)?.returns.status, status)
    assert.ok(
      names.some((name) => name.includes(literal)),
      `no test under test/site is named after ${literal}`,
    )
  })
}

for (const [literal, status, sentence] of errors) {
  test(`${literal} declares its ${status}, and "${sentence}" is expected by a test`, () => {
    assert.ok(declared.get(literal)?.fails.includes(status))
    assert.ok(siteTests.some(({ text }) => text.includes(`'${sentence}'`)))
  })
}
