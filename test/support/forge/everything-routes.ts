import assert from 'node:assert/strict'
import type { Mounted } from '../../../src/http/route/api.ts'
import type { startEverything } from './everything.ts'
import { dotPicture } from './pictures.ts'

/** The operations of the forge about what `startEverything` has made: their units, addresses and effects. */

export type Unit = 'has_code' | 'has_issues' | 'has_actions' | 'has_releases'

/** The unit that each operation belongs to, by what follows `{repo}` in its path; null: to none. */
const units: Readonly<Record<string, Unit | null>> = {
  '': null,
  _delete: null,
  _edit: 'has_code',
  _new: null,
  _upload: null,
  'actions/runners': null,
  'actions/secrets': null,
  'actions/variables': null,
  actions: 'has_actions',
  archive: 'has_code',
  atom: 'has_code',
  rss: 'has_code',
  'tags.atom': 'has_code',
  'tags.rss': 'has_code',
  'releases.atom': 'has_releases',
  'releases.rss': 'has_releases',
  assignees: 'has_issues',
  attachments: null,
  avatar: null,
  blame: 'has_code',
  branch_protections: null,
  branches: 'has_code',
  collaborators: null,
  commit: 'has_code',
  commits: 'has_code',
  completions: 'has_issues',
  compare: 'has_code',
  contents: 'has_code',
  generate: 'has_code',
  diffpatch: 'has_code',
  bundle: 'has_code',
  'contents-ext': 'has_code',
  tarball: 'has_code',
  zipball: 'has_code',
  'file-contents': 'has_code',
  find: 'has_code',
  forks: null,
  'merge-upstream': 'has_code',
  git: 'has_code',
  'git-receive-pack': 'has_code',
  'git-upload-pack': 'has_code',
  hooks: null,
  info: 'has_code',
  issue_config: 'has_code',
  issue_templates: 'has_code',
  issues: 'has_issues',
  'issues/new/choose': null,
  keys: null,
  labels: 'has_issues',
  languages: 'has_code',
  licenses: 'has_code',
  editorconfig: 'has_code',
  media: 'has_code',
  milestone: 'has_issues',
  milestones: 'has_issues',
  new_pin_allowed: 'has_issues',
  notifications: null,
  pulls: 'has_issues',
  raw: 'has_code',
  releases: 'has_releases',
  'signing-key.gpg': null,
  'signing-key.pub': null,
  reviewers: 'has_code',
  search: 'has_code',
  settings: null,
  src: 'has_code',
  stargazers: null,
  statuses: 'has_code',
  subscribers: null,
  subscription: null,
  tag_protections: null,
  tags: 'has_code',
  teams: null,
  topics: null,
  transfer: null,
}

/** Paths where 404 says that there is none: a star, a follow, a key that signs commits. */
export const saysNone =
  /\/user\/starred\/\{owner\}\/\{repo\}$|\/following\/\{(?:username|target)\}$|\/signing-key\.(?:gpg|pub)$/

/** What an operation about a repository has before the rest of its path. */
export const inRepository = /^(?:\/api\/v1\/repos)?\/\{owner\}\/\{repo\}(?:\/|$)/

/** The unit of an operation about a repository; null: it belongs to none, undefined: nobody has said to which. */
export function unitOf({ path }: Mounted): Unit | null | undefined {
  const [first = '', second, third] = path.replace(inRepository, '').split('/')
  const keys = [`${first}/${second}/${third}`, `${first}/${second}`, first]
  return units[keys.find((key) => key in units) ?? first]
}

/** Values of parameters in a path. */
type Values = Readonly<Record<string, string | number>>

type Everything = Awaited<ReturnType<typeof startEverything>>

/** Gives for each operation the path of something that is there, which `ada` may change. */
export async function pathsOf({
  pool,
  hooks,
  runners,
  team,
  said,
  key,
  gpgKey,
  commit,
  objects,
  eve,
  release,
  file,
  files,
  sitePicture,
}: Everything) {
  const [ids] = await pool<
    [
      Record<
        | 'artifact'
        | 'job'
        | 'deploy_key'
        | 'tag_rule'
        | 'label'
        | 'shared'
        | 'milestone'
        | 'delivery'
        | 'mail'
        | 'thread',
        number
      >,
    ]
  >`
    select (select min(id) from forge.action_artifact) as artifact, (select min(id) from forge.action_job) as job, (select min(id) from forge.repository_label) as label,
      (select min(id) from forge.tag_protection) as tag_rule,
      (select min(id) from forge.deploy_key) as deploy_key,
      (select min(id) from forge.milestone) as milestone, (select min(id) from forge.organization_label) as shared,
      (select min(id) from forge.hook_delivery where hook_id = ${hooks.repository}) as delivery,
      (select min(id) from forgehall.mail where state = 'failed') as mail,
      (select min(id) from forge.notification) as thread`
  const values: Values = {
    artifact_id: ids.artifact,
    attempt: 1,
    assignee: 'ada',
    base: 'main',
    'head...': 'topic',
    'archive...': 'main.tar.gz',
    'badge...': 'ci.yml/badge.svg',
    'basehead...': 'main...main',
    'branch...': 'feature/one',
    collaborator: 'eve',
    delivery: ids.delivery,
    file: 'tool.bin',
    'filepath...': 'README.md',
    index: 1,
    job: ids.job,
    job_id: ids.job,
    kind: 'branch',
    name: 'plain',
    org: 'guild',
    owner: 'ada',
    position: 1,
    package: 'tool',
    ref: 'main',
    'ref...': 'heads/main',
    repo: 'code',
    rev: '1-0',
    run: 1,
    scope: '@ada',
    secretname: 'S',
    sha: commit,
    slug: 'kind',
    'span...': 'main...main',
    tag: 'next',
    target: 'eve',
    'tag...': 'spare',
    task: 'repair_repos',
    team: 'readers',
    token: 'second',
    topic: 'engine',
    type: 'npm',
    user: 'ada',
    username: 'ada',
    variablename: 'V',
    version: '1.0.0',
    workflow_id: 'ci.yml',
  }
  /** Values of parameters in paths that match, the first match first. */
  const special: [RegExp, Values][] = [
    [/\/(?:zipball|tarball|bundle)\//, { 'ref...': 'main' }],
    [/\/(?:commits|find)\//, { 'path...': 'main' }],
    [/\/git\/blobs\//, { sha: objects.blobs }],
    [/\/git\/tags\//, { sha: objects.tags }],
    [/\{path\.\.\.\}/, { 'path...': 'main/README.md' }],
    [/\/teams\/\{id\}\/repos/, { id: team, org: 'guild', repo: 'tools' }],
    [/\/teams\/\{id\}/, { id: team }],
    [/\/orgs\/.*\/labels\/\{id\}/, { id: ids.shared }],
    [/\/labels\/\{id\}/, { id: ids.label }],
    [/\/branch_protections\//, { 'name...': 'release/*' }],
    [/\/tag_protections\/\{id\}/, { id: ids.tag_rule }],
    [/\/milestones?\/\{id\}/, { id: ids.milestone }],
    [/\/pulls\/.*\/\{id\}/, { id: 1 }],
    [/\/comments\/\{id\}/, { id: said, attachment_id: files.comment }],
    [/\/issues\/\{index\}\/assets/, { attachment_id: files.issue }],
    [/\/releases\//, { id: release, attachment_id: file.id, tag: 'v1', 'tag...': 'v1', name: 'notes.txt' }],
    [/\/attachments\//, { uuid: file.uuid }],
    [/^\/api\/(?:news|media)\/\{id\}$/, { id: 1 }],
    [/\/media\/pictures\//, { name: sitePicture }],
    [/\/media\/thumbnails\//, { uuid: sitePicture.slice(0, 36) }],
    [/\/avatars\/pictures\//, { hash: dotPicture.sha256 }],
    [/\/threads\/\{id\}/, { id: ids.thread }],
    [/\/mails\/\{id\}/, { id: ids.mail }],
    [/\{repo\}\/keys\/\{id\}/, { id: ids.deploy_key }],
    [/\/keys\/\{id\}/, { id: key }],
    [/\/gpg_keys\/\{id\}/, { id: gpgKey }],
    [/^\/api\/v1\/admin\/users\/\{username\}$/, { username: eve.name }],
    [/\/transfer\//, { owner: 'eve', repo: 'gift' }],
    [/\{repo\}\/teams\/\{team\}/, { owner: 'guild', repo: 'tools' }],
    [/\/unadopted\//, { repo: 'stray' }],
    [/\/generic\//, { version: '1.0+2~a' }],
    [/\/npm\/\{scope\}\/.*\/-\//, { file: 'scoped-1.0.0.tgz', name: 'scoped' }],
    [/\/npm\/.*\{scope\}\//, { name: 'scoped' }],
    [/\/npm\/.*\/-\//, { file: 'plain-1.0.0.tgz' }],
  ]
  for (const scope of ['repos', 'orgs', 'user', 'admin'])
    special.push([new RegExp(`/${scope}/.*runner_id`), { runner_id: runners[scope] ?? 0 }])
  const hookOf = { repos: hooks.repository, orgs: hooks.organization, user: hooks.user, admin: hooks.site }
  for (const [scope, id] of Object.entries(hookOf))
    special.push([new RegExp(`/${scope}(?:/.*)?/hooks/\\{id\\}`), { id }])
  return ({ path }: Pick<Mounted, 'path'>): string => {
    const own = special.find(([pattern]) => pattern.test(path))?.[1] ?? {}
    return path.replace(/\{([\w.]+)\}/g, (_, name: string) => {
      const value = own[name] ?? values[name] ?? assert.fail(`${path} has a parameter without a value`)
      return name.endsWith('...') ? String(value) : encodeURIComponent(value)
    })
  }
}

/** A sum of the rows of each table of the forge; when a token was used last does not count. */
export async function storedIn(pool: Everything['pool']): Promise<Record<string, string | null>> {
  const tables = await pool<{ name: string }[]>`
    select table_name as name from information_schema.tables
    where table_schema = 'forge' and table_type = 'BASE TABLE' and table_name <> 'access_token'`
  const sums: Record<string, string | null> = {}
  for (const { name } of tables) {
    const [row] = await pool<[{ sum: string | null }]>`
      select md5(string_agg(each::text, ',' order by each::text)) as sum from ${pool(`forge.${name}`)} as each`
    sums[name] = row.sum
  }
  return sums
}
