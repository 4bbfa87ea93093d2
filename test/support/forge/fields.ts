import type { Mounted } from '../../../src/http/route/api.ts'
import { schemaName } from '../../../src/http/route/validate.ts'
import { clientOf } from '../client.ts'
import { startEverything } from './everything.ts'
import { pathsOf } from './everything-routes.ts'
import { bodies, hook, keyLine } from './field-values.ts'
import { pullMakers } from './pulls.ts'

/**
 * For tests of single fields: a server with more than one of most things, so that it can be seen what a field selects, and
 * for each operation a request that is accepted.
 */

export type Fixture = Awaited<ReturnType<typeof startFields>>

/** `startEverything` and more; nothing writes in the background any longer. */
export async function startFields() {
  const forge = await startEverything({ MAIL_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'forge@example.com' })
  const { call, ada, eve } = forge
  const code = { owner: 'ada', repo: 'code' }
  const of = (path: string) => `/api/v1/repos/{owner}/{repo}${path}`
  const id = async (literal: string, given: Parameters<typeof call>[1]): Promise<number> =>
    (await call(literal, given)).body.id
  const label = await id(`POST ${of('/labels')}`, { params: code, body: { name: 'size', color: '#00aa00' } })
  const milestone = await id(`POST ${of('/milestones')}`, { params: code, body: { title: 'v2' } })
  for (const title of ['A second', 'A third', 'A fourth'])
    await call(`POST ${of('/issues')}`, { params: code, body: { title, labels: [label] } })
  const issue = { ...code, index: 1 }
  await call(`PATCH ${of('/issues/{index}')}`, { params: issue, body: { due_date: '2026-03-01T00:00:00Z' } })
  for (const of2 of ['blocks', 'dependencies'])
    await call(`POST ${of(`/issues/{index}/${of2}`)}`, {
      params: issue,
      body: { ...code, index: of2 === 'blocks' ? 2 : 3 },
    })
  await call(`POST ${of('/issues/{index}/comments')}`, { params: issue, body: { body: 'Once more' } })
  await call(`PUT ${of('/actions/secrets/{secretname}')}`, {
    params: { ...code, secretname: 'T' },
    body: { data: 'hush' },
  })
  await call('POST /api/v1/orgs/{org}/labels', {
    params: { org: 'guild' },
    body: { name: 'later', color: '#00aa00' },
  })
  const tools = { owner: 'guild', repo: 'tools' }
  await call(`POST ${of('/branch_protections')}`, { params: tools, body: { rule_name: 'release/*' } })
  const tagRule = await id(`POST ${of('/tag_protections')}`, {
    params: tools,
    body: { name_pattern: 'release-*', whitelist_usernames: ['ada'] },
  })
  await call('POST /api/v1/admin/badges', { body: { slug: 'brave' } })
  await call('POST /api/v1/user/keys', { body: { title: 'desktop', key: keyLine(2) } })

  const makers = pullMakers({ call: clientOf(forge.url, forge.app.routes) }, ada)
  const lifts = await makers.repository({ template: true, issue_labels: 'Default' })
  await makers.admit(lifts, eve)
  const inLifts = { owner: 'ada', repo: lifts }
  await call(`PUT ${of('/topics')}`, { params: inLifts, body: { topics: ['engine'] } })
  await call(`POST ${of('/branch_protections')}`, { params: inLifts, body: { rule_name: 'release/*' } })
  await call(`POST ${of('/hooks')}`, { params: inLifts, body: { type: 'gitea', ...hook } })
  const pulls = {
    label: (await call(`GET ${of('/labels')}`, { params: inLifts })).body[0].id,
    milestone: await id(`POST ${of('/milestones')}`, { params: inLifts, body: { title: 'v1' } }),
  }
  const { number, head } = await makers.propose(lifts, 'topic', { as: eve })
  await makers.propose(lifts, 'second')
  await makers.commit(lifts, 'third', { 'third.txt': 'three\n' }, { isNew: true })
  const review = (as: typeof ada, body: object) =>
    id(`POST ${of('/pulls/{index}/reviews')}`, {
      params: { ...inLifts, index: number },
      as,
      body,
    })
  const inPull = { ...inLifts, index: number }
  await call(`PATCH ${of('/pulls/{index}')}`, {
    params: inPull,
    body: { due_date: '2026-03-01T00:00:00Z' },
  })
  const comments = [{ path: 'topic.txt', body: 'Why?', new_position: 1 }]
  await review(ada, { event: 'APPROVED', body: 'Good' })
  const refused = await review(ada, { event: 'REQUEST_CHANGES', body: 'Bad', comments })
  const draft = await review(ada, { body: 'Perhaps' })
  await call(`POST ${of('/pulls/{index}/requested_reviewers')}`, {
    params: inPull,
    body: { reviewers: ['ada'] },
  })
  const remarks = await call(`GET ${of('/pulls/{index}/reviews/{id}/comments')}`, {
    params: { ...inLifts, index: number, id: refused },
  })
  const { body: gpgToken } = await call('GET /api/v1/user/gpg_key_token', {})
  // Sorts before the others by name only.
  const aaron = await forge.make.person({ name: 'aaron' })
  await call(`POST ${of('/forks')}`, { params: code, as: aaron, body: {} })
  await forge.background.stop()
  return {
    ...forge,
    gpgToken,
    label,
    milestone,
    pulls,
    tagRule,
    lifts,
    refused,
    draft,
    remark: remarks.body[0].id,
    head,
  }
}

/** What to send: the rest of a path, a query and a body that are accepted. */
export interface Accepted {
  path: string
  query: Record<string, string>
  body: unknown
}

/** Gives for an operation a request that is accepted. */
export async function acceptedRequests(made: Fixture) {
  const pathOf = await pathsOf(made)
  const known = bodies(made)
  const paths: [RegExp, (path: string) => string][] = [
    [/POST .*\/variables\//, (path) => path.replace(/V$/, 'W')],
    [/POST .*\/contents\/\{/, (path) => path.replace('README.md', 'new.txt')],
    [/\/pulls/, (path) => path.replace('/ada/code/', `/ada/${made.lifts}/`)],
    [/\{repo\}\/(?:(?:branch|tag)_protections|teams)/, (path) => path.replace('/ada/code/', '/guild/tools/')],
    [/\/tag_protections\/\{id\}/, (path) => path.replace(/\d+$/, String(made.tagRule))],
    [/\/compare\//, (path) => path.replace('main...main', 'v1...main')],
    [/\/merge-upstream$/, () => '/api/v1/repos/aaron/code/merge-upstream'],
    [/\/generate$/, () => `/api/v1/repos/ada/${made.lifts}/generate`],
    [/\/reviews\/\{id\}$/, (path) => path.replace(/1$/, String(made.draft))],
    [/\/dismissals$/, (path) => path.replace('/1/dismissals', `/${made.refused}/dismissals`)],
    [/\/pulls\/comments\/\{id\}$/, (path) => path.replace(/\d+$/, String(made.remark))],
    [/\/replies$/, (path) => path.replace('/1/replies', `/${made.remark}/replies`)],
  ]
  return (mounted: Mounted): Accepted => {
    const literal = `${mounted.method} ${mounted.path}`
    let path = pathOf(mounted)
    for (const [pattern, change] of paths) if (pattern.test(literal)) path = change(path)
    const schema = mounted.route.body && schemaName(mounted.route.body)
    const body = ownBodies(made)[literal] ?? (schema === undefined ? 'text' : (known[schema] ?? {}))
    return { path, query: queries.find(([pattern]) => pattern.test(literal))?.[1] ?? {}, body }
  }
}

/** Queries without which operations refuse, or fields have no effect. */
const queries: [RegExp, Record<string, string>][] = [
  [/\/admin\/hooks\/\{id\}\/tests$/, { repository: 'ada/code' }],
  [/GET .*(?:\/jobs|\/admin\/users)$/, { sort: 'id' }],
  [/GET .*\/file-contents$/, { body: '{"files":["README.md"]}' }],
  [/DELETE \/api\/v1\/admin\/users\/\{username\}$/, { purge: 'true' }],
  [/GET \/api\/v1\/repos\/search$/, { sort: 'id' }],
]

/** Bodies of operations that take another one than those with the same schema. */
const ownBodies = ({ head }: Fixture): Readonly<Record<string, unknown>> => ({
  'POST /api/v1/repos/{owner}/{repo}/pulls': { head: 'third', base: 'main', title: 'A proposal' },
  'DELETE /api/v1/repos/{owner}/{repo}/issues/{index}/blocks': { index: 2, owner: 'ada', repo: 'code' },
  'DELETE /api/v1/repos/{owner}/{repo}/issues/{index}/dependencies': { index: 3, owner: 'ada', repo: 'code' },
  'POST /api/v1/repos/{owner}/{repo}/issues/{index}/blocks': { index: 4, owner: 'ada', repo: 'code' },
  'POST /api/v1/repos/{owner}/{repo}/issues/{index}/dependencies': { index: 4, owner: 'ada', repo: 'code' },
  'POST /api/v1/admin/users/{username}/badges': { badge_slugs: ['brave'] },
  'POST /api/v1/repos/{owner}/{repo}/pulls/{index}/merge': { Do: 'merge', head_commit_id: head },
})
