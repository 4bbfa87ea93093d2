import { allStorage, pageOfStorage } from '../../forge/artifacts/storage-store.ts'
import { bytesOf, html } from '../html.ts'
import { listed, listQuery, listSection, rowOf } from '../list.ts'
import { route } from '../route.ts'
import { adminAddress } from './administrator.ts'
import { adminPage } from './frame.ts'
import { adminReply } from './reply.ts'

export const getAdminStoragePage = route('GET /-/admin/storage', {
  ...adminReply,
  summary: 'Bytes of the artifacts and logs of each repository, the most first, as a page',
  query: listQuery,
  handler: async ({ caller, query, sql, from: { host } }) => {
    const [page, all] = await Promise.all([
      pageOfStorage(sql, { page: query.page, limit: listed }),
      allStorage(sql),
    ])
    const sizes = ({ artifact_bytes, log_bytes }: typeof all) =>
      html`${bytesOf(artifact_bytes)} of artifacts · ${bytesOf(log_bytes)} of logs`
    const main = html`<p class="meta">All repositories: ${sizes(all)}</p>
${listSection({
  address: adminAddress(caller, 'storage'),
  page,
  noun: ['repository', 'repositories'],
  rowOf: ({ owner_name: owner, name, ...each }) =>
    rowOf(html`<a href="${host}${owner}/${name}/actions">${owner}/${name}</a>`, sizes(each)),
  empty: 'No repositories whose runs have kept an artifact or a log.',
})}`
    return adminPage({ caller, title: 'Artifacts and logs', section: 'storage', main })
  },
})
