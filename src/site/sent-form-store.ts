import { firstRow, onlyRow, rowCount } from '../db/rows.ts'
import type { Sql, Tx } from '../db/sql.ts'

/** The page to which the answer to a form redirects: its path and query. */
export interface FormOutcome {
  page: string
  query: Readonly<Record<string, string | number>>
}

/**
 * Locks a form until the transaction ends, after any other transaction that has locked it; returns its outcome if it was
 * processed before.
 */
export async function lockForm(tx: Tx, digest: Buffer): Promise<FormOutcome | undefined> {
  const { outcome } = await onlyRow(tx<[{ outcome: FormOutcome | null }]>`
    insert into site.sent_form as stored (digest, sent_at)
    values (${digest}, ${tx.now})
    on conflict (digest) do update set digest = stored.digest
    returning outcome`)
  return outcome ?? undefined
}

/**
 * Marks a form as running, unless it was processed before (its outcome), or another request has marked it after `since`
 * ("running").
 */
export async function markForm(
  tx: Tx,
  digest: Buffer,
  since: Date,
): Promise<FormOutcome | 'marked' | 'running'> {
  await tx`
    delete from site.sent_form
    where digest = ${digest} and outcome is null and sent_at <= ${since}`
  const marked = await rowCount(tx`
    insert into site.sent_form (digest, sent_at)
    values (${digest}, ${tx.now})
    on conflict (digest) do nothing`)
  if (marked === 1) return 'marked'
  const row = await firstRow(tx<{ outcome: FormOutcome | null }[]>`
    select outcome
    from site.sent_form
    where digest = ${digest}`)
  return row?.outcome ?? 'running'
}

/** Removes the mark of a form without an outcome. */
export async function unmarkForm(sql: Sql, digest: Buffer): Promise<void> {
  await sql`
    delete from site.sent_form
    where digest = ${digest} and outcome is null`
}

/** Stores the outcome of a form that was locked or marked. */
export async function storeFormOutcome(sql: Sql, digest: Buffer, outcome: FormOutcome): Promise<void> {
  await sql`
    update site.sent_form
    set outcome = ${JSON.stringify(outcome)}::text::json
    where digest = ${digest}`
}

/** Deletes at most `limit` forms that were sent before a moment; returns how many. */
export const deleteFormsBefore = (sql: Sql, before: Date, limit: number) =>
  rowCount(sql`
    delete from site.sent_form
    where digest in (
      select digest
      from site.sent_form
      where sent_at <= ${before}
      order by sent_at
      limit ${limit}
    )`)
