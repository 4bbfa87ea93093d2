import * as v from 'valibot'
import { queryText } from '../../forge/protocol/query.ts'
import {
  adminAdoptRepository,
  adminDeleteUnadoptedRepository,
  adminUnadoptedList,
} from '../../forge/repo-lifecycle/unadopted.ts'
import { buttonForm, field } from '../form.ts'
import { html, withoutEmpty } from '../html.ts'
import { listQuery, listSection, pageAt, rowOf } from '../list.ts'
import { perform, readPage } from '../operations/perform.ts'
import { route } from '../route.ts'
import { type Administrator, adminAddress } from './administrator.ts'
import { deletionForm, filterForm } from './fields.ts'
import { adminPage, type Shown } from './frame.ts'
import { adminForm, adminReply, replyTo } from './reply.ts'

export const getAdminUnadoptedPage = route('GET /-/admin/unadopted', {
  ...adminReply,
  summary: 'Directories that are no repositories of this forge, as a page',
  query: { ...listQuery, query: queryText },
  handler: ({ caller, query }) => unadoptedPage(caller, { ...query, done: notices[query.done] }),
})

const notices: Readonly<Record<string, string>> = {
  adopted: 'The directory is a private repository now.',
  deleted: 'The directory was deleted.',
}

export const adoptByPage = route('POST /-/admin/unadopted/{owner}/{repo}/adopt', {
  ...adminForm,
  summary: 'Adopt an unadopted directory as a private repository',
  handler: ({ caller, params }) =>
    replyTo(caller, perform(caller, adminAdoptRepository, { params }), {
      path: 'unadopted?done=adopted',
      again: (refusal) => unadoptedPage(caller, { refusal }),
    }),
})

export const getUnadoptedDeletionPage = route('GET /-/admin/unadopted/{owner}/{repo}/delete', {
  ...adminReply,
  summary: 'The form that asks whether to delete a directory',
  handler: ({ caller, params }) => {
    const name = `${params.owner}/${params.repo}`
    const list = adminAddress(caller, 'unadopted')
    const address = `${list}/${encodeURIComponent(params.owner)}/${encodeURIComponent(params.repo)}`
    const consequences = html`<p>The directory is deleted with all commits in it. Nobody can undo this.</p>`
    const main = deletionForm(address, name, consequences, list)
    return adminPage({ caller, title: `Delete ${name}?`, section: 'unadopted', main })
  },
})

export const deleteUnadoptedByPage = route('POST /-/admin/unadopted/{owner}/{repo}/delete', {
  ...adminForm,
  summary: 'Delete a directory that is no repository',
  handler: ({ caller, params }) =>
    replyTo(caller, perform(caller, adminDeleteUnadoptedRepository, { params }), {
      path: 'unadopted?done=deleted',
      again: (refusal) => unadoptedPage(caller, { refusal }),
    }),
})

interface UnadoptedShown extends Shown {
  query?: string
}

async function unadoptedPage(
  caller: Administrator,
  { page: at = 1, query = '', ...outcome }: UnadoptedShown,
): Promise<string> {
  const selection = withoutEmpty({ query })
  const input = { query: { ...selection, ...pageAt(at) } }
  const page = await readPage(caller, adminUnadoptedList, v.string(), input)
  const address = adminAddress(caller, 'unadopted')
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
  noun: ['directory', 'directories'],
  rowOf: (path) =>
    rowOf(
      path,
      'A directory below the repositories of this account',
      html`${buttonForm(`${address}/${path}/adopt`, 'Adopt', `Adopt ${path}`)}
<a href="${address}/${path}/delete" aria-label="Delete ${path}">Delete</a>`,
    ),
  empty: 'No unadopted directories: each directory has a repository.',
})}`
  return adminPage({ caller, title: 'Unadopted directories', section: 'unadopted', main, ...outcome })
}
