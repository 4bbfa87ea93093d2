import { access } from '../auth/access.ts'
import { onRepoById } from '../repos/access.ts'
import { attachmentByUuid } from './attachment-store.ts'

/**
 * Anyone who may read the unit that the attachment `{uuid}` belongs to: the releases or the issues of a repository.
 * `repo.level` is the access level to that unit. A token needs its scope; for an unknown file, the scope of repositories.
 */
export const attachmentSeen = () =>
  access('attachmentSeen', ['repository', 'issue'], [401, 403, 404], async (context) => {
    const { uuid = '' } = context.params
    const attachment = isUuid(uuid) ? await attachmentByUuid(context.sql, uuid) : undefined
    // No repository has the id 0, so an anonymous caller does not learn which files exist.
    const repository = attachment?.repository_id ?? 0
    return attachment?.is_of_release === false
      ? onRepoById(context, repository, { part: 'repo.issues', categories: ['issue'] })
      : onRepoById(context, repository, { part: 'repo.releases' })
  })

const isUuid = (text: string) => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)
