import { User } from '../../forge/accounts/user.shape.ts'
import {
  orgAddTeamRepository,
  orgListTeamRepos,
  orgRemoveTeamRepository,
} from '../../forge/collaborators/team-repos.ts'
import { orgAddTeamMember, orgListTeamMembers, orgRemoveTeamMember } from '../../forge/orgs/team-members.ts'
import { Repository } from '../../forge/repos/repo.shape.ts'
import { pageAt } from '../list.ts'
import { readPage } from '../operations/perform.ts'
import type { Noun } from './noun.ts'

/** The members of a team. */
export const teamMembers: Noun<User> = {
  section: 'members',
  title: 'Members',
  word: ['member'],
  rows: (at, page) => readPage(at, orgListTeamMembers, User, { params: at.params, query: pageAt(page) }),
  keyOf: ({ login }) => login,
  nameOf: ({ login }) => login,
  hrefOf: ({ html_url }) => html_url,
  factsOf: ({ full_name }) => full_name,
  added: {
    text: 'Add a member',
    fields: [{ name: 'name', label: 'Name', hint: 'Of a person of this server' }],
  },
  removed: { text: 'Remove', question: ({ login }) => `Remove ${login} from the team?` },
  acts: {
    add: {
      calls: ({ name: username = '' }, { params }) => [
        [orgAddTeamMember, { params: { ...params, username } }],
      ],
      done: 'The member was added.',
      blame: 'name',
    },
    remove: {
      calls: ({ key: username = '' }, { params }) => [
        [orgRemoveTeamMember, { params: { ...params, username } }],
      ],
      done: 'The member was removed.',
    },
  },
}

/** The repositories of a team. */
export const teamRepositories: Noun<Repository> = {
  section: 'repositories',
  title: 'Repositories',
  word: ['repository', 'repositories'],
  rows: (at, page) => readPage(at, orgListTeamRepos, Repository, { params: at.params, query: pageAt(page) }),
  keyOf: ({ full_name }) => full_name,
  nameOf: ({ name }) => name,
  hrefOf: ({ html_url }) => html_url,
  factsOf: ({ description }) => description,
  badgesOf: (row) => (row.private ? ['private'] : []),
  added: {
    text: 'Add a repository',
    fields: [{ name: 'name', label: 'Name', hint: 'Of a repository of the organization' }],
  },
  removed: { text: 'Remove', question: ({ name }) => `Take ${name} from the team?` },
  acts: {
    add: {
      calls: ({ name: repo = '' }, { params, who }) => [
        [orgAddTeamRepository, { params: { ...params, org: who.subject?.name ?? '', repo } }],
      ],
      done: 'The repository was added.',
      blame: 'name',
    },
    remove: {
      calls: ({ key = '' }, { params }) => {
        const [org = '', repo = ''] = key.split('/')
        return [[orgRemoveTeamRepository, { params: { ...params, org, repo } }]]
      },
      done: 'The repository was removed.',
    },
  },
}
