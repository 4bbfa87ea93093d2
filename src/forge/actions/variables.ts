import * as v from 'valibot'
import { pageQuery } from '../../http/route/page.ts'
import { signedInFully } from '../auth/access.ts'
import { orgOwner } from '../orgs/access.ts'
import { inRepo, nameParam } from '../protocol/query.ts'
import { repoOwner } from '../repos/access.ts'
import { route } from '../route.ts'
import { ownerOf, repoOwnerOf } from './owner.ts'
import { ActionVariable, CreateVariableOption, UpdateVariableOption } from './variable.shape.ts'
import {
  addVariable,
  changeVariable,
  dropVariable,
  listVariables,
  showVariable,
} from './variable-handlers.ts'

/** Routes for the variables of jobs: like secrets, but the API returns their values. */

export const listing = {
  query: pageQuery(),
  returns: [200, v.array(ActionVariable)],
  sends: 'page',
  shared: 'until written',
} as const

export const showing = { fails: [404], returns: [200, ActionVariable] } as const

const conflicts = { action_variable_name_unique: [409, 'there is a variable of that name'] } as const

export const creating = {
  body: CreateVariableOption,
  fails: [400, 404],
  conflicts,
  returns: [201],
} as const

export const updating = {
  body: UpdateVariableOption,
  fails: [400, 404],
  conflicts,
  returns: [204],
} as const

export const deleting = { fails: [404], returns: [204] } as const

const listOfOrg = route(
  'GET /orgs/{org}/actions/variables',
  {
    operationId: 'getOrgVariablesList',
    ...listing,
    summary: 'Variables of an organization, the oldest first',
    access: orgOwner('org', 'organization'),
    params: { org: nameParam },
  },
  ({ caller, query, sql }) => listVariables(sql, ownerOf(caller.subject), query),
)

const showOfOrg = route(
  'GET /orgs/{org}/actions/variables/{variablename}',
  {
    operationId: 'getOrgVariable',
    ...showing,
    summary: 'A variable of an organization',
    access: orgOwner('org', 'organization'),
    params: { org: nameParam, variablename: nameParam },
  },
  (context) => showVariable(context, ownerOf(context.caller.subject)),
)

const createOfOrg = route(
  'POST /orgs/{org}/actions/variables/{variablename}',
  {
    operationId: 'createOrgVariable',
    ...creating,
    summary: 'Create a variable of an organization',
    access: orgOwner('org', 'organization'),
    params: { org: nameParam, variablename: nameParam },
  },
  (context) => addVariable(context, ownerOf(context.caller.subject)),
)

const updateOfOrg = route(
  'PUT /orgs/{org}/actions/variables/{variablename}',
  {
    operationId: 'updateOrgVariable',
    ...updating,
    summary: 'Change the value of a variable of an organization, and perhaps its name',
    access: orgOwner('org', 'organization'),
    params: { org: nameParam, variablename: nameParam },
  },
  (context) => changeVariable(context, ownerOf(context.caller.subject)),
)

const removeOfOrg = route(
  'DELETE /orgs/{org}/actions/variables/{variablename}',
  {
    operationId: 'deleteOrgVariable',
    ...deleting,
    summary: 'Delete a variable of an organization',
    access: orgOwner('org', 'organization'),
    params: { org: nameParam, variablename: nameParam },
  },
  (context) => dropVariable(context, ownerOf(context.caller.subject)),
)

const listOfRepo = route(
  'GET /repos/{owner}/{repo}/actions/variables',
  {
    operationId: 'getRepoVariablesList',
    ...listing,
    summary: 'Variables of a repository, the oldest first',
    access: repoOwner('repository'),
    params: inRepo,
  },
  ({ caller, query, sql }) => listVariables(sql, repoOwnerOf(caller), query),
)

const showOfRepo = route(
  'GET /repos/{owner}/{repo}/actions/variables/{variablename}',
  {
    operationId: 'getRepoVariable',
    ...showing,
    summary: 'A variable of a repository',
    access: repoOwner('repository'),
    params: { ...inRepo, variablename: nameParam },
  },
  (context) => showVariable(context, repoOwnerOf(context.caller)),
)

const createOfRepo = route(
  'POST /repos/{owner}/{repo}/actions/variables/{variablename}',
  {
    operationId: 'createRepoVariable',
    ...creating,
    summary: 'Create a variable of a repository',
    access: repoOwner('repository'),
    params: { ...inRepo, variablename: nameParam },
  },
  (context) => addVariable(context, repoOwnerOf(context.caller)),
)

const updateOfRepo = route(
  'PUT /repos/{owner}/{repo}/actions/variables/{variablename}',
  {
    operationId: 'updateRepoVariable',
    ...updating,
    summary: 'Change the value of a variable of a repository, and perhaps its name',
    access: repoOwner('repository'),
    params: { ...inRepo, variablename: nameParam },
  },
  (context) => changeVariable(context, repoOwnerOf(context.caller)),
)

const removeOfRepo = route(
  'DELETE /repos/{owner}/{repo}/actions/variables/{variablename}',
  {
    operationId: 'deleteRepoVariable',
    ...deleting,
    summary: 'Delete a variable of a repository',
    access: repoOwner('repository'),
    params: { ...inRepo, variablename: nameParam },
  },
  (context) => dropVariable(context, repoOwnerOf(context.caller)),
)

const listOfUser = route(
  'GET /user/actions/variables',
  {
    operationId: 'getUserVariablesList',
    ...listing,
    summary: 'Variables of the user who asks, the oldest first',
    access: signedInFully('user'),
  },
  ({ caller, query, sql }) => listVariables(sql, ownerOf(caller.me), query),
)

const showOfUser = route(
  'GET /user/actions/variables/{variablename}',
  {
    operationId: 'getUserVariable',
    ...showing,
    summary: 'A variable of the user who asks',
    access: signedInFully('user'),
    params: { variablename: nameParam },
  },
  (context) => showVariable(context, ownerOf(context.caller.me)),
)

const createOfUser = route(
  'POST /user/actions/variables/{variablename}',
  {
    operationId: 'createUserVariable',
    ...creating,
    summary: 'Create a variable of the user who asks',
    access: signedInFully('user'),
    params: { variablename: nameParam },
  },
  (context) => addVariable(context, ownerOf(context.caller.me)),
)

const updateOfUser = route(
  'PUT /user/actions/variables/{variablename}',
  {
    operationId: 'updateUserVariable',
    ...updating,
    summary: 'Change the value of a variable of the user who asks, and perhaps its name',
    access: signedInFully('user'),
    params: { variablename: nameParam },
  },
  (context) => changeVariable(context, ownerOf(context.caller.me)),
)

const removeOfUser = route(
  'DELETE /user/actions/variables/{variablename}',
  {
    operationId: 'deleteUserVariable',
    ...deleting,
    summary: 'Delete a variable of the user who asks',
    access: signedInFully('user'),
    params: { variablename: nameParam },
  },
  (context) => dropVariable(context, ownerOf(context.caller.me)),
)

export const variableRoutes = [
  listOfOrg,
  showOfOrg,
  createOfOrg,
  updateOfOrg,
  removeOfOrg,
  listOfRepo,
  showOfRepo,
  createOfRepo,
  updateOfRepo,
  removeOfRepo,
  listOfUser,
  showOfUser,
  createOfUser,
  updateOfUser,
  removeOfUser,
]
