import {
  deleteRepoRunner,
  getRepoRunners,
  repoCreateRunnerRegistrationToken,
  repoReplaceRunnerRegistrationToken,
  updateRepoRunner,
} from '../../forge/actions/runners.ts'
import { deleteRepoSecret, repoListActionsSecrets, updateRepoSecret } from '../../forge/actions/secrets.ts'
import {
  createRepoVariable,
  deleteRepoVariable,
  getRepoVariablesList,
  updateRepoVariable,
} from '../../forge/actions/variables.ts'
import { route } from '../route.ts'
import { formOf, pageOf } from './noun-page.ts'
import { ownedRepository } from './owners.ts'
import { runnersOf } from './runners.ts'
import { secretsOf } from './secrets.ts'
import { variablesOf } from './variables.ts'

const variables = variablesOf({
  list: getRepoVariablesList,
  create: createRepoVariable,
  update: updateRepoVariable,
  remove: deleteRepoVariable,
})
const secrets = secretsOf({ list: repoListActionsSecrets, put: updateRepoSecret, remove: deleteRepoSecret })
const runners = runnersOf(
  {
    list: getRepoRunners,
    update: updateRepoRunner,
    remove: deleteRepoRunner,
    token: repoCreateRunnerRegistrationToken,
    replaceToken: repoReplaceRunnerRegistrationToken,
  },
  'jobs of this repository',
)

export const getRepositoryVariablesPage = route('GET /{owner}/{repo}/settings/actions/variables', {
  ...pageOf(ownedRepository, variables),
  summary: 'Variables of a repository, as a page',
})

export const changeRepositoryVariables = route('POST /{owner}/{repo}/settings/actions/variables', {
  ...formOf(ownedRepository, variables),
  summary: 'Add, change or delete a variable of a repository',
})

export const getRepositorySecretsPage = route('GET /{owner}/{repo}/settings/actions/secrets', {
  ...pageOf(ownedRepository, secrets),
  summary: 'Names of the secrets of a repository, as a page',
})

export const changeRepositorySecrets = route('POST /{owner}/{repo}/settings/actions/secrets', {
  ...formOf(ownedRepository, secrets),
  summary: 'Add, replace or delete a secret of a repository',
})

export const getRepositoryRunnersPage = route('GET /{owner}/{repo}/settings/actions/runners', {
  ...pageOf(ownedRepository, runners),
  summary: 'Runners of a repository, as a page',
})

export const changeRepositoryRunners = route('POST /{owner}/{repo}/settings/actions/runners', {
  ...formOf(ownedRepository, runners),
  summary: 'Switch or delete a runner of a repository, or show or replace its registration token',
})
