import { onlyRow } from '../db/rows.ts'
import type { Sql, Tx } from '../db/sql.ts'

/** Where a form led: the path of a page, and what its query says. */
export interface FormOutcome {
  page: string
  query: Readonly<Record<string, string | number>>
}

/**
 * Takes a form until the end of the transaction, after any other transaction that has it; gives where it led if it was
 * done before.
 */
export async function takeForm(tx: Tx, digest: Buffer): Promise<FormOutcome | undefined> {
  const { outcome } = await onlyRow(tx<[{ outcome: FormOutcome | null }]>`
    insert into site.sent_form as known (digest, sent_at)
    values (${digest}, ${tx.now})
    on conflict (digest) do update set digest = known.digest
    returning outcome`)
  return outcome ?? undefined
}

/** Notes where a form led that this transaction has taken. */
export async function storeFormOutcome(tx: Tx, digest: Buffer, outcome: FormOutcome): Promise<void> {
  await tx`
    update site.sent_form
    set outcome = ${JSON.stringify(outcome)}::text::json
    where digest = ${digest}`
}

/** Removes up to `count` of the forms that were sent before a time; returns how many there were. */
export async function deleteFormsBefore(sql: Sql, before: Date, count: number): Promise<number> {
  const removed = await sql`
    delete from site.sent_form
    where digest in (
      select digest
      from site.sent_form
      where sent_at <= ${before}
      order by sent_at
      limit ${count})
    returning digest`
  return removed.length
}
