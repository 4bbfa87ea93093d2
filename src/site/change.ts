import type { Begin, Sql, Tx } from '../db/sql.ts'
import { conflict, found } from '../http/route/problem.ts'

/** A change for the audit trail: `noun.verb` in the past tense, and the changed row. */
export interface SiteChange {
  action: `${string}.${string}`
  target: { kind: string; id?: number; name: string }
  details?: Readonly<Record<string, unknown>>
}

/** Records a change in the transaction that makes it. */
export type RecordChange = (tx: Tx, change: SiteChange) => Promise<void>

/** The part of a request that a change uses. */
export interface ChangeContext {
  /** Absent: everybody may publish, and what they add names nobody; it is not recorded. */
  caller: RecordChange | undefined
  sql: Sql
  begin: Begin
  now: Date
}

/** Makes a change, and records it in the same transaction if the caller is known. */
export function makeChange<Result>(
  { caller: record, sql, begin, now }: ChangeContext,
  work: (sql: Sql, now: Date) => Promise<Result>,
  changeOf: (result: Result) => SiteChange,
): Promise<Result> {
  if (!record) return work(sql, now)
  return begin(async (tx) => {
    const result = await work(tx, tx.now)
    await recordShort(record, tx, changeOf(result))
    return result
  })
}

/** Records a change with a short name: titles may be as long as a request, and the record is indexed by names. */
export const recordShort = (record: RecordChange, tx: Tx, { target, ...change }: SiteChange) =>
  record(tx, { ...change, target: { ...target, name: shortName(target.name) } })

const maxRecordedLength = 200

/** Cuts between characters. */
const shortName = (text: string) =>
  [...text.slice(0, 2 * maxRecordedLength)].slice(0, maxRecordedLength).join('')

/** The target of a change of a row with a title. */
export const targetOf = (kind: string, { id, title }: { id: number; title: string }) => ({
  kind,
  id,
  name: title,
})

/**
 * Tells why no row has the version that the caller has seen. `stored`: the row with any version.
 * @throws Problem 404 there is no row, 409 it has another version
 */
export async function refuseVersion(noun: string, stored: Promise<object | undefined>): Promise<never> {
  found(await stored)
  throw conflict(`the ${noun} has been changed meanwhile`)
}
