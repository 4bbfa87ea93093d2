import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startEverything } from '../support/forge/everything.ts'
import { pathsOf, saysNone } from '../support/forge/everything-routes.ts'
import { root } from './browser.ts'

const everything = await startEverything()
const { runners, url, app, answers, ada, hooks, team, said, key, gpgKey, commit, pool } = everything

/** The value of each path parameter; of some it depends on the path. */
const values: readonly (readonly [literal: RegExp, params: Readonly<Record<string, string | number>>])[] = [
  [
    /^/,
    { owner: 'ada', repo: 'code', org: 'guild', username: 'ada', index: 1, run: 1, job_id: 1, attempt: 1 },
  ],
  [/^/, { variablename: 'V', secretname: 'S', collaborator: 'eve', ref: 'main', sha: commit }],
  [/^/, { workflow_id: 'ci.yml', slug: 'kind', task: 'git_gc_repos', user: 'eve' }],
  [/^\/api\/news/, { id: 1 }],
  [/templates/, { name: 'Go' }],
  [/label\/templates/, { name: 'Default' }],
  [/licenses/, { name: 'MIT' }],
  [/admin\/hooks/, { id: hooks.site }],
  [/user\/hooks/, { id: hooks.user }],
  [/repo\}\/hooks/, { id: hooks.repository }],
  [/org\}\/hooks/, { id: hooks.organization }],
  [/teams\/\{id\}/, { id: team, org: 'guild', repo: 'tools', username: 'ada' }],
  [/issues\/comments/, { id: said }],
  [/labels\/\{id\}/, { id: 1 }],
  [/user\/keys/, { id: key }],
  [/user\/gpg_keys/, { id: gpgKey }],
  [/repositories\/\{id\}/, { id: 1 }],
  [/api\/v1\/packages/, { type: 'generic', name: 'tool', version: '1.0+2~a' }],
  [/\/generic\//, { package: 'tool', version: '1.0+2~a', file: 'tool.bin' }],
  [/\/npm\//, { name: 'plain', scope: '@ada', file: 'plain-1.0.0.tgz' }],
  [/\{scope\}/, { name: 'scoped', file: 'scoped-1.0.0.tgz' }],
  [/repo\}\/teams/, { owner: 'guild', repo: 'tools', team: 'readers' }],
]

/** Operations whose parameters have their values in `everything-routes.ts`. */
const filledThere =
  /\{artifact_id\}|\.\.\.\}|\{repo\}\/(?:git|keys|milestones|releases|tag_protections)\/|\/assets|\/assignees\/|orgs\/\{org\}\/labels\/|\/media\/\w+\//

/** Addresses of this server in an answer, each with where it stands. */
function addressesIn(
  value: unknown,
  place: string,
  name = '',
  base = root,
): [address: string, place: string][] {
  if (Array.isArray(value)) return value.flatMap((each) => addressesIn(each, place, name, base))
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([key, each]) => addressesIn(each, `${place} .${key}`, key, base))
  if (typeof value !== 'string') return []
  if (/^[{[]/.test(value) && isJson(value)) return addressesIn(JSON.parse(value), place, name)
  if (value.startsWith(root)) return [[value, place]]
  if (/(?:^|_)url$/.test(name) && value.startsWith('/')) return [[root + value.slice(1), place]]
  return linksIn(value, base).map((address) => [address, place])
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** What a page or a rendered text links to and shows, as far as it is of this server. */
const linksIn = (text: string, base: string) =>
  [...text.replace(postForm, '').matchAll(/\s(?:href|src|action)="([^"]+)"/g)]
    .map(([, address = '']) => new URL(address.replaceAll('&amp;', '&').replaceAll('&#39;', "'"), base).href)
    .filter((address) => address.startsWith(root))

/** The first tag of a form that changes something, and its address. */
const postForm = /<form[^>]* method="post" action="([^"]+)"/g

/** The patterns of paths that take forms. */
const takingForms = app.routes
  .filter(({ method }) => method === 'POST')
  .map(({ path }) => new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+').replace(/\{\w+\.\.\.\}/g, '.+')}$`))

/** The addresses of forms in a page that nothing takes. */
const deadForms = (page: string) =>
  [...page.matchAll(postForm)]
    .map(([, address = '']) => new URL(address, root).pathname)
    .filter((path) => !takingForms.some((pattern) => pattern.test(path)))

const inLinkHeader = (headers: Headers) =>
  [...(headers.get('link') ?? '').matchAll(/<([^>]+)>/g)].map(([, address = '']) => address)

/** Asks for an address as a browser does, and as somebody who may read everything. */
async function ask(address: string) {
  const target = address.endsWith('.git') ? `${address}/info/refs?service=git-upload-pack` : address
  const response = await fetch(url + target.slice(root.length - 1), {
    redirect: 'manual',
    headers: { authorization: ada.authorization, accept: 'text/html,*/*;q=0.8' },
  })
  const { status, headers } = response
  const bytes = Buffer.from(await response.arrayBuffer())
  const type = headers.get('content-type') ?? ''
  return { status, headers, text: /json|html|xml/.test(type) ? bytes.toString() : '' }
}

/** The address of each operation that reads, with parameters that there is something for. */
async function operations(): Promise<string[]> {
  const [thread] = await pool<{ id: number }[]>`
    select max(id) as id from forge.notification where account_id = ${ada.id}`
  const deliveries = await pool<{ hook_id: number; id: number }[]>`
    select hook_id, id from forge.hook_delivery order by id`
  const ofRepository = deliveries
    .filter(({ hook_id }) => hook_id === hooks.repository)
    .map(({ id }) => `${root}api/v1/repos/ada/code/hooks/${hooks.repository}/deliveries/${id}`)
  const pathOf = await pathsOf(everything)
  const reading = app.routes
    .filter(
      ({ method, path }) =>
        method === 'GET' && /^\/api\/(?!stats\/stream|swagger\/|actions_pipeline\/)/.test(path),
    )
    .filter(({ path }) => !saysNone.test(path))
    // The fixture has no pull request.
    .filter(({ path }) => !/\/pulls\/\{|\/commits\/\{sha\}\/pull$/.test(path))
    .map(({ path }) => {
      if (filledThere.test(path))
        return `${root}${pathOf({ path }).slice(1)}?limit=1&all=true${neededBy(path)}`
      const matching = values.filter(([pattern]) => pattern.test(path)).map(([, each]) => each)
      const params = Object.assign({}, ...matching)
      if (path.includes('threads/')) params.id = thread?.id
      params.runner_id = runners[/^\/api\/v1\/(\w+)/.exec(path)?.[1] ?? '']
      params.delivery = deliveries.find(({ hook_id }) => hook_id === params.id)?.id
      const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name]))
      return `${root}${filled.slice(1)}?limit=1&all=true${neededBy(path)}`
    })
  return [...reading, ...ofRepository]
}

/** The query without which an operation refuses. */
const neededBy = (path: string) =>
  path.endsWith('/file-contents') ? `&body=${encodeURIComponent('{"files":["README.md"]}')}` : ''

/** How many addresses of one place are requested (lists of templates have hundreds), and of one form. */
const maximum = { ofPlace: 20, ofForm: 2 }

/**
 * What an address adds to others: its path with each of its filters, so that not every combination of filters is requested,
 * without what only tells equals apart (object ids, numbers, the ref of a file).
 */
function formsOf(address: string): string[] {
  const { pathname, searchParams, hash } = new URL(address)
  const filters = [...searchParams].map(([name, value]) => `?${name}=${value}`)
  return [...filters, hash].map((part) => withoutIds(pathname + part))
}

const withoutIds = (address: string) =>
  address
    .replace(/[0-9a-f]{40}/g, 'id')
    .replace(/(?:branch\/main|branch\/feature\/one|tag\/v1|commit\/id)\//, 'ref/')
    .replace(/\d+/g, '0')

/** Counts by key; tells whether there have been fewer. */
function counter(limit: number) {
  const counts = new Map<string, number>()
  return (key: string) => {
    const count = (counts.get(key) ?? 0) + 1
    counts.set(key, count)
    return count <= limit
  }
}

test('each address that an answer or a page gives leads somewhere', async () => {
  const seen = new Map<string, string>()
  const [isNewPlace, hasNewForm] = [counter(maximum.ofPlace), counter(maximum.ofForm)]
  // Each form counts, also after one that is new.
  const isNewForm = (address: string) => formsOf(address).filter(hasNewForm).length > 0
  const note = (address: string, place: string) => {
    const [bare = ''] = address.split('#')
    if (seen.has(address)) return
    if (place !== 'operation' && !(isNewForm(address) && isNewPlace(place))) return
    for (const each of [bare, address]) if (!seen.has(each)) seen.set(each, place)
  }
  for (const address of await operations()) note(address, 'operation')
  for (const { literal, answered } of answers)
    for (const [address, place] of addressesIn(answered.body, literal)) note(address, place)
  const dead: string[] = []
  const texts = new Map<string, string>()
  // A map gives what is added while it is walked, so that the addresses in these answers are followed as well.
  for (const [address, place] of seen) {
    const [bare = '', fragment] = address.split('#')
    if (fragment !== undefined) {
      if (!texts.get(bare)?.includes(`id="${fragment}"`)) dead.push(`no #${fragment} · ${address} · ${place}`)
      continue
    }
    const { status, headers, text } = await ask(address)
    const isThere = status < 400 || (status === 405 && headers.get('allow')?.includes('POST'))
    dead.push(...deadForms(text).map((path) => `POST ${path} · ${address}`))
    if (!isThere) dead.push(`${status} · ${address} · ${place}`)
    texts.set(address, text)
    for (const [found, where] of addressesIn(text, address, '', address)) note(found, where)
    for (const link of inLinkHeader(headers)) note(link, `${address} Link`)
  }
  assert.ok(seen.size > 250, `only ${seen.size} addresses`)
  assert.deepEqual(dead, [])
})
