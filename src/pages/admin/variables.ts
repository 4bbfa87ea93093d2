import { ActionVariable } from '../../forge/actions/variable.shape.ts'
import {
  createAdminVariable,
  deleteAdminVariable,
  getAdminVariable,
  getAdminVariablesList,
  updateAdminVariable,
} from '../../forge/actions/variables.ts'
import { queryText } from '../../forge/protocol/query.ts'
import { type Fields, field } from '../form.ts'
import { type Html, html } from '../html.ts'
import { listQuery, listSection, pageAt, rowOf } from '../list.ts'
import { fieldsOf } from '../operations/fields.ts'
import { perform, read, readPage } from '../operations/perform.ts'
import { route } from '../route.ts'
import { type Administrator, adminAddress } from './administrator.ts'
import { changeForms, listBesideForm } from './fields.ts'
import { adminPage, type Shown } from './frame.ts'
import { adminForm, adminReply, replyTo } from './reply.ts'

const notices: Readonly<Record<string, string>> = {
  created: 'The variable was created. Jobs that start from now on have it.',
  edited: 'The variable was changed. Jobs that start from now on have it so.',
  deleted: 'The variable was deleted.',
}

export const getAdminVariablesPage = route('GET /-/admin/variables', {
  ...adminReply,
  summary: 'Variables for the jobs of all repositories, and the form that creates one, as a page',
  query: listQuery,
  handler: ({ caller, query }) => variablesPage(caller, { page: query.page, done: notices[query.done] }),
})

export const createVariableByPage = route('POST /-/admin/variables', {
  ...adminForm,
  summary: 'Create a variable for the jobs of all repositories',
  handler: ({ caller, body }) => {
    const { name, ...draft } = draftOf(body)
    return replyTo(
      caller,
      perform(caller, createAdminVariable, { params: { variablename: name }, body: draft }),
      {
        path: 'variables?done=created',
        blame,
        again: (refusal) => variablesPage(caller, { values: body, refusal }),
      },
    )
  },
})

export const getAdminVariablePage = route('GET /-/admin/variables/{variablename}', {
  ...adminReply,
  summary: 'A variable for the jobs of all repositories, and the forms that change and delete it, as a page',
  query: { done: queryText },
  fails: [404],
  handler: ({ caller, params, query }) =>
    variablePage(caller, params.variablename, { done: notices[query.done] }),
})

export const editVariableByPage = route('POST /-/admin/variables/{variablename}/edit', {
  ...adminForm,
  summary: 'Change a variable for the jobs of all repositories',
  fails: [404],
  handler: ({ caller, params, body }) => {
    const draft = draftOf(body)
    const name = encodeURIComponent((draft.name || params.variablename).toUpperCase())
    return replyTo(caller, perform(caller, updateAdminVariable, { params, body: draft }), {
      path: `variables/${name}?done=edited`,
      blame,
      again: (refusal) => variablePage(caller, params.variablename, { values: body, refusal }),
    })
  },
})

export const deleteVariableByPage = route('POST /-/admin/variables/{variablename}/delete', {
  ...adminForm,
  summary: 'Delete a variable for the jobs of all repositories',
  handler: ({ caller, params }) =>
    replyTo(caller, perform(caller, deleteAdminVariable, { params }), {
      path: 'variables?done=deleted',
      again: (refusal) => variablesPage(caller, { refusal }),
    }),
})

const blame = { value: /value|data/i, name: /name/i }

/** Browsers end lines of a form with CR LF. */
const draftOf = ({ name = '', value = '', description = '' }: Fields) => ({
  name,
  value: value.replaceAll('\r\n', '\n'),
  description,
})

async function variablesPage(caller: Administrator, { page: at = 1, ...shown }: Shown): Promise<string> {
  const page = await readPage(caller, getAdminVariablesList, ActionVariable, { query: pageAt(at) })
  const address = adminAddress(caller, 'variables')
  const main = listBesideForm(
    listSection({
      address,
      page,
      noun: ['variable'],
      rowOf: ({ name, description }) =>
        rowOf(html`<a href="${address}/${name}">${name}</a>`, html`<bdi>${description}</bdi>`),
    }),
    address,
    'variable',
    variableFields(shown),
  )
  return adminPage({ caller, title: 'Variables', section: 'variables', main, ...shown })
}

async function variablePage(caller: Administrator, variablename: string, shown: Shown): Promise<string> {
  const { name, data, description } = await read(caller, getAdminVariable, ActionVariable, {
    params: { variablename },
  })
  const address = adminAddress(caller, `variables/${name}`)
  const main = changeForms(
    address,
    variableFields({ values: { name, value: data, description }, ...shown }),
    name,
    'Jobs that start from now on do not have it. Nobody can undo this.',
  )
  return adminPage({ caller, title: name, section: 'variables', main, ...shown })
}

function variableFields({ values = {}, refusal }: Shown): Html {
  const fieldOf = fieldsOf(values, refusal)
  return html`${field({ ...fieldOf('name'), label: 'Name', hint: 'Letters, digits and _; steps read it as vars.NAME' })}
${field({ ...fieldOf('value'), label: 'Value', isLong: true, hint: 'Everybody who can run a job can read it: it is no secret.' })}
${field({ ...fieldOf('description'), label: 'Description', isOptional: true })}`
}
