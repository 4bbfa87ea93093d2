import { ActionVariable } from '../../forge/actions/variable.shape.ts'
import {
  createAdminVariable,
  deleteAdminVariable,
  getAdminVariable,
  getAdminVariablesList,
  updateAdminVariable,
} from '../../forge/actions/variables.ts'
import { queryText } from '../../forge/protocol/query.ts'
import { field } from '../form.ts'
import { type Html, html } from '../html.ts'
import { route } from '../route.ts'
import { adminPage } from './frame.ts'
import { listQuery, listSection, pageAt, rowOf } from './list.ts'
import { type Administrator, perform, read, readPage } from './operation.ts'
import { type Refusal, refusalOf } from './refusal.ts'
import { adminForm, adminReply, type Fields, outcomeOf } from './reply.ts'

const doneWords: Readonly<Record<string, string>> = {
  created: 'The variable was created. Jobs that start from now on have it.',
  edited: 'The variable was changed. Jobs that start from now on have it so.',
  deleted: 'The variable was deleted.',
}

export const getAdminVariablesPage = route('GET /-/admin/variables', {
  ...adminReply,
  summary: 'Variables for the jobs of all repositories, and the form that creates one, as a page',
  query: listQuery,
  handler: ({ caller, query }) => variablesPage(caller, { page: query.page, done: doneWords[query.done] }),
})

export const createVariableByPage = route('POST /-/admin/variables', {
  ...adminForm,
  summary: 'Create a variable for the jobs of all repositories',
  handler: async ({ caller, body }) => {
    const { name = '', ...draft } = draftOf(body)
    const work = perform(caller, createAdminVariable, { params: { variablename: name }, body: draft })
    const refusal = await refusalOf(work, blame)
    return outcomeOf(caller, refusal, 'variables?done=created', (refused) =>
      variablesPage(caller, { values: body, refusal: refused }),
    )
  },
})

export const getAdminVariablePage = route('GET /-/admin/variables/{variablename}', {
  ...adminReply,
  summary: 'A variable for the jobs of all repositories, and the forms that change and delete it, as a page',
  query: { done: queryText },
  fails: [404],
  handler: ({ caller, params, query }) =>
    variablePage(caller, params.variablename, { done: doneWords[query.done] }),
})

export const editVariableByPage = route('POST /-/admin/variables/{variablename}/edit', {
  ...adminForm,
  summary: 'Change a variable for the jobs of all repositories',
  fails: [404],
  handler: async ({ caller, params, body }) => {
    const draft = draftOf(body)
    const refusal = await refusalOf(perform(caller, updateAdminVariable, { params, body: draft }), blame)
    const name = encodeURIComponent((draft.name || params.variablename).toUpperCase())
    return outcomeOf(caller, refusal, `variables/${name}?done=edited`, (refused) =>
      variablePage(caller, params.variablename, { values: body, refusal: refused }),
    )
  },
})

export const deleteVariableByPage = route('POST /-/admin/variables/{variablename}/delete', {
  ...adminForm,
  summary: 'Delete a variable for the jobs of all repositories',
  handler: async ({ caller, params }) => {
    const refusal = await refusalOf(perform(caller, deleteAdminVariable, { params }))
    return outcomeOf(caller, refusal, 'variables?done=deleted', (refused) =>
      variablesPage(caller, { refusal: refused }),
    )
  },
})

const blame = { value: /value|data/i, name: /name/i }

/** Browsers send lines that end as those of mail do. */
const draftOf = ({ name = '', value = '', description = '' }: Fields) => ({
  name,
  value: value.replaceAll('\r\n', '\n'),
  description,
})

interface Shown {
  page?: number
  done?: string | undefined
  /** The form as it was sent. */
  values?: Fields
  refusal?: Refusal
}

async function variablesPage(caller: Administrator, { page: at = 1, ...shown }: Shown): Promise<string> {
  const { host } = caller.request.from
  const page = await readPage(caller, getAdminVariablesList, ActionVariable, { query: pageAt(at) })
  const address = `${host}-/admin/variables`
  const main = html`<div class="panel"><div>
${listSection({
  address,
  page,
  words: ['variable'],
  rowOf: ({ name, description }) =>
    rowOf(html`<a href="${address}/${name}">${name}</a>`, html`<bdi>${description}</bdi>`),
  empty: 'There are none yet.',
})}</div>
<form class="card" method="post" action="${address}" aria-labelledby="new">
<h2 id="new">Create a variable</h2>
${variableFields(shown)}
<button>Create the variable</button>
</form>
</div>`
  return adminPage({ caller, title: 'Variables', section: 'variables', main, ...shown })
}

async function variablePage(caller: Administrator, variablename: string, shown: Shown): Promise<string> {
  const { host } = caller.request.from
  const { name, data, description } = await read(caller, getAdminVariable, ActionVariable, {
    params: { variablename },
  })
  const address = `${host}-/admin/variables/${name}`
  const main = html`<div class="panel">
<form class="card" method="post" action="${address}/edit">
${variableFields({ values: { name, value: data, description }, ...shown })}
<button>Save</button>
</form>
<form class="card" method="post" action="${address}/delete" aria-labelledby="delete">
<h2 id="delete">Delete</h2>
<p>Jobs that start from now on do not have it. Nobody can undo this.</p>
<button class="admin-danger">Delete ${name}</button>
</form>
</div>`
  return adminPage({ caller, title: name, section: 'variables', main, ...shown })
}

function variableFields({ values = {}, refusal }: Shown): Html {
  const own = (name: string) => {
    const fault = refusal?.field === name ? refusal.sentence : undefined
    return { name, value: values[name], fault, hasFocus: fault !== undefined, autocomplete: 'off' }
  }
  return html`${field({ ...own('name'), label: 'Name', hint: 'Letters, digits and _; steps read it as vars.NAME' })}
${field({ ...own('value'), label: 'Value', isLong: true, hint: 'Everybody who can run a job can read it: it is no secret.' })}
${field({ ...own('description'), label: 'Description', isOptional: true })}`
}
