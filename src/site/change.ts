import type { Begin, Sql, Tx } from '../db/sql.ts'

/** A change: `noun.verb` in the past tense, and the row that was changed. */
export interface SiteChange {
  action: `${string}.${string}`
  target: { kind: string; id?: number; name: string }
  details?: Readonly<Record<string, unknown>>
}

/** Records a change in its own transaction. */
export type RecordChange = (tx: Tx, change: SiteChange) => Promise<void>

/** What a change needs of a request. */
export interface ChangeContext {
  /** Absent: anyone may make such changes, and they are not recorded. */
  caller: RecordChange | undefined
  sql: Sql
  begin: Begin
  now: Date
}

/** Makes a change, and records it in the same transaction where its maker is known. */
export function makeChange<Result>(
  { caller: record, sql, begin, now }: ChangeContext,
  work: (sql: Sql, now: Date) => Promise<Result>,
  changeOf: (result: Result) => SiteChange,
): Promise<Result> {
  if (!record) return work(sql, now)
  return begin(async (tx) => {
    const result = await work(tx, tx.now)
    await record(tx, readable(changeOf(result)))
    return result
  })
}

/** A change as it is recorded: titles may be as long as a request; names in the record are for reading, and indexed. */
export const readable = ({ target, ...change }: SiteChange): SiteChange => ({
  ...change,
  target: { ...target, name: firstOf(target.name) },
})

const longestName = 200

/** The first characters of a text, none of them halved. */
const firstOf = (text: string) => [...text.slice(0, 2 * longestName)].slice(0, longestName).join('')
