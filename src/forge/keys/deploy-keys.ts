import { mapPage } from '../../db/page.ts'
import type { Sql } from '../../db/sql.ts'
import { pageQuery, pagesOf } from '../../http/route/page.ts'
import { found, notFound, unprocessable } from '../../http/route/problem.ts'
import { json, noBody } from '../../http/route/sends.ts'
import { id } from '../../http/route/values.ts'
import { accountById } from '../accounts/account-store.ts'
import { record, repositoryTarget } from '../audit/audit-trail.ts'
import { LEVELS } from '../permissions/access-level-store.ts'
import { queryInteger, queryTrimmed } from '../protocol/query.ts'
import { EPOCH, printTime } from '../protocol/time.ts'
import { repoAdmin, type SignedInOnRepository } from '../repos/access.ts'
import { printRepository, type Repository } from '../repos/repo.shape.ts'
import { repositoryById } from '../repos/repo-store.ts'
import { route } from '../route.ts'
import {
  deleteDeployKey,
  deployKeyById,
  insertDeployKey,
  pageOfDeployKeys,
  type StoredDeployKey,
} from '../ssh-keys/deploy-key-store.ts'
import { KEY_USED, parseSshKey } from '../ssh-keys/ssh-key.ts'
import { DeployKey } from './deploy-key.shape.ts'
import { CreateKeyOption } from './key.option.ts'

const conflicts = {
  deploy_key_of_no_user: [422, KEY_USED],
  deploy_key_fingerprint_unique: [422, 'This key has already been added to this repository'],
  deploy_key_title_unique: [422, 'A key with the same name already exists'],
} as const

export const repoListKeys = route('GET /repos/{owner}/{repo}/keys', {
  summary: 'Deploy keys of a repository, or the one of a key id or fingerprint',
  access: repoAdmin(),
  ...pagesOf(DeployKey),
  query: { key_id: queryInteger, fingerprint: queryTrimmed, ...pageQuery() },
  handler: async ({ caller, query, sql, from }) => {
    const page = await pageOfDeployKeys(sql, caller.repo.id, query, query)
    const view = await viewOf(sql, caller, from.host)
    return mapPage(page, (key) => printDeployKey(key, view))
  },
})

export const repoGetKey = route('GET /repos/{owner}/{repo}/keys/{id}', {
  summary: 'A deploy key of a repository',
  access: repoAdmin(),
  params: { id },
  fails: [404],
  returns: json(200, DeployKey),
  handler: async ({ caller, params, sql, from }) => {
    const key = found(await deployKeyById(sql, params.id))
    if (key.repository_id !== caller.repo.id) throw notFound()
    return printDeployKey(key, await viewOf(sql, caller, from.host))
  },
})

export const repoCreateKey = route('POST /repos/{owner}/{repo}/keys', {
  summary: 'Add a deploy key to a repository, for git over SSH',
  access: repoAdmin(),
  body: CreateKeyOption,
  conflicts,
  returns: json(201, DeployKey),
  handler: async (context) => {
    const { begin, body, caller, from } = context
    const parsed = parseSshKey(body.key)
    if (!parsed.ok) throw unprocessable(parsed.fault)
    const { line: content, fingerprint } = parsed.value
    const draft = { title: body.title, content, fingerprint, is_read_only: body.read_only }
    const key = await begin(async (tx) => {
      const key = await insertDeployKey(tx, caller.repo.id, draft)
      const details = { id: key.id, title: key.title, fingerprint, read_only: key.is_read_only }
      const target = repositoryTarget(caller.repo, caller.subject)
      await record(tx, context, { action: 'repository.key_added', target, details })
      return key
    })
    return printDeployKey(key, { address: addressOf(caller, from.host) })
  },
})

export const repoDeleteKey = route('DELETE /repos/{owner}/{repo}/keys/{id}', {
  summary: 'Delete a deploy key of a repository; 204 also if there is no such key',
  access: repoAdmin(),
  params: { id },
  fails: [404],
  returns: noBody(204),
  handler: async (context) => {
    const { begin, caller, params } = context
    await begin(async (tx) => {
      const key = await deleteDeployKey(tx, caller.repo.id, params.id)
      if (!key) {
        if (await deployKeyById(tx, params.id)) throw notFound()
        return
      }
      const details = { id: key.id, title: key.title, fingerprint: key.fingerprint }
      const target = repositoryTarget(caller.repo, caller.subject)
      await record(tx, context, { action: 'repository.key_removed', target, details })
    })
  },
})

/** How keys are printed: below which address, and with which repository, by the permission of the key. */
interface View {
  address: string
  repository?: (level: number) => Repository
}

/** For administrators and the user who owns the repository, keys have the repository in them. */
async function viewOf(sql: Sql, caller: SignedInOnRepository, host: string): Promise<View> {
  const address = addressOf(caller, host)
  if (!caller.me.is_admin && caller.me.id !== caller.subject.id) return { address }
  const row = found(await repositoryById(sql, caller.repo.id))
  const owner = found(await accountById(sql, row.owner_id))
  return { address, repository: (level) => printRepository(row, owner, { host, level, known: true }) }
}

const addressOf = ({ subject, repo }: SignedInOnRepository, host: string) =>
  `${host}api/v1/repos/${subject.name}/${repo.name}/keys`

function printDeployKey(key: StoredDeployKey, { address, repository }: View): DeployKey {
  const level = key.is_read_only ? LEVELS.read : LEVELS.write
  return {
    id: key.id,
    key_id: key.key_id,
    key: key.content,
    url: `${address}/${key.id}`,
    title: key.title,
    fingerprint: key.fingerprint,
    created_at: printTime(key.created_at, EPOCH),
    last_used_at: printTime(key.last_used_at, EPOCH),
    read_only: key.is_read_only,
    ...(repository && { repository: repository(level) }),
  }
}
