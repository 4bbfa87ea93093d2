import { Team } from '../../forge/orgs/team.shape.ts'
import { orgCreateTeam, orgDeleteTeam, orgListTeams } from '../../forge/orgs/teams.ts'
import type { Fields } from '../form.ts'
import { pageAt } from '../list.ts'
import { type FieldDescription, fieldsFrom, valuesIn } from '../operations/described.ts'
import { readPage } from '../operations/perform.ts'
import type { Noun } from './noun.ts'

/** The parts of repositories that this server has. */
const units = {
  'repo.code': 'Code',
  'repo.issues': 'Issues',
  'repo.pulls': 'Pull requests',
  'repo.releases': 'Releases',
  'repo.actions': 'Actions',
  'repo.packages': 'Packages',
} as const

const isUnit = (name: string): name is keyof typeof units => Object.hasOwn(units, name)

const texts: readonly FieldDescription[] = [
  { name: 'name', label: 'Name', hint: 'Letters, digits, -, _ and .' },
  { name: 'description', label: 'Description', isOptional: true },
  {
    name: 'visibility',
    label: 'Who sees it',
    options: { private: 'Its members', limited: 'Everybody who is signed in', public: 'Everybody' },
  },
  { name: 'includes_all_repositories', label: 'All repositories of the organization', kind: 'tick' },
  { name: 'can_create_org_repo', label: 'Its members create repositories', kind: 'tick' },
]

const permission: FieldDescription = {
  name: 'permission',
  label: 'Permission',
  options: { none: 'As below, for each part', admin: 'Administers its repositories' },
}

/** What a team is for; without a description, what it sees. */
export const teamFacts = ({ description, units: shown }: Pick<Team, 'description' | 'units'>): string =>
  description || shown.flatMap((unit) => (isUnit(unit) ? units[unit] : [])).join(', ')

const parts: readonly FieldDescription[] = Object.entries(units).map(([name, label]) => ({
  name,
  label,
  options: { none: 'Nothing', read: 'Reads', write: 'Writes' },
}))

/** The form of a team. */
export const teamFields: readonly FieldDescription[] = [...texts, permission, ...parts]

/** What a form says of a team, as the API takes it. */
export function teamIn(fields: Fields) {
  const common = valuesIn(texts, fields)
  if (fields.permission === 'admin') return { ...common, permission: 'admin' }
  const given = parts.filter(({ name }) => fields[name] !== undefined)
  return { ...common, permission: 'read', units_map: valuesIn(given, fields) }
}

/** A team as its form has it. */
export const storedTeam = (team: Team): Fields => ({
  ...fieldsFrom(texts, team),
  ...fieldsFrom(parts, team.units_map),
  permission: team.permission === 'admin' || team.permission === 'owner' ? 'admin' : 'none',
})

/** Messages about a team, by the field that they are about. */
export const teamBlame = { name: /name|exist/i, description: /description/i }

/** The teams of an organization that the caller sees. */
export const teams: Noun<Team> = {
  section: 'teams',
  title: 'Teams',
  word: ['team'],
  about: 'A team gives its members a permission in its repositories.',
  rows: (at, page) => readPage(at, orgListTeams, Team, { params: at.params, query: pageAt(page) }),
  keyOf: ({ id }) => id,
  nameOf: ({ name }) => name,
  hrefOf: ({ name }, address) => `${address}/${encodeURIComponent(name)}`,
  factsOf: teamFacts,
  badgesOf: ({ permission: given, includes_all_repositories }) =>
    includes_all_repositories ? [given, 'all repositories'] : [given],
  added: {
    text: 'Add a team',
    fields: teamFields,
    initial: {
      visibility: 'private',
      permission: 'none',
      ...Object.fromEntries(Object.keys(units).map((unit) => [unit, 'write'])),
    },
  },
  removed: {
    text: 'Delete',
    question: ({ name }) => `Delete the team ${name}? Its members lose what only it gives them.`,
    isKept: ({ permission }) => permission === 'owner',
  },
  acts: {
    add: {
      calls: (fields, { params }) => [[orgCreateTeam, { params, body: teamIn(fields) }]],
      done: 'The team was added. Add members and repositories on its page.',
      blame: teamBlame,
    },
    remove: {
      calls: ({ key = '' }) => [[orgDeleteTeam, { params: { id: key } }]],
      done: 'The team was deleted.',
    },
  },
}
