import { siteAdmin } from '../auth/access.ts'
import { nameParam } from '../protocol/query.ts'
import { route } from '../route.ts'
import { site } from './owner.ts'
import {
  addVariable,
  changeVariable,
  dropVariable,
  listVariables,
  showVariable,
} from './variable-handlers.ts'
import { creating, deleting, listing, showing, updating } from './variables.ts'

/** Routes for the variables of all jobs; the original has only pages for them. */

const listOfSite = route(
  'GET /admin/actions/variables',
  {
    operationId: 'getAdminVariablesList',
    extension: true,
    ...listing,
    summary: 'Variables for the jobs of everybody, the oldest first',
    access: siteAdmin(),
  },
  ({ query, sql }) => listVariables(sql, site, query),
)

const showOfSite = route(
  'GET /admin/actions/variables/{variablename}',
  {
    operationId: 'getAdminVariable',
    extension: true,
    ...showing,
    summary: 'A variable for the jobs of everybody',
    access: siteAdmin(),
    params: { variablename: nameParam },
  },
  (context) => showVariable(context, site),
)

const createOfSite = route(
  'POST /admin/actions/variables/{variablename}',
  {
    operationId: 'createAdminVariable',
    extension: true,
    ...creating,
    summary: 'Create a variable for the jobs of everybody',
    access: siteAdmin(),
    params: { variablename: nameParam },
  },
  (context) => addVariable(context, site),
)

const updateOfSite = route(
  'PUT /admin/actions/variables/{variablename}',
  {
    operationId: 'updateAdminVariable',
    extension: true,
    ...updating,
    summary: 'Change the value of a variable for the jobs of everybody, and perhaps its name',
    access: siteAdmin(),
    params: { variablename: nameParam },
  },
  (context) => changeVariable(context, site),
)

const removeOfSite = route(
  'DELETE /admin/actions/variables/{variablename}',
  {
    operationId: 'deleteAdminVariable',
    extension: true,
    ...deleting,
    summary: 'Delete a variable for the jobs of everybody',
    access: siteAdmin(),
    params: { variablename: nameParam },
  },
  (context) => dropVariable(context, site),
)

export const siteVariableRoutes = [listOfSite, showOfSite, createOfSite, updateOfSite, removeOfSite]
