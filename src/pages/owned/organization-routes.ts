import {
  deleteOrgRunner,
  getOrgRunners,
  orgCreateRunnerRegistrationToken,
  orgReplaceRunnerRegistrationToken,
  updateOrgRunner,
} from '../../forge/actions/runners.ts'
import { deleteOrgSecret, orgListActionsSecrets, updateOrgSecret } from '../../forge/actions/secrets.ts'
import {
  createOrgVariable,
  deleteOrgVariable,
  getOrgVariablesList,
  updateOrgVariable,
} from '../../forge/actions/variables.ts'
import {
  orgCreateLabel,
  orgDeleteLabel,
  orgEditLabel,
  orgListLabels,
} from '../../forge/labels/organization-labels.ts'
import { route } from '../route.ts'
import { labelsOf } from './labels.ts'
import { formOf, pageOf } from './noun-page.ts'
import { ownedOrganization } from './owners.ts'
import { runnersOf } from './runners.ts'
import { secretsOf } from './secrets.ts'
import { variablesOf } from './variables.ts'

const variables = variablesOf({
  list: getOrgVariablesList,
  create: createOrgVariable,
  update: updateOrgVariable,
  remove: deleteOrgVariable,
})
const secrets = secretsOf({ list: orgListActionsSecrets, put: updateOrgSecret, remove: deleteOrgSecret })
const runners = runnersOf(
  {
    list: getOrgRunners,
    update: updateOrgRunner,
    remove: deleteOrgRunner,
    token: orgCreateRunnerRegistrationToken,
    replaceToken: orgReplaceRunnerRegistrationToken,
  },
  'jobs of all repositories of this organization',
)

export const getOrganizationVariablesPage = route('GET /org/{org}/settings/actions/variables', {
  ...pageOf(ownedOrganization, variables),
  summary: 'Variables of an organization, as a page',
})

export const changeOrganizationVariables = route('POST /org/{org}/settings/actions/variables', {
  ...formOf(ownedOrganization, variables),
  summary: 'Add, change or delete a variable of an organization',
})

export const getOrganizationSecretsPage = route('GET /org/{org}/settings/actions/secrets', {
  ...pageOf(ownedOrganization, secrets),
  summary: 'Names of the secrets of an organization, as a page',
})

export const changeOrganizationSecrets = route('POST /org/{org}/settings/actions/secrets', {
  ...formOf(ownedOrganization, secrets),
  summary: 'Add, replace or delete a secret of an organization',
})

export const getOrganizationRunnersPage = route('GET /org/{org}/settings/actions/runners', {
  ...pageOf(ownedOrganization, runners),
  summary: 'Runners of an organization, as a page',
})

export const changeOrganizationRunners = route('POST /org/{org}/settings/actions/runners', {
  ...formOf(ownedOrganization, runners),
  summary: 'Switch or delete a runner of an organization, or show or replace its registration token',
})

const labels = labelsOf(
  { list: orgListLabels, create: orgCreateLabel, edit: orgEditLabel, remove: orgDeleteLabel },
  'labels',
)

export const getOrganizationLabelsPage = route('GET /org/{org}/settings/labels', {
  ...pageOf(ownedOrganization, labels),
  summary: 'Labels that all repositories of an organization have, as a page',
})

export const changeOrganizationLabels = route('POST /org/{org}/settings/labels', {
  ...formOf(ownedOrganization, labels),
  summary: 'Add, change or delete a label of an organization, or add a set of labels',
})
