import {
  deleteUserRunner,
  getUserRunners,
  updateUserRunner,
  userCreateRunnerRegistrationToken,
  userReplaceRunnerRegistrationToken,
} from '../../forge/actions/runners.ts'
import { deleteUserSecret, updateUserSecret, userListActionsSecrets } from '../../forge/actions/secrets.ts'
import {
  createUserVariable,
  deleteUserVariable,
  getUserVariablesList,
  updateUserVariable,
} from '../../forge/actions/variables.ts'
import { route } from '../route.ts'
import { formOf, pageOf } from './noun-page.ts'
import { oneself } from './owners.ts'
import { runnersOf } from './runners.ts'
import { secretsOf } from './secrets.ts'
import { variablesOf } from './variables.ts'

const variables = variablesOf({
  list: getUserVariablesList,
  create: createUserVariable,
  update: updateUserVariable,
  remove: deleteUserVariable,
})
const secrets = secretsOf({ list: userListActionsSecrets, put: updateUserSecret, remove: deleteUserSecret })
const runners = runnersOf(
  {
    list: getUserRunners,
    update: updateUserRunner,
    remove: deleteUserRunner,
    token: userCreateRunnerRegistrationToken,
    replaceToken: userReplaceRunnerRegistrationToken,
  },
  'jobs of all your repositories',
)

export const getOwnVariablesPage = route('GET /settings/actions/variables', {
  ...pageOf(oneself, variables),
  summary: 'Variables of one’s own, as a page',
})

export const changeOwnVariables = route('POST /settings/actions/variables', {
  ...formOf(oneself, variables),
  summary: 'Add, change or delete a variable of one’s own',
})

export const getOwnSecretsPage = route('GET /settings/actions/secrets', {
  ...pageOf(oneself, secrets),
  summary: 'Names of one’s own secrets, as a page',
})

export const changeOwnSecrets = route('POST /settings/actions/secrets', {
  ...formOf(oneself, secrets),
  summary: 'Add, replace or delete a secret of one’s own',
})

export const getOwnRunnersPage = route('GET /settings/actions/runners', {
  ...pageOf(oneself, runners),
  summary: 'Runners of one’s own, as a page',
})

export const changeOwnRunners = route('POST /settings/actions/runners', {
  ...formOf(oneself, runners),
  summary: 'Switch or delete a runner of one’s own, or show or replace its registration token',
})
