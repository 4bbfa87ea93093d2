import type { Sql } from '../db/sql.ts'
import { found } from '../http/route/problem.ts'
import { type ChangeContext, makeChange, targetOf } from './change.ts'
import type { Titled } from './titled-store.ts'
import { deleteRemoved, type EntryKind, moveFromTrash, moveToTrash } from './trash-store.ts'

/** Moves a post or an item to the trash. @throws Problem 404 */
export const removeEntry = (context: ChangeContext, kind: EntryKind, id: number) =>
  changeEntry(context, kind, 'removed', (sql, at) => moveToTrash(sql, kind, id, at))

/** Restores a post or an item from the trash. @throws Problem 404 */
export const restoreEntry = (context: ChangeContext, kind: EntryKind, id: number) =>
  changeEntry(context, kind, 'restored', (sql) => moveFromTrash(sql, kind, id))

/** Deletes a post or an item in the trash permanently. @throws Problem 404 */
export const deleteEntry = (context: ChangeContext, kind: EntryKind, id: number) =>
  changeEntry(context, kind, 'deleted', (sql) => deleteRemoved(sql, kind, id))

async function changeEntry(
  context: ChangeContext,
  kind: EntryKind,
  verb: string,
  work: (sql: Sql, at: Date) => Promise<Titled | undefined>,
): Promise<void> {
  await makeChange(
    context,
    async (sql, at) => found(await work(sql, at)),
    (entry) => ({ action: `${kind}.${verb}`, target: targetOf(kind, entry) }),
  )
}
