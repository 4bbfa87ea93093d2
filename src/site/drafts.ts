import type { CronTask } from '../background/cron/cron-task.ts'
import type { Tx } from '../db/sql.ts'
import { conflict, found } from '../http/route/problem.ts'
import { type ChangeContext, makeChange, type RecordChange, readable } from './change.ts'
import {
  type DraftText,
  deleteDraft,
  draftById,
  insertDraft,
  type StoredDraft,
  takeDueDrafts,
  updateDraft,
} from './draft-store.ts'
import type { NewsPost } from './news.shape.ts'
import { insertPost } from './news-store.ts'

/** The draft that is changed, as its editor has seen it. */
interface SeenDraft {
  id: number
  version: number
}

const target = ({ id, title }: Pick<StoredDraft, 'id' | 'title'>) => ({ kind: 'draft', id, name: title })

/**
 * Keeps what is written of a post, as a new draft or in place of a former text.
 * @throws Problem 404 it is not there, 409 it has another version
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
      return saved ?? refuseDraft(sql, former.id)
    },
    (saved) => ({
      action: saved.publish_at === null ? 'draft.saved' : 'draft.scheduled',
      target: target(saved),
      ...(saved.publish_at !== null && { details: { publish_at: saved.publish_at } }),
    }),
  )

/** Publishes a draft now. @throws Problem 404 it is not there, 409 it has another version */
export const publishDraft = (
  context: ChangeContext,
  { title, content, format }: Omit<DraftText, 'publish_at'>,
  former: SeenDraft,
): Promise<NewsPost> =>
  makeChange(
    context,
    async (sql, at) => {
      if (!(await deleteDraft(sql, former.id, former.version))) await refuseDraft(sql, former.id)
      return insertPost(sql, { title, content, format, at })
    },
    ({ id, title: name }) => ({ action: 'news.published', target: { kind: 'news', id, name } }),
  )

/** @throws Problem 404 */
export async function discardDraft(context: ChangeContext, draft: number): Promise<void> {
  await makeChange(
    context,
    async (sql) => found(await deleteDraft(sql, draft)),
    (discarded) => ({ action: 'draft.discarded', target: target(discarded) }),
  )
}

/** @throws Problem 404, 409 */
async function refuseDraft(sql: ChangeContext['sql'], draft: number): Promise<never> {
  found(await draftById(sql, draft))
  throw conflict('the draft has been changed meanwhile')
}

/** Drafts published in one transaction. */
const together = 100

/**
 * Publishes what is scheduled: a draft leaves its table in the transaction that adds the post, so it is published once,
 * whatever ends between.
 */
export const publishScheduled = (record: RecordChange): CronTask => ({
  name: 'publish_scheduled',
  schedule: '@every 15s',
  runAtStart: true,
  run: async ({ begin, signal }) => {
    let count = 0
    for (let published = together; published === together; count += published) {
      signal.throwIfAborted()
      published = await begin((tx) => publishDue(tx, record))
    }
    return count > 0 ? `${count} published` : undefined
  },
})

async function publishDue(tx: Tx, record: RecordChange): Promise<number> {
  const due = await takeDueDrafts(tx, tx.now, together)
  for (const { title, content, format } of due) {
    const { id } = await insertPost(tx, { title, content, format, at: tx.now })
    await record(tx, readable({ action: 'news.published', target: { kind: 'news', id, name: title } }))
  }
  return due.length
}
