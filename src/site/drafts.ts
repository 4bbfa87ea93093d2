import { type CronTask, removeAll } from '../background/cron/cron-task.ts'
import type { Tx } from '../db/sql.ts'
import { found } from '../http/route/problem.ts'
import {
  type ChangeContext,
  makeChange,
  type RecordChange,
  recordShort,
  refuseVersion,
  targetOf,
} from './change.ts'
import {
  type DraftText,
  deleteDraft,
  draftById,
  insertDraft,
  type StoredDraft,
  takeDueDrafts,
  updateDraft,
} from './draft-store.ts'
import { insertPost } from './news-store.ts'
import type { NewsPost } from './site.shape.ts'

/** A draft in the version that its editor has seen. */
interface SeenDraft {
  id: number
  version: number
}

/**
 * Stores a new draft, or a new text of a former one.
 * @throws Problem 404 there is no such draft, 409 it has another version
 */
export const saveDraft = (
  context: ChangeContext,
  text: DraftText,
  former: SeenDraft | undefined,
): Promise<StoredDraft> =>
  makeChange(
    context,
    async (sql, at) => {
      if (!former) return insertDraft(sql, text, at)
      const saved = await updateDraft(sql, former.id, { ...text, version: former.version }, at)
      return saved ?? refuseVersion('draft', draftById(sql, former.id))
    },
    (saved) => ({
      action: saved.publish_at === null ? 'draft.saved' : 'draft.scheduled',
      target: targetOf('draft', saved),
      ...(saved.publish_at !== null && { details: { publish_at: saved.publish_at } }),
    }),
  )

/** Publishes a draft now. @throws Problem 404 there is no such draft, 409 it has another version */
export const publishDraft = (
  context: ChangeContext,
  { title, content, format }: Omit<DraftText, 'publish_at'>,
  former: SeenDraft,
): Promise<NewsPost> =>
  makeChange(
    context,
    async (sql, at) => {
      if (!(await deleteDraft(sql, former.id, former.version)))
        await refuseVersion('draft', draftById(sql, former.id))
      return insertPost(sql, { title, content, format, at })
    },
    (post) => ({ action: 'news.published', target: targetOf('news', post) }),
  )

/** @throws Problem 404 */
export async function discardDraft(context: ChangeContext, draft: number): Promise<void> {
  await makeChange(
    context,
    async (sql) => found(await deleteDraft(sql, draft)),
    (discarded) => ({ action: 'draft.discarded', target: targetOf('draft', discarded) }),
  )
}

/** Maximum drafts published in one transaction. */
const batchSize = 100

/**
 * Publishes scheduled drafts. The transaction that adds the post deletes the draft, so each is published once, also if
 * the process ends in between.
 */
export const publishScheduled = (record: RecordChange): CronTask => ({
  name: 'publish_scheduled',
  summary: 'Publishes the posts whose time has come.',
  schedule: '@every 15s',
  runAtStart: true,
  run: async ({ begin, signal }) => {
    const count = await removeAll(
      { signal },
      (limit) => begin((tx) => publishDue(tx, record, limit)),
      batchSize,
    )
    return count > 0 ? `${count} published` : undefined
  },
})

async function publishDue(tx: Tx, record: RecordChange, limit: number): Promise<number> {
  const due = await takeDueDrafts(tx, tx.now, limit)
  for (const { title, content, format } of due) {
    const post = await insertPost(tx, { title, content, format, at: tx.now })
    await recordShort(record, tx, { action: 'news.published', target: targetOf('news', post) })
  }
  return due.length
}
