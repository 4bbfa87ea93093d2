import * as v from 'valibot'
import { queryText } from '../../forge/protocol/query.ts'
import {
  adminAdoptRepository,
  adminDeleteUnadoptedRepository,
  adminUnadoptedList,
} from '../../forge/repos/unadopted.ts'
import { field } from '../form.ts'
import { html } from '../html.ts'
import { route } from '../route.ts'
import { buttonForm, filterForm } from './fields.ts'
import { adminPage } from './frame.ts'
import { listQuery, listSection, pageAt, rowOf, selected } from './list.ts'
import { type Administrator, perform, readPage } from './operation.ts'
import { type Refusal, refusalOf } from './refusal.ts'
import { adminForm, adminReply, outcomeOf } from './reply.ts'

export const getAdminUnadoptedPage = route('GET /-/admin/unadopted', {
  ...adminReply,
  summary: 'Directories that are no repositories of this forge, as a page',
  query: { ...listQuery, query: queryText },
  handler: ({ caller, query }) => unadoptedPage(caller, { ...query, done: doneWords[query.done] }),
})

const doneWords: Readonly<Record<string, string>> = {
  adopted: 'The directory is a private repository now.',
  deleted: 'The directory was deleted.',
}

export const adoptByPage = route('POST /-/admin/unadopted/{owner}/{repo}/adopt', {
  ...adminForm,
  summary: 'Adopt an unadopted directory as a private repository',
  handler: async ({ caller, params }) => {
    const refusal = await refusalOf(perform(caller, adminAdoptRepository, { params }))
    return outcomeOf(caller, refusal, 'unadopted?done=adopted', (refused) =>
      unadoptedPage(caller, { refusal: refused }),
    )
  },
})

export const getUnadoptedDeletionPage = route('GET /-/admin/unadopted/{owner}/{repo}/delete', {
  ...adminReply,
  summary: 'Asks whether a directory shall be deleted',
  handler: ({ caller, params, from: { host } }) => {
    const name = `${params.owner}/${params.repo}`
    const main = html`<form class="card admin-form" method="post" action="${host}-/admin/unadopted/${encodeURIComponent(params.owner)}/${encodeURIComponent(params.repo)}/delete">
<p>The directory goes with all commits that it holds. Nobody can undo this.</p>
<div class="actions"><button class="admin-danger">Delete ${name}</button> <a class="button quiet" href="${host}-/admin/unadopted">Keep it</a></div>
</form>`
    return adminPage({ caller, title: `Delete ${name}?`, section: 'unadopted', main })
  },
})

export const deleteUnadoptedByPage = route('POST /-/admin/unadopted/{owner}/{repo}/delete', {
  ...adminForm,
  summary: 'Delete a directory that is no repository',
  handler: async ({ caller, params }) => {
    const refusal = await refusalOf(perform(caller, adminDeleteUnadoptedRepository, { params }))
    return outcomeOf(caller, refusal, 'unadopted?done=deleted', (refused) =>
      unadoptedPage(caller, { refusal: refused }),
    )
  },
})

interface Shown {
  page?: number
  query?: string
  done?: string | undefined
  refusal?: Refusal
}

async function unadoptedPage(
  caller: Administrator,
  { page: at = 1, query = '', ...outcome }: Shown,
): Promise<string> {
  const { host } = caller.request.from
  const selection = selected({ query })
  const given = { query: { ...selection, ...pageAt(at) } }
  const page = await readPage(caller, adminUnadoptedList, v.string(), given)
  const address = `${host}-/admin/unadopted`
  const name = field({
    name: 'query',
    label: 'Name',
    value: query,
    isOptional: true,
    hint: 'owner/name, with * for any characters',
  })
  const main = html`${filterForm(address, name)}
${listSection({
  address,
  selection,
  page,
  words: ['directory', 'directories'],
  rowOf: (path) =>
    rowOf(
      path,
      'A directory below the repositories of this account',
      html`${buttonForm(`${address}/${path}/adopt`, 'Adopt', `Adopt ${path}`)}
<a href="${address}/${path}/delete" aria-label="Delete ${path}">Delete</a>`,
    ),
  empty: 'Every directory is a repository.',
})}`
  return adminPage({ caller, title: 'Unadopted directories', section: 'unadopted', main, ...outcome })
}
