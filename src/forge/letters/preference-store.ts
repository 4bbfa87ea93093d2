import { firstRow } from '../../db/rows.ts'
import type { Sql, Tx } from '../../db/sql.ts'

/** Of which notifications somebody wants mails: of all, where mentioned, of none, or of all and of one's own acts. */
export const PREFERENCES = ['enabled', 'onmention', 'disabled', 'andyourown'] as const
type Preference = (typeof PREFERENCES)[number]

/** What an account has chosen; `enabled` if nothing. */
export async function mailPreference(sql: Sql, account: number): Promise<Preference> {
  const row = await firstRow(sql<{ preference: Preference }[]>`
    select preference
    from forge.mail_preference
    where account_id = ${account}`)
  return row?.preference ?? 'enabled'
}

/** Stores what an account has chosen. */
export async function upsertMailPreference(tx: Tx, account: number, preference: Preference): Promise<void> {
  await tx`
    insert into forge.mail_preference (account_id, preference)
    values (${account}, ${preference})
    on conflict on constraint mail_preference_pkey do update set preference = excluded.preference`
}
