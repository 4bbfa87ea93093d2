import type * as v from 'valibot'
import type { Tx } from '../../db/sql.ts'
import { mapConstraints } from '../../http/database-errors.ts'
import { conflict, found, unprocessable } from '../../http/route/problem.ts'
import { record } from '../audit/audit-trail.ts'
import type { RefRequest } from '../push/change-refs.ts'
import type { SignedInOnRepository } from '../repos/access.ts'
import { commitOfTag, openToWrite } from '../repos/code.ts'
import {
  deleteRelease,
  insertRelease,
  lockRelease,
  releaseByTag,
  type StoredRelease,
  updateRelease,
} from '../repos/release-store.ts'
import { lockRepository, type Repository } from '../repos/repo-store.ts'
import type { ForgeContext } from '../route.ts'
import { emitReleaseEvent } from './events.ts'
import type { CreateReleaseOption, EditReleaseOption } from './release.option.ts'
import { printRelease, type Release } from './release.shape.ts'
import { ensureTag, type ReleaseTag } from './release-tag.ts'

/**
 * Changes of releases. The server makes the tag before the row: a crash leaves a tag without a release, for which the
 * client can create the release again.
 */

type Context = ForgeContext<SignedInOnRepository>
/** A request that may make a tag. */
type TagContext = ForgeContext<SignedInOnRepository, Pick<RefRequest, 'authorizeAgain'>>

/** The sentence of the original, which clients know (409). */
const TAKEN = 'Release is has no Tag'
const NAME_MAX = 255

/** @throws Problem 403 by a rule, 404 no such target, 409 the tag has a release, 422 empty repository, 423, 503 */
export async function createRelease(
  context: TagContext,
  draft: v.InferOutput<typeof CreateReleaseOption>,
): Promise<Release> {
  const { caller, begin, sql } = context
  const code = await openToWrite(context)
  if (code.row.is_empty) throw unprocessable('repo is empty')
  if (await releaseByTag(sql, caller.repo.id, draft.tag_name)) throw conflict(TAKEN)
  const { target_commitish: target = '', tag_message: message = '' } = draft
  const tag = draft.draft
    ? undefined
    : await ensureTag(context, code, { name: draft.tag_name, target, message })
  const isOnOldTag = tag ? !tag.isNew : (await commitOfTag(code, draft.tag_name)) !== undefined
  const creating = begin(async (tx) => {
    const row = found(await lockRepository(tx, caller.repo.id))
    const stored = await insertRelease(tx, {
      repository_id: row.id,
      tag_name: draft.tag_name,
      target: target || (isOnOldTag ? '' : row.default_branch),
      name: cut(draft.name ?? ''),
      body: draft.body,
      is_draft: draft.draft,
      is_prerelease: draft.prerelease,
      author_id: caller.me.id,
      created_at: tag?.at ?? tx.now,
    })
    return publish(tx, context, { row, stored, tag, action: 'published', change: 'created' })
  })
  return mapConstraints(creating, { release_tag_unique: [409, TAKEN] })
}

/** Absent and empty texts keep their values. @throws Problem 403 by a rule, 404, 409 the tag has another release, 422, 423, 503 */
export async function editRelease(
  context: TagContext,
  before: StoredRelease,
  edit: v.InferOutput<typeof EditReleaseOption>,
): Promise<Release> {
  const { caller, begin, sql } = context
  const code = await openToWrite(context)
  const name = edit.tag_name || before.tag_name
  const other = await releaseByTag(sql, caller.repo.id, name)
  if (other && other.id !== before.id) throw conflict(TAKEN)
  const target = edit.target_commitish || before.target
  const isDraft = edit.draft ?? before.is_draft
  const tag = isDraft ? undefined : await ensureTag(context, code, { name, target, message: '' })
  const editing = begin(async (tx) => {
    const row = found(await lockRepository(tx, caller.repo.id))
    const now = found(await lockRelease(tx, row.id, before.id))
    const isPublished = now.is_draft && !isDraft
    const stored = await updateRelease(tx, now.id, {
      tag_name: name,
      target,
      name: cut(edit.name || now.name),
      body: notesAfter(edit.body, now.body),
      is_draft: isDraft,
      is_prerelease: edit.prerelease ?? now.is_prerelease,
      created_at: tag?.isNew || isPublished ? tx.now : undefined,
    })
    const action = isPublished || tag?.isNew ? 'published' : 'updated'
    return publish(tx, context, { row, stored: found(stored), tag, action, change: 'edited' })
  })
  return mapConstraints(editing, { release_tag_unique: [409, TAKEN] })
}

/** Clients of the original send an empty text where they change nothing, so that white space alone empties the notes. */
function notesAfter(sent: string | undefined, before: string): string {
  if (sent === undefined || sent === '') return before
  return sent.trim() === '' ? '' : sent
}

/** Deletes a release with its files; its tag stays. @throws Problem 404 */
export async function removeRelease(context: Context, { id }: StoredRelease): Promise<void> {
  const { caller, begin } = context
  await begin(async (tx) => {
    const row = found(await lockRepository(tx, caller.repo.id))
    const stored = found(await lockRelease(tx, row.id, id))
    await publish(tx, context, { row, stored, tag: undefined, action: 'deleted', change: 'deleted' })
    await deleteRelease(tx, id)
  })
}

/** Emits the event of a change, records it, and returns the release as the caller sees it. */
async function publish(
  tx: Tx,
  context: Context,
  {
    row,
    stored,
    tag,
    action,
    change,
  }: {
    row: Repository
    stored: StoredRelease
    tag: ReleaseTag | undefined
    action: 'published' | 'updated' | 'deleted'
    change: 'created' | 'edited' | 'deleted'
  },
): Promise<Release> {
  const { caller, from } = context
  const view = { host: from.host, path: `${caller.subject.name}/${row.name}` }
  const release = await printRelease(tx, stored, { ...view, viewer: undefined })
  await emitReleaseEvent(tx, context, { row, release, action, commit: tag?.commit ?? null })
  const target = { kind: 'release', id: stored.id, name: `${view.path}/${stored.tag_name}` }
  await record(tx, context, { action: `release.${change}`, target })
  return printRelease(tx, stored, { ...view, viewer: caller.me })
}

const cut = (name: string) => [...name].slice(0, NAME_MAX).join('')
