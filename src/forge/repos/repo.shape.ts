import * as v from 'valibot'
import { shape } from '../../http/route/validate.ts'
import { described, int } from '../../http/route/values.ts'
import type { Account } from '../accounts/account-store.ts'
import { sentAvatarUrl } from '../accounts/avatar.ts'
import { moment, printUser, User } from '../accounts/user.shape.ts'
import { LEVELS } from '../permissions/access-level-store.ts'
import { PERMISSIONS } from '../permissions/units.ts'
import { EPOCH, printTime, ZERO_TIME } from '../protocol/time.ts'
import type { Repository as Stored } from './repo-store.ts'
import { sshUrlOf } from './ssh-address.ts'

/** The settings that an edit can switch, with the values of a new repository: false for what this server does not have. */
export const SETTINGS = {
  has_pull_requests: true,
  has_code: true,
  has_issues: true,
  has_wiki: false,
  has_projects: false,
  has_releases: true,
  has_packages: true,
  has_actions: true,
  ignore_whitespace_conflicts: false,
  allow_merge_commits: true,
  allow_rebase: true,
  allow_rebase_explicit: true,
  allow_squash_merge: true,
  allow_fast_forward_only_merge: true,
  allow_merge_update: true,
  allow_rebase_update: true,
  allow_manual_merge: false,
  autodetect_manual_merge: false,
  default_delete_branch_after_merge: false,
  default_allow_maintainer_edit: true,
} as const

/** The settings that the server only stores for clients. */
export const KEPT: ReadonlySet<string> = new Set([
  'has_wiki',
  'has_projects',
  'has_packages',
  'ignore_whitespace_conflicts',
])

/** Settings with text values. */
const TEXT_SETTINGS = {
  projects_mode: 'all',
  default_merge_style: 'merge',
  default_update_style: 'merge',
} as const

const flag = v.boolean()

/** The description of what is only stored. */
export const WITHOUT_EFFECT = 'Kept for clients; it has no effect'

const keptFlag = described(flag, WITHOUT_EFFECT)

/** The members of a repository in the order in which they are sent, up to `parent`. */
const beforeParent = {
  id: int,
  owner: User,
  name: v.string(),
  full_name: described(v.string(), 'Owner and name, with a slash between them'),
  description: v.string(),
  empty: described(flag, 'Whether it has no branch'),
  private: flag,
  fork: described(flag, 'Whether it is a fork of another repository'),
  template: flag,
}

const afterParent = {
  mirror: described(flag, 'Always `false`: there are no mirrors'),
  size: described(int, 'Size on disk, in KiB'),
  language: described(v.string(), 'Always empty; `languages_url` has the languages'),
  languages_url: v.string(),
  html_url: v.string(),
  url: v.string(),
  link: described(v.string(), 'Always empty'),
  ssh_url: described(v.string(), 'Answered only by a server that serves git over SSH (`SSH_URL`)'),
  clone_url: described(v.string(), 'Address for `git clone` over HTTP'),
  original_url: described(v.string(), 'Always empty'),
  website: v.string(),
  stars_count: described(int, 'Number of users who have starred it'),
  forks_count: described(int, 'Number of its forks, also of those that the caller may not see'),
  watchers_count: int,
  branch_count: int,
  open_issues_count: described(int, 'Open issues that are no pull requests'),
  open_pr_counter: described(int, 'Open pull requests'),
  release_counter: described(int, 'Releases that are no drafts'),
  default_branch: v.string(),
  archived: flag,
  created_at: moment,
  updated_at: moment,
  archived_at: described(moment, '1970-01-01T00:00:00Z unless it is archived'),
  permissions: v.object({ admin: flag, push: flag, pull: flag }),
  internal_tracker: v.object({
    enable_time_tracker: flag,
    allow_only_contributors_to_track_time: flag,
    enable_issue_dependencies: flag,
  }),
  has_pull_requests: flag,
  has_code: flag,
  has_issues: flag,
  has_wiki: keptFlag,
  has_projects: keptFlag,
  has_releases: flag,
  has_packages: keptFlag,
  has_actions: flag,
  ignore_whitespace_conflicts: keptFlag,
  allow_merge_commits: flag,
  allow_rebase: flag,
  allow_rebase_explicit: flag,
  allow_squash_merge: flag,
  allow_fast_forward_only_merge: flag,
  allow_merge_update: flag,
  allow_rebase_update: flag,
  allow_manual_merge: flag,
  autodetect_manual_merge: flag,
  default_delete_branch_after_merge: flag,
  default_allow_maintainer_edit: flag,
  projects_mode: described(v.string(), WITHOUT_EFFECT),
  default_merge_style: described(v.string(), 'The way of merging that the pages offer first'),
  default_update_style: v.string(),
  avatar_url: described(v.string(), 'Address of its picture; empty if it has none'),
  internal: described(flag, 'Whether it is not private, but its organization is'),
  mirror_interval: described(v.string(), 'Always empty'),
  object_format_name: described(v.picklist(['sha1', 'sha256']), 'How git hashes its objects'),
  mirror_updated: described(moment, 'Always 0001-01-01T00:00:00Z'),
  mirror_last_sync_at: described(moment, 'Always 0001-01-01T00:00:00Z'),
  topics: v.array(v.string()),
  licenses: described(v.array(v.string()), 'SPDX names of its licences'),
}

/** The repository of which another one is a fork. */
const ParentRepository = shape('ParentRepository', { ...beforeParent, ...afterParent })

/** Repository of the specification. */
export const Repository = shape('Repository', {
  ...beforeParent,
  parent: described(
    v.exactOptional(ParentRepository),
    'Of a fork: the repository from which it was made, if the caller may see that one',
  ),
  ...afterParent,
})

export type Repository = v.InferOutput<typeof Repository>

/** The viewer for whom a repository is printed. */
interface RepositoryView {
  /** Root of links (`from.host`). */
  host: string
  /** The access level (`LEVELS`) of the viewer. */
  level: number
  /** Whether the viewer is signed in: then e-mail addresses that are not hidden are shown. */
  known: boolean
  /** The repository of which it is a fork, as the viewer sees it; absent: it is none, or the viewer may not see it. */
  parent?: v.InferOutput<typeof ParentRepository> | undefined
}

/** A repository as it is sent. The owner is always printed as another user sees it, also for administrators. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a list of members
export function printRepository(
  row: Stored,
  owner: Account,
  { host, level, known, parent }: RepositoryView,
): Repository {
  const path = `${owner.name}/${row.name}`
  const url = `${host}api/v1/repos/${path}`
  const settings = { ...SETTINGS, has_actions: !row.is_template, ...flagsOf(row.settings) }
  const textSetting = (name: keyof typeof TEXT_SETTINGS) => String(row.settings[name] ?? TEXT_SETTINGS[name])
  return {
    id: row.id,
    owner: printUser(owner, known ? { id: 0, is_admin: false } : undefined, host),
    name: row.name,
    full_name: path,
    description: row.description,
    empty: row.is_empty,
    private: row.is_private,
    fork: row.parent_id !== null,
    template: row.is_template,
    ...(parent && { parent }),
    mirror: false,
    size: Math.ceil(row.size / 1024),
    language: '',
    languages_url: `${url}/languages`,
    html_url: host + path,
    url,
    link: '',
    ssh_url: sshUrlOf(host, path),
    clone_url: `${host}${path}.git`,
    original_url: '',
    website: row.website,
    stars_count: row.stars_count,
    forks_count: row.forks_count,
    watchers_count: row.watchers_count,
    branch_count: row.branch_count,
    open_issues_count: row.open_issues,
    open_pr_counter: row.open_pulls,
    release_counter: row.release_count,
    default_branch: row.default_branch,
    archived: row.is_archived,
    created_at: printTime(row.created_at, EPOCH),
    updated_at: printTime(row.updated_at, EPOCH),
    archived_at: printTime(row.archived_at, EPOCH),
    permissions: { admin: level >= LEVELS.admin, push: level >= LEVELS.write, pull: level >= LEVELS.read },
    internal_tracker: {
      enable_time_tracker: false,
      allow_only_contributors_to_track_time: false,
      enable_issue_dependencies: true,
    },
    ...settings,
    projects_mode: textSetting('projects_mode'),
    default_merge_style: textSetting('default_merge_style'),
    default_update_style: textSetting('default_update_style'),
    avatar_url: row.avatar === null ? '' : sentAvatarUrl(host, row.avatar),
    internal: !row.is_private && owner.visibility === 'private',
    mirror_interval: '',
    object_format_name: row.object_format,
    mirror_updated: ZERO_TIME,
    mirror_last_sync_at: ZERO_TIME,
    topics: row.topics,
    licenses: row.licenses,
  }
}

type Flags = Partial<Record<keyof typeof SETTINGS, boolean>>

function flagsOf(settings: Stored['settings']): Flags {
  const isFlag = ([name, value]: [string, unknown]) =>
    Object.hasOwn(SETTINGS, name) && typeof value === 'boolean'
  return Object.fromEntries(Object.entries(settings).filter(isFlag))
}

/** The reply to a search for repositories. */
export const RepositorySearch = v.object({ ok: v.literal(true), data: v.array(Repository) })

/** RepoCollaboratorPermission: the effective permission of a user, from all sources. */
export const RepoCollaboratorPermission = shape('RepoCollaboratorPermission', {
  permission: described(v.picklist(PERMISSIONS), 'The highest permission of the user, from all sources'),
  role_name: described(v.picklist(PERMISSIONS), 'The same as `permission`'),
  user: User,
})
