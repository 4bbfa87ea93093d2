import type * as v from 'valibot'
import type { Sql } from '../../../db/sql.ts'
import { readCommitObject } from '../../../git/repository/commit.ts'
import { TreeEditor } from '../../../git/repository/edit-tree.ts'
import { commitObject } from '../../../git/repository/first-commit.ts'
import { type NewObject, newCommitObject } from '../../../git/repository/write-objects.ts'
import { forbidden, found, notFound, unprocessable } from '../../../http/route/problem.ts'
import { type Account, accountByName } from '../../accounts/account-store.ts'
import { signatureOf } from '../../accounts/commit-names.ts'
import { isPublicOnly, maySee } from '../../auth/access.ts'
import { PUBLIC_ONLY_REFUSALS } from '../../auth/scopes.ts'
import { lockAvatarOf } from '../../avatars/avatar-store.ts'
import { copyLabels } from '../../labels/label-store.ts'
import { membershipOf, ownsOrganization } from '../../orgs/membership-store.ts'
import { LEVELS } from '../../permissions/access-level-store.ts'
import { copyBranchProtections } from '../../protection/branch-protection-store.ts'
import type { SignedInOnRepository } from '../../repos/access.ts'
import { type Code, commitOfBranch, gitValue, openCode } from '../../repos/code.ts'
import type { GenerateRepoOption } from '../../repos/repo.option.ts'
import { updateRepositoryAvatar } from '../../repos/repo-store.ts'
import type { ForgeContext } from '../../route.ts'
import { copyHooks } from '../../webhooks/hook-store.ts'
import { createsIn } from '../transfer-store.ts'
import { folderFor, type Plan } from './creation.ts'
import { variablesFor } from './expansion.ts'
import { applyTemplate } from './template-files.ts'

type Input = v.InferOutput<typeof GenerateRepoOption>

type TemplateContext = ForgeContext<SignedInOnRepository, { body: Input }>

/** The items of a template that a new repository can have; `git_hooks` has no effect here. */
const items = [
  'git_content',
  'topics',
  'git_hooks',
  'webhooks',
  'avatar',
  'labels',
  'protected_branch',
] as const

/**
 * A repository with the items of a template that the request names.
 * @throws Problem 403 may not create there, or copy webhooks; 404 no such owner; 422; 503
 */
export async function contentOfTemplate(context: TemplateContext): Promise<Plan> {
  const { body, caller, sql, tools } = context
  const code = await openCode(context)
  const template = code.row
  if (!template.is_template) throw unprocessable('this is not a template repo')
  if (!items.some((item) => body[item])) throw unprocessable('must select at least one template item')
  if (body.webhooks && caller.repo.level < LEVELS.admin)
    throw forbidden('only an administrator of the template may copy its webhooks')
  const owner = await ownerNamed(context, body.owner)
  const folder = folderFor(context, owner, body.name)
  const branch = body.default_branch || template.default_branch
  const content = body.git_content ? await firstCommit(context, code, owner) : undefined
  return {
    owner,
    ownsAll: owner.id === caller.me.id || (await ownsOrganization(sql, owner.id, caller.me.id)),
    draft: {
      owner_id: owner.id,
      name: body.name,
      folder,
      description: body.description,
      is_private: body.private,
      is_template: false,
      is_empty: !content,
      default_branch: branch,
      object_format: template.object_format,
      branch_count: content ? 1 : 0,
      licenses: content ? template.licenses : [],
      topics: body.topics ? template.topics : [],
    },
    make: (repositories, at) => {
      const made = { ...at, branch, format: template.object_format }
      return content ? repositories.createFrom(made, code.directory, content) : repositories.create(made)
    },
    furnish: async (tx, repository) => {
      // The right to create in an organization may have ended since the first check.
      await requireCreator(tx, caller.me, owner)
      const places = { from: template.id, to: repository }
      if (body.avatar) await updateRepositoryAvatar(tx, repository, await lockAvatarOf(tx, template.id))
      if (body.labels) await copyLabels(tx, places)
      if (body.protected_branch) await copyBranchProtections(tx, places)
      if (body.webhooks)
        await copyHooks(tx, tools.secrets, { from: { repository: template.id }, to: repository })
    },
    details: { template: code.path },
  }
}

/** @throws Problem 403, 404 */
async function ownerNamed({ caller, sql }: TemplateContext, name: string): Promise<Account> {
  const unknown = `request owner \`${name}\` does not exist`
  const owner = found(await accountByName(sql, name), unknown)
  if (owner.id === caller.me.id) return owner
  const is_member = (await membershipOf(sql, owner.id, caller.me.id)) !== undefined
  if (!maySee(owner, { me: caller.me, is_member })) throw notFound(unknown)
  if (isPublicOnly(caller) && owner.visibility !== 'public')
    throw forbidden(PUBLIC_ONLY_REFUSALS.organization)
  await requireCreator(sql, caller.me, owner)
  return owner
}

/** @throws Problem 403 */
async function requireCreator(sql: Sql, me: Account, owner: Account): Promise<void> {
  if (me.is_admin || owner.id === me.id) return
  if (owner.kind !== 'organization') throw forbidden('Only admin can generate repository for other user.')
  if (!(await createsIn(sql, owner.id, me.id)))
    throw forbidden('Given user is not allowed to create repository in organization.')
}

/**
 * The first commit: the files of the default branch of the template, without its history. Undefined if it has none.
 * @throws Problem 422, 503
 */
async function firstCommit(
  { body, caller, from, now }: TemplateContext,
  code: Code,
  owner: Account,
): Promise<{ commit: string; objects: NewObject[] } | undefined> {
  const { row } = code
  const head = await commitOfBranch(code, row.default_branch)
  const base = head === undefined ? undefined : gitValue(await readCommitObject(code, head))
  if (!base) return undefined
  const editor = new TreeEditor(code, row.object_format, base.tree)
  const variables = variablesFor(
    { owner: caller.repo.owner.name, name: row.name, description: row.description },
    { owner: owner.name, name: body.name, description: body.description },
    { now, host: from.host },
  )
  const contents = await applyTemplate(code, editor, { tree: base.tree, variables })
  const { tree, objects } = gitValue(await editor.finish())
  const signature = signatureOf(caller.me, { from, now })
  const signatures = { author: signature, committer: signature }
  const content = commitObject({ tree, parents: [], ...signatures, message: 'Initial commit\n' })
  const commit = newCommitObject(row.object_format, content, code.git.signer)
  return { commit: commit.id, objects: [...contents, ...objects, commit] }
}
