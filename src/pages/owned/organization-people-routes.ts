import * as v from 'valibot'
import { Team } from '../../forge/orgs/team.shape.ts'
import { orgEditTeam } from '../../forge/orgs/teams.ts'
import { queryText } from '../../forge/protocol/query.ts'
import { ReplyWith } from '../../http/route/results.ts'
import { textAs } from '../../http/route/sends.ts'
import { operationForm, replyToForm } from '../operations/form.ts'
import { forPages } from '../operations/perform.ts'
import { htmlType } from '../profile.ts'
import { route } from '../route.ts'
import { orSignIn } from '../session/session.ts'
import { members } from './members.ts'
import { formOf, pageOf } from './noun-page.ts'
import { changedTeams, memberOrganization, seenOrganization } from './organization-people.ts'
import { teamMembers, teamRepositories } from './team-belongings.ts'
import { changedTeam, seenTeam } from './team-owners.ts'
import { teamPage } from './team-page.ts'
import { teamBlame, teamIn, teams } from './teams.ts'

export const getMembersPage = route('GET /org/{org}/members', {
  ...pageOf(seenOrganization, members),
  summary: 'The people of an organization, as a page',
})

export const changeMembers = route('POST /org/{org}/members', {
  ...formOf(seenOrganization, members),
  summary: 'Remove a person from an organization, leave it, or show or hide that one is a member',
})

export const getTeamsPage = route('GET /org/{org}/teams', {
  ...pageOf(memberOrganization, teams),
  summary: 'The teams of an organization, as a page',
})

export const changeTeams = route('POST /org/{org}/teams', {
  ...formOf(changedTeams, teams),
  summary: 'Add or delete a team',
})

export const getTeamPage = route('GET /org/{org}/teams/{team}', {
  summary: 'Redirect to the members of a team',
  access: orSignIn(forPages(seenTeam.rule)),
  returns: textAs(303, htmlType),
  handler: ({ caller, from: { host } }) =>
    new ReplyWith('', { status: 303, headers: { Location: `${host}${seenTeam.path(caller)}/members` } }),
})

export const getTeamMembersPage = route('GET /org/{org}/teams/{team}/members', {
  ...pageOf(seenTeam, teamMembers),
  summary: 'The members of a team, as a page',
})

export const changeTeamMembers = route('POST /org/{org}/teams/{team}/members', {
  ...formOf(changedTeam, teamMembers),
  summary: 'Add or remove a member of a team',
})

export const getTeamRepositoriesPage = route('GET /org/{org}/teams/{team}/repositories', {
  ...pageOf(seenTeam, teamRepositories),
  summary: 'The repositories of a team, as a page',
})

export const changeTeamRepositories = route('POST /org/{org}/teams/{team}/repositories', {
  ...formOf(changedTeam, teamRepositories),
  summary: 'Give a repository to a team, or take it',
})

export const getTeamEditPage = route('GET /org/{org}/teams/{team}/edit', {
  summary: 'The form that changes a team',
  access: orSignIn(forPages(changedTeam.rule)),
  query: { done: queryText },
  returns: textAs(200, htmlType),
  handler: ({ caller, query }) =>
    teamPage(caller, { done: query.done === '' ? undefined : 'The team was changed.' }),
})

export const editTeamByPage = route('POST /org/{org}/teams/{team}/edit', {
  ...operationForm(changedTeam.rule),
  summary: 'Change a team',
  handler: ({ caller: sender, body }) =>
    replyToForm(sender, body, {
      ask: ({ subject, team }) => ({
        calls: [[orgEditTeam, { params: { id: team.id }, body: teamIn(body) }]],
        leadsTo: ([edited]) =>
          `org/${subject.name}/teams/${encodeURIComponent(v.parse(Team, edited).name)}/edit?done=1`,
        blame: teamBlame,
      }),
      again: (caller, refusal) => teamPage(caller, { values: body, refusal }),
    }),
})
