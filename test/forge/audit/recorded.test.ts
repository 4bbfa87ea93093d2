import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Mounted } from '../../../src/http/route/api.ts'
import { acceptedRequests, startFields } from '../../support/forge/fields.ts'
import { observer } from '../../support/forge/observed.ts'
import { otherRoutes, recordedElsewhere, unrecorded } from '../../support/forge/unrecorded.ts'

/** Every operation of the APIs that changes something adds an entry to the audit trail, or is listed with its reason. */

const forge = await startFields()
const { app, url, pool, ada } = forge
const { observe } = await observer(pool, join(forge.folder, 'data', 'repositories'))
const accepted = await acceptedRequests(forge)

const routes = app.routes.filter(
  ({ method, path }) => method !== 'GET' && /^\/api\/(?:v1|packages|news|media|stats|site)\b/.test(path),
)

/** What a request needs to change something, beyond being accepted: a part of its path, a body, a query. */
interface Change {
  operations: RegExp
  path?: readonly [string | RegExp, string]
  body?: unknown
  query?: Record<string, string>
}

/** The next version of a package. */
const publication = (name: string) => ({
  name,
  'dist-tags': { latest: '2.0.0' },
  versions: { '2.0.0': { name, version: '2.0.0' } },
  _attachments: { [`${name}-2.0.0.tgz`]: { data: Buffer.from(name).toString('base64') } },
})

const changes: readonly Change[] = [
  { operations: /^POST \/api\/news/, body: { title: 'A post', content: 'Words' } },
  { operations: /^PATCH \/api\/news/, body: { title: 'Another' } },
  {
    operations: /^POST \/api\/media$/,
    body: { title: 'A picture', media_type: 'image', url: 'https://x.example/a.png' },
  },
  { operations: /^POST \/api\/stats\/session/, body: { username: 'visitor', sessionId: 'unknown' } },
  { operations: /^PUT \/api\/site$/, body: { name: 'A name' } },
  { operations: /^PATCH .*\/runners\/\{runner_id\}$/, body: { disabled: true } },
  { operations: /^PUT .*\/collaborators\//, body: { permission: 'admin' } },
  { operations: /^PUT .*\/topics$/, body: { topics: ['other'] } },
  { operations: /^PUT .*\/topics\/\{topic\}$/, path: ['engine', 'other'] },
  { operations: /^PATCH .*\/(?:orgs\/\{org\}|badges\/\{slug\})$/, body: { description: 'Other' } },
  { operations: /^PATCH .*\/(?:admin\/users\/\{username\}|user\/settings)$/, body: { full_name: 'Other' } },
  { operations: /^PUT .*\/teams\/\{id\}\/members\//, path: [/ada$/, 'eve'] },
  { operations: /^POST .*\/assets$/, query: { name: 'more.txt' }, body: 'text' },
  {
    operations: /^PUT .*\/npm\/\{name\}$/,
    body: publication('plain'),
  },
  {
    operations: /^PUT .*\/npm\/\{scope\}\/\{name\}$/,
    body: publication('@ada/scoped'),
  },
  { operations: /^PUT .*\/generic\//, path: ['tool.bin', 'other.bin'], body: 'bytes' },
]

/** Sends a request that changes something; gives its status and the actions that the trail then names. */
async function ask(mounted: Mounted) {
  const { method, path, route } = mounted
  const literal = `${method} ${path}`
  const request = accepted(mounted)
  const own = changes.find(({ operations }) => operations.test(literal))
  const target = own?.path ? request.path.replace(...own.path) : request.path
  const search = new URLSearchParams({ ...request.query, ...own?.query })
  const body = own?.body ?? request.body
  const isText = typeof body === 'string'
  const isSent = route.body !== undefined || own?.body !== undefined
  const { status, seen } = await observe(() =>
    fetch(`${url}${target}${search.size > 0 ? `?${search}` : ''}`, {
      method,
      headers: {
        Authorization: ada.authorization,
        'Content-Type': isText ? 'application/octet-stream' : 'application/json',
      },
      redirect: 'manual',
      ...(isSent && { body: isText ? body : JSON.stringify(body) }),
    }),
  )
  const actions = [...seen].flatMap(([place, value]) => (/ forge\.audit\.action$/.test(place) ? [value] : []))
  return { status, actions }
}

const used = new Set<RegExp>()

for (const mounted of routes) {
  const literal = `${mounted.method} ${mounted.path}`
  const elsewhere = recordedElsewhere.find(({ operations }) => operations.test(literal))
  const listed = unrecorded.find(({ operations }) => operations.test(literal))
  test(`${literal}: ${listed ? `is not recorded: ${listed.why}` : 'is recorded'}`, async () => {
    for (const entry of [elsewhere, listed]) if (entry) used.add(entry.operations)
    assert.ok(!elsewhere || !listed, `${literal} is in both lists`)
    if (elsewhere) {
      const text = await readFile(join('test', `${elsewhere.test}.test.ts`), 'utf8')
      assert.ok(text.includes(`'${elsewhere.action}'`), `${elsewhere.test} expects ${elsewhere.action}`)
      return
    }
    const { status, actions } = await ask(mounted)
    if (listed) return assert.deepEqual(actions, [], `${literal} is recorded; take it off the list`)
    assert.ok(status < 400, `${literal} ${status}`)
    assert.ok(actions.length > 0, `${literal} leaves no entry`)
  })
}

test('every other route that may change something is in a list', () => {
  const others = app.routes.filter(({ method }) => method !== 'GET').filter((each) => !routes.includes(each))
  const literals = others.map(({ method, path }) => `${method} ${path}`)
  assert.deepEqual(
    literals.filter((literal) => {
      const entry = otherRoutes.find(({ operations }) => operations.test(literal))
      if (entry) used.add(entry.operations)
      return !entry
    }),
    [],
  )
})

test('every entry of the lists is about an operation', () => {
  const stale = [...recordedElsewhere, ...unrecorded, ...otherRoutes].filter(
    ({ operations }) => !used.has(operations),
  )
  assert.deepEqual(
    stale.map(({ operations }) => String(operations)),
    [],
  )
})
