import { User } from '../../forge/accounts/user.shape.ts'
import {
  repoAddCollaborator,
  repoDeleteCollaborator,
  repoListCollaborators,
} from '../../forge/collaborators/collaborators.ts'
import { repoAddTeam, repoDeleteTeam, repoListTeams } from '../../forge/collaborators/repo-teams.ts'
import { Team } from '../../forge/orgs/team.shape.ts'
import { permissionsOf } from '../../forge/repos/collaborator-store.ts'
import { pageAt } from '../list.ts'
import type { FieldDescription } from '../operations/described.ts'
import { readPage } from '../operations/perform.ts'
import type { Noun } from './noun.ts'
import { teamFacts } from './teams.ts'

const permission: FieldDescription = {
  name: 'permission',
  label: 'Permission',
  options: {
    read: 'Read: sees everything, opens issues',
    write: 'Write: pushes, plans and releases',
    admin: 'Administer: also these settings',
  },
}

type Collaborator = User & { permission: string }

/** Who has a repository besides its owner and its teams. */
export const collaborators: Noun<Collaborator> = {
  section: 'collaboration',
  title: 'Collaborators',
  word: ['collaborator'],
  rows: async (at, page) => {
    const list = await readPage(at, repoListCollaborators, User, { params: at.params, query: pageAt(page) })
    const ids = list.rows.map(({ id }) => id)
    const permissions = await permissionsOf(at.request.sql, at.repository ?? 0, ids)
    return { ...list, rows: list.rows.map((row) => ({ ...row, permission: permissions.get(row.id) ?? '' })) }
  },
  keyOf: ({ login }) => login,
  nameOf: ({ login }) => login,
  hrefOf: ({ html_url }) => html_url,
  factsOf: ({ full_name }) => full_name,
  badgesOf: (row) => [row.permission],
  added: {
    text: 'Add a collaborator',
    fields: [{ name: 'name', label: 'Name', hint: 'Of a person of this server' }, permission],
    initial: { permission: 'write' },
  },
  changed: { text: 'Permission', fields: [permission], valuesOf: (row) => ({ permission: row.permission }) },
  removed: { text: 'Remove', question: ({ login }) => `Remove ${login} from the collaborators?` },
  acts: {
    add: {
      calls: ({ name: collaborator = '', permission: body = '' }, { params }) => [
        [repoAddCollaborator, { params: { ...params, collaborator }, body: { permission: body } }],
      ],
      done: 'The collaborator was added.',
      blame: { permission: /permission/i, name: /./ },
    },
    change: {
      calls: ({ key: collaborator = '', permission: body = '' }, { params }) => [
        [repoAddCollaborator, { params: { ...params, collaborator }, body: { permission: body } }],
      ],
      done: 'The permission was changed.',
      blame: 'permission',
    },
    remove: {
      calls: ({ key: collaborator = '' }, { params }) => [
        [repoDeleteCollaborator, { params: { ...params, collaborator } }],
      ],
      done: 'The collaborator was removed.',
    },
  },
}

/** The teams that have a repository of an organization. */
export const repositoryTeams: Noun<Team> = {
  section: 'teams',
  title: 'Teams',
  word: ['team'],
  rows: (at, page) => readPage(at, repoListTeams, Team, { params: at.params, query: pageAt(page) }),
  keyOf: ({ name }) => name,
  nameOf: ({ name }) => name,
  factsOf: teamFacts,
  badgesOf: ({ permission, includes_all_repositories }) =>
    includes_all_repositories ? [permission, 'all repositories'] : [permission],
  added: {
    text: 'Add a team',
    fields: [{ name: 'name', label: 'Team', hint: 'The name of a team of the organization' }],
  },
  removed: {
    text: 'Remove',
    question: ({ name }) => `Take the repository from the team ${name}?`,
    isKept: ({ includes_all_repositories }) => includes_all_repositories,
  },
  acts: {
    add: {
      calls: ({ name: team = '' }, { params }) => [[repoAddTeam, { params: { ...params, team } }]],
      done: 'The team was added.',
      blame: 'name',
    },
    remove: {
      calls: ({ key: team = '' }, { params }) => [[repoDeleteTeam, { params: { ...params, team } }]],
      done: 'The team was removed.',
    },
  },
}
