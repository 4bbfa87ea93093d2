import { pageQuery } from '../../http/route/page.ts'
import { siteAdmin } from '../auth/access.ts'
import { queryFilter } from '../protocol/query.ts'
import { type ForgeRoute, route } from '../route.ts'
import { ofSite, type Scope, type ScopedRoute, scope, scoped } from '../scoped.ts'
import { EditActionRunnerOption, RegistrationToken, Runner, RunnerList } from './runner.shape.ts'
import {
  deleteRunner,
  editRunner,
  listRunners,
  type RunnersOf,
  replaceToken,
  requireWriteScope,
  showRunner,
  tokenFor,
} from './runner-handlers.ts'
import { organization, repository, user } from './scopes.ts'

/** Routes for runners. Site administrators see those of all scopes. */

const allRunners = scope({
  ...ofSite,
  whose: 'of the whole site',
  access: siteAdmin(),
  ownerOf: () => 'all' as const,
})

const token = { fails: [404], returns: [200, RegistrationToken] } as const

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a list of declarations
const runnersIn = (
  route: ScopedRoute<RunnersOf>,
  { whose, name, Name, category }: Scope<RunnersOf>,
): ForgeRoute[] => [
  route('GET /actions/runners', {
    operationId: `get${Name}Runners`,
    summary: `Runners ${whose}, last seen first`,
    query: { disabled: queryFilter, ...pageQuery() },
    fails: [400, 404],
    returns: [200, RunnerList],
    shared: true,
    handler: listRunners,
  }),
  route('POST /actions/runners/registration-token', {
    ...token,
    operationId: `${name}CreateRunnerRegistrationToken`,
    summary: `What runners ${name === 'admin' ? 'for everybody' : whose} register themselves with`,
    handler: tokenFor,
  }),
  route('GET /actions/runners/registration-token', {
    ...token,
    operationId: `${name}Get${name === 'admin' ? 'Actions' : ''}RunnerRegistrationToken`,
    extension: name === 'admin',
    summary: 'The same, as clients of old ask for it',
    deprecated: true,
    handler: (context, owner) => {
      requireWriteScope(context.caller, category)
      return tokenFor(context, owner)
    },
  }),
  route('DELETE /actions/runners/registration-token', {
    operationId: `${name}ReplaceRunnerRegistrationToken`,
    extension: true,
    summary: `Make the registration token ${name === 'admin' ? 'for everybody' : whose} invalid; the next one is another`,
    returns: [204],
    handler: (context, owner) => context.begin((tx) => replaceToken(tx, context, owner)),
  }),
  route('GET /actions/runners/{runner_id}', {
    operationId: `get${Name}Runner`,
    summary: `A runner ${whose}`,
    fails: [400, 404],
    returns: [200, Runner],
    shared: true,
    handler: showRunner,
  }),
  route('PATCH /actions/runners/{runner_id}', {
    operationId: `update${Name}Runner`,
    summary: `Switch a runner ${whose} off or on`,
    body: EditActionRunnerOption,
    fails: [400, 404, 422],
    returns: [200, Runner],
    handler: editRunner,
  }),
  route('DELETE /actions/runners/{runner_id}', {
    operationId: `delete${Name}Runner`,
    summary: `Delete a runner ${whose}; what it works on fails`,
    fails: [400, 404],
    returns: [204],
    handler: deleteRunner,
  }),
]

const oldestTokenOfSite = route('GET /admin/runners/registration-token', {
  ...token,
  operationId: 'adminGetRunnerRegistrationToken',
  summary: 'The same under the oldest path',
  access: siteAdmin(),
  deprecated: true,
  handler: (context) => {
    requireWriteScope(context.caller, 'admin')
    return tokenFor(context, 'all')
  },
})

export const runnerRoutes = [
  ...scoped([allRunners], runnersIn),
  oldestTokenOfSite,
  ...scoped<RunnersOf>([organization, repository, user], runnersIn),
]
