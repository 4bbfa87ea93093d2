import {
  issueCreateLabel,
  issueDeleteLabel,
  issueEditLabel,
  issueListLabels,
} from '../../forge/labels/labels.ts'
import {
  repoCreateBranchProtection,
  repoEditBranchProtection,
} from '../../forge/protection/branch-protections.ts'
import { escapeSegments } from '../../forge/protocol/escape-segments.ts'
import { queryText } from '../../forge/protocol/query.ts'
import { repoAdmin, type SignedInOnRepository } from '../../forge/repos/access.ts'
import { textAs } from '../../http/route/sends.ts'
import type { Fields } from '../form.ts'
import { valuesIn } from '../operations/described.ts'
import { type Asked, operationForm, replyToForm } from '../operations/form.ts'
import { forPages } from '../operations/perform.ts'
import { htmlType } from '../profile.ts'
import { route } from '../route.ts'
import { orSignIn } from '../session/session.ts'
import { newRulePage, rulePage } from './branch-rule-page.ts'
import { branchRules, ruleFields } from './branch-rules.ts'
import { deployKeys } from './keys.ts'
import { labelsOf } from './labels.ts'
import { formOf, pageOf } from './noun-page.ts'
import { administeredRepository, changedLabels, labelledRepository } from './owners.ts'
import { collaborators, repositoryTeams } from './repository-people.ts'
import { tagRules } from './tag-rules.ts'

export const getCollaboratorsPage = route('GET /{owner}/{repo}/settings/collaboration', {
  ...pageOf(administeredRepository, collaborators),
  summary: 'Collaborators of a repository with their permissions, as a page',
})

export const changeCollaborators = route('POST /{owner}/{repo}/settings/collaboration', {
  ...formOf(administeredRepository, collaborators),
  summary: 'Add or remove a collaborator, or change the permission',
})

export const getRepositoryTeamsPage = route('GET /{owner}/{repo}/settings/teams', {
  ...pageOf(administeredRepository, repositoryTeams),
  summary: 'Teams that have a repository of an organization, as a page',
  fails: [405],
})

export const changeRepositoryTeams = route('POST /{owner}/{repo}/settings/teams', {
  ...formOf(administeredRepository, repositoryTeams),
  summary: 'Give a repository to a team, or take it',
  fails: [400, 405],
})

export const getDeployKeysPage = route('GET /{owner}/{repo}/settings/keys', {
  ...pageOf(administeredRepository, deployKeys),
  summary: 'Deploy keys of a repository, as a page',
})

export const changeDeployKeys = route('POST /{owner}/{repo}/settings/keys', {
  ...formOf(administeredRepository, deployKeys),
  summary: 'Add or delete a deploy key',
})

export const getTagRulesPage = route('GET /{owner}/{repo}/settings/tags', {
  ...pageOf(administeredRepository, tagRules),
  summary: 'Rules of the tags of a repository, as a page',
})

export const changeTagRules = route('POST /{owner}/{repo}/settings/tags', {
  ...formOf(administeredRepository, tagRules),
  summary: 'Add, change or delete a rule of tags',
})

const labels = labelsOf(
  { list: issueListLabels, create: issueCreateLabel, edit: issueEditLabel, remove: issueDeleteLabel },
  'labels',
)

export const getLabelsPage = route('GET /{owner}/{repo}/labels', {
  ...pageOf(labelledRepository, labels),
  summary: 'Labels of a repository, as a page',
})

export const changeLabels = route('POST /{owner}/{repo}/labels', {
  ...formOf(changedLabels, labels),
  summary: 'Add, change or delete a label of a repository, or add a set of labels',
})

export const getBranchRulesPage = route('GET /{owner}/{repo}/settings/branches', {
  ...pageOf(administeredRepository, branchRules),
  summary: 'Rules of the branches of a repository, as a page',
})

export const changeBranchRules = route('POST /{owner}/{repo}/settings/branches', {
  ...formOf(administeredRepository, branchRules),
  summary: 'Delete a rule of branches',
})

const shown = { access: orSignIn(forPages(repoAdmin())), returns: textAs(200, htmlType) } as const

export const getNewBranchRulePage = route('GET /{owner}/{repo}/settings/branches/new', {
  ...shown,
  summary: 'The form that adds a rule of branches',
  handler: ({ caller }) => newRulePage(caller, {}),
})

export const createBranchRuleByPage = route('POST /{owner}/{repo}/settings/branches/new', {
  ...operationForm(repoAdmin()),
  summary: 'Add a rule of branches',
  handler: ({ caller: sender, body }) =>
    replyToForm(sender, body, {
      ask: (who) => askedOf(who, body.rule_name ?? '', body, 'created'),
      again: async (who, refusal) => newRulePage(who, { values: body, refusal }),
    }),
})

export const getBranchRulePage = route('GET /{owner}/{repo}/settings/branches/edit/{name...}', {
  ...shown,
  summary: 'The form that changes a rule of branches',
  query: { done: queryText },
  fails: [404],
  handler: ({ caller, params, query }) => rulePage(caller, params.name, { done: notices[query.done] }),
})

export const editBranchRuleByPage = route('POST /{owner}/{repo}/settings/branches/edit/{name...}', {
  ...operationForm(repoAdmin()),
  summary: 'Change a rule of branches',
  fails: [404],
  handler: ({ caller: sender, body, params }) =>
    replyToForm(sender, body, {
      ask: (who) => askedOf(who, params.name, body, 'edited'),
      again: (who, refusal) => rulePage(who, params.name, { values: body, refusal }),
    }),
})

const notices: Readonly<Record<string, string>> = {
  created: 'The rule was added.',
  edited: 'The rule was changed.',
}

function askedOf(
  { repo }: SignedInOnRepository,
  name: string,
  fields: Fields,
  done: 'created' | 'edited',
): Asked {
  const params = { owner: repo.owner.name, repo: repo.name }
  const body = valuesIn(ruleFields, fields)
  return {
    calls: [
      done === 'created'
        ? [repoCreateBranchProtection, { params, body: { ...body, rule_name: name } }]
        : [repoEditBranchProtection, { params: { ...params, name }, body }],
    ],
    leadsTo: `${params.owner}/${params.repo}/settings/branches/edit/${escapeSegments(name)}?done=${done}`,
    blame: { rule_name: /rule|name|glob/i, priority: /priority/i, required_approvals: /approvals/i },
  }
}
