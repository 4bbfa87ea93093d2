import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { KEPT } from '../../src/forge/repos/repo.shape.ts'
import { type Piece, writerOf } from '../../src/http/openapi/schema.ts'
import type { Mounted } from '../../src/http/route/api.ts'
import { valuesFor } from '../support/forge/field-values.ts'
import { type Accepted, acceptedRequests, startFields } from '../support/forge/fields.ts'
import { type Observation, observer } from '../support/forge/observed.ts'
import { sourcesOf } from '../support/sources.ts'

/**
 * Every field that the bodies and queries of the API declare: a request that differs in that field alone is answered
 * differently or changes something else, or the field is listed here, with the reason.
 */

const forge = await startFields()
const { app, url, pool, ada } = forge
const { observe } = await observer(pool, join(forge.folder, 'data', 'repositories'))
const accepted = await acceptedRequests(forge)
const valuesOf = valuesFor(forge)

const routes = app.routes.filter(
  ({ path, route }) =>
    path.startsWith('/api/v1/') && (route.body !== undefined || Object.keys(route.query).length > 0),
)
const writer = writerOf(
  routes.map(({ route }) => route.body),
  { examples: {}, members: {} },
)
const named = writer.named()

interface Field {
  /** `query page`, or `config.url` in a body. */
  name: string
  schema: Piece
  change: (request: Accepted, value: unknown) => Accepted
}

/** All lists declare and use them by the same functions (`http/paging` tests these). */
const paging = ['page', 'limit']

const fieldsOf = ({ route }: Mounted): Field[] => [
  ...Object.entries(route.query)
    .filter(([name]) => !paging.includes(name))
    .map(([name, schema]) => ({
      name: `? ${name}`,
      schema: writer.received(schema),
      change: (request: Accepted, value: unknown) => ({
        ...request,
        query: { ...request.query, [name]: String(value) },
      }),
    })),
  ...(route.body ? membersOf(writer.received(route.body)) : []).map(({ path, schema }) => ({
    name: path.join('.'),
    schema,
    change: (request: Accepted, value: unknown) => ({
      ...request,
      body: withMember(request.body, path, value),
    }),
  })),
]

/** The members of a schema that have no members themselves; `0` stands for an element. */
function membersOf(schema: Piece, path: readonly string[] = []): { path: string[]; schema: Piece }[] {
  const { properties = {} } = resolved(schema) as { properties?: Record<string, Piece> }
  return Object.entries(properties).flatMap(([name, member]) => {
    const own = name === 'config' ? configOfHook : resolved(member)
    const isList = own.type === 'array'
    const inner = membersOf(isList ? (own.items as Piece) : own, [...path, name, ...(isList ? ['0'] : [])])
    return inner.length > 0 ? inner : [{ path: [...path, name], schema: own }]
  })
}

/** The members that a webhook of any kind reads; its schema takes all. */
const configOfHook: Piece = {
  properties: Object.fromEntries(
    ['url', 'content_type', 'secret', 'http_method'].map((name) => [name, { type: 'string' }]),
  ),
}

const resolved = (schema: Piece): Piece =>
  typeof schema.$ref === 'string' ? (named[schema.$ref.split('/').pop() ?? ''] ?? {}) : schema

function withMember(base: unknown, [name = '', ...rest]: readonly string[], value: unknown): unknown {
  if (name === '0') return [withMember(Array.isArray(base) ? base[0] : {}, rest, value)]
  const members = { ...(base as Record<string, unknown> | undefined) }
  return { ...members, [name]: rest.length > 0 ? withMember(members[name], rest, value) : value }
}

async function ask({ method, route }: Mounted, { path, query, body }: Accepted) {
  const search = new URLSearchParams(query)
  return observe(() =>
    fetch(`${url}${path}${search.size > 0 ? `?${search}` : ''}`, {
      method,
      headers: { Authorization: ada.authorization, 'Content-Type': 'application/json' },
      redirect: 'manual',
      ...(route.body && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    }),
  )
}

/** Where two observations differ; values that are random differ by their lengths. */
const differences = (one: Observation, other: Observation, random: ReadonlySet<string> = new Set()) =>
  [...new Set([...one.keys(), ...other.keys()])].filter((path) => {
    const [left, right] = [one.get(path), other.get(path)]
    return random.has(path) ? left?.length !== right?.length : left !== right
  })

/** Fields that refuse what does not fit to what is there, by the ends of their literals: their effect is the refusal. */
const guards =
  /(?: (?:old_commit_id|force|force_push|readme|source_id|type|labels|\? purge|\? path)|\/contents.* (?:sha|branch|files\.0\.(?:sha|from_path))|\/diffpatch branch|reviews (?:commit_id|comments\.0\.\w+)|\/dependencies index|gpg_key\w* \w+)$/

interface Listed {
  field: RegExp
  why: string
}

/** Fields without effect. */
const withoutEffect: readonly Listed[] = [
  { field: / trust_model$/, why: 'signatures are checked by one rule for all repositories' },
  { field: / git_hooks$/, why: 'repositories have no hooks of their own' },
  { field: /\/keys read_only$/, why: 'a key of a user has the rights of the user' },
]

/** Fields whose effect needs more than this fixture has; the test that shows it. */
const shownElsewhere: readonly Listed[] = [
  {
    field: / exclude_pull_requests$/,
    why: 'forge/actions/run-pulls: it empties a member of runs that have pull requests',
  },
  {
    field: /\/jobs \? sort$/,
    why: 'forge/actions/jobs: jobs are sorted by id alone, and `order` counts with it',
  },
  {
    field: /\/orgs\/\{org\}\/actions\/(?:jobs|runs) /,
    why: 'forge/actions/scopes: the organization has no runs here',
  },
  { field: /\/(?:\{attempt\}|\{run\})\/jobs \? order$/, why: 'forge/actions/jobs: the run has one job here' },
  { field: /\/dispatches inputs$/, why: 'forge/actions/dispatch: the workflow has no inputs here' },
  {
    field: /\/merge-upstream ff_only$/,
    why: 'forge/repo-lifecycle/forks: the branches have not diverged here',
  },
  { field: /\/issues\/search \? team$/, why: 'forge/issues/search: needs an owner, too' },
  { field: /\/notifications \? (?:all|last_read_at)$/, why: 'forge/notifications: nothing is read here' },
  { field: / include_desc$/, why: 'forge/orgs/teams: counts with `q`' },
  {
    field: /\/merge (?:MergeCommitID|force_merge)$/,
    why: 'forge/pulls/merging: nothing stands against the merge here',
  },
  { field: /\/update \? style$/, why: 'forge/pulls/merging: the branch is up to date here' },
  { field: /\.(?:diff|patch) \? binary$/, why: 'forge/pulls/files: no file is binary here' },
  { field: /\/files \? (?:skip-to|whitespace)$/, why: 'forge/pulls/files: there is one file here' },
  {
    field: /\/dismissals priors$/,
    why: 'forge/pulls/reviews: the earlier review does not count any longer here',
  },
  { field: /\/assets \? name$/, why: 'forge/attachments: the file is sent as a form' },
  { field: /\/repos\/search \? includeDesc$/, why: 'forge/repo-lifecycle/search: counts with `q`' },
  { field: /\/repos\/search \? (?:topic|exclusive)$/, why: 'forge/repos/search: count with `q` and `uid`' },
  { field: /\/admin\/users password$/, why: 'forge/users: of a password, only a random hash is stored' },
]

const listed = [...withoutEffect, ...shownElsewhere]
const used = new Set<RegExp>()

/** Values of a field of which none made a difference; undefined: one did. */
async function triedInVain(
  mounted: Mounted,
  field: Field,
  { request, first, random }: { request: Accepted; first: Observation; random: ReadonlySet<string> },
): Promise<string | undefined> {
  const literal = `${mounted.method} ${mounted.path} ${field.name}`
  const tried: string[] = []
  for (const value of valuesOf(literal, field.schema)) {
    const { status, seen } = await ask(mounted, field.change(request, value))
    // What is refused as invalid is only looked at.
    const isRefused = status === 400 || status === 422
    if (differences(first, seen, random).length > 0 && (!isRefused || guards.test(literal))) return undefined
    tried.push(`${JSON.stringify(value)} ${status} ${seen.get('body.message') ?? ''}`)
  }
  return `${literal}: ${tried.join('; ')}`
}

for (const mounted of routes.filter((each) => fieldsOf(each).length > 0))
  test(`${mounted.method} ${mounted.path}: each field has an effect, or is listed`, async () => {
    const fields = fieldsOf(mounted).filter(({ name }) => {
      const entry = listed.find(({ field }) => field.test(`${mounted.method} ${mounted.path} ${name}`))
      if (entry) used.add(entry.field)
      return !entry
    })
    if (fields.length === 0) return
    const request = accepted(mounted)
    const [{ status, seen: first }, second] = [await ask(mounted, request), await ask(mounted, request)]
    assert.ok(status < 400, `${status} ${first.get('body.message')}`)
    const random = new Set(differences(first, second.seen))
    const faults: string[] = []
    for (const field of fields)
      faults.push((await triedInVain(mounted, field, { request, first, random })) ?? '')
    assert.deepEqual(
      faults.filter((fault) => fault !== ''),
      [],
    )
  })

test('every entry of the lists is about a field', () => {
  assert.deepEqual(
    listed.filter(({ field }) => !used.has(field)).map(({ field }) => String(field)),
    [],
  )
})

/** Fields that are stored and shown, and then have no effect. */
const onlyKept: readonly Listed[] = [
  { field: / login_name$/, why: 'there are no other login sources' },
  { field: / allow_(?:git_hook|import_local)$/, why: 'there are neither hooks of repositories nor imports' },
  {
    field: /settings (?:language|theme|diff_view_style)$/,
    why: 'pages are in English, in the colours of the browser',
  },
  { field: /settings hide_activity$/, why: 'no page shows the activity of a user' },
  { field: / (?:has_wiki|has_projects|projects_mode|has_packages)$/, why: 'repositories have no such unit' },
  {
    field: / ignore_whitespace_conflicts$/,
    why: 'git decides alike for all repositories whether a merge has conflicts',
  },
  { field: / (?:permission|units_map)$/, why: 'said of what the other one replaces' },
]

test('a field whose description says that it has no effect is in the list', () => {
  const said = routes.flatMap((mounted) =>
    fieldsOf(mounted)
      .filter(({ schema }) => /(?:has no|without) effect/i.test(String(schema.description ?? '')))
      .map(({ name }) => `${mounted.method} ${mounted.path} ${name}`),
  )
  assert.ok(said.length > 10, 'the descriptions were found')
  const reasons = [...withoutEffect, ...onlyKept]
  assert.deepEqual(
    said.filter((literal) => !reasons.some(({ field }) => field.test(literal))),
    [],
  )
})

test('the settings of a repository whose description says that they have no effect are read by nothing', () => {
  const read = new RegExp(`settings\\.(?:${[...KEPT, 'projects_mode'].join('|')})\\b`)
  const readers = sourcesOf('src').filter(({ text }) => read.test(text))
  assert.deepEqual(
    readers.map(({ path }) => path),
    [],
  )
})
