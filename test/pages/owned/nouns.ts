import { newKeyLine } from '../../support/forge/ssh-key.ts'

/** Where the settings of each kind of owner are. */
export const owners = {
  repository: '/ada/engine/settings',
  organization: '/org/guild/settings',
  person: '/settings',
  // A repository of an organization.
  shared: '/guild/tools/settings',
  // Its labels are beside its issues.
  issues: '/ada/engine',
  people: '/org/guild',
  team: '/org/guild/teams/makers',
} as const

/** What a page of settings adds, changes and refuses. */
export interface NounCase {
  section: string
  owners: readonly (keyof typeof owners)[]
  /** The form that adds one; absent: the page has none. */
  add?: Readonly<Record<string, string>>
  /** What the list then shows. */
  shows: string
  change?: Readonly<Record<string, string>>
  /** What is refused. */
  broken: readonly Readonly<Record<string, string>>[]
  /** Fields that no page shows again. */
  secret: readonly string[]
  /** Whether one that is gone is removed again without an error. */
  isRepeatable?: boolean
  /** Whether another test says who may not see or change it. */
  hasOwnRefusals?: boolean
  /** Whether administrators who do not own the repository see nothing of it. */
  isForOwners?: boolean
}

const all = ['repository', 'organization', 'person'] as const

export const nounCases: readonly NounCase[] = [
  {
    section: 'actions/variables',
    owners: all,
    add: { name: 'MODE', value: 'fast', description: 'How' },
    shows: 'MODE',
    change: { value: 'slow' },
    broken: [{ name: '1x' }, { name: 'GITHUB_X' }, { value: '' }],
    secret: [],
    isForOwners: true,
  },
  {
    section: 'actions/secrets',
    owners: all,
    add: { name: 'KEY', data: 'hidden value', description: 'For what' },
    shows: 'KEY',
    change: { data: 'another one' },
    broken: [{ data: '' }, { name: '1x' }],
    secret: ['data'],
    isForOwners: true,
  },
  { section: 'actions/runners', owners: all, shows: '', broken: [], secret: [], isForOwners: true },
  { section: 'hooks', owners: all, shows: '', broken: [], secret: [] },
  {
    section: 'labels',
    owners: ['organization', 'issues'],
    add: { name: 'kind/bug', color: '#aa0000', description: 'It is wrong', exclusive: 'on' },
    shows: 'kind/bug',
    change: { name: 'kind/fault', color: '#00aa00' },
    broken: [{ name: '' }, { color: 'red' }, { name: 'x'.repeat(256) }],
    secret: [],
    isRepeatable: true,
  },
  {
    section: 'keys',
    owners: ['repository'],
    add: { title: 'deployment', key: newKeyLine(), read_only: 'on' },
    shows: 'deployment',
    broken: [{ title: '' }, { key: 'nothing' }],
    secret: [],
  },
  {
    section: 'collaboration',
    owners: ['repository', 'shared'],
    add: { name: 'bob', permission: 'write' },
    shows: 'bob',
    change: { permission: 'admin' },
    broken: [{ permission: 'everything' }],
    secret: [],
  },
  {
    section: 'teams',
    owners: ['shared'],
    add: { name: 'makers' },
    shows: 'makers',
    broken: [{ name: 'nobody' }, { name: '' }],
    secret: [],
  },
  {
    section: 'tags',
    owners: ['repository', 'shared'],
    add: { name_pattern: 'v*', whitelist_usernames: 'ada', whitelist_teams: '' },
    shows: 'v*',
    change: { whitelist_usernames: '' },
    broken: [{ name_pattern: '' }, { name_pattern: '/(/' }],
    secret: [],
  },
  {
    section: 'teams',
    owners: ['people'],
    add: {
      name: 'a-team',
      description: 'They plan',
      visibility: 'public',
      permission: 'none',
      'repo.code': 'write',
    },
    shows: 'a-team',
    broken: [{ name: '' }, { name: 'a b' }, { name: 'Owners' }],
    secret: [],
    hasOwnRefusals: true,
  },
  {
    section: 'members',
    owners: ['team'],
    add: { name: 'aaron' },
    shows: 'aaron',
    broken: [{ name: 'nobody' }, { name: '' }],
    secret: [],
    isRepeatable: true,
    hasOwnRefusals: true,
  },
  {
    section: 'repositories',
    owners: ['team'],
    add: { name: 'tools' },
    shows: 'guild/tools',
    broken: [{ name: 'nothing' }],
    secret: [],
    isRepeatable: true,
    hasOwnRefusals: true,
  },
  { section: 'branches', owners: ['repository'], shows: '', broken: [], secret: [] },
]

/** A page without the ids of its forms. */
export const tagsOf = (page: string) =>
  page.replace(/name="form_id" value="[^"]*"/g, '').replace(/<details[\s\S]*?<\/details>/g, '')
