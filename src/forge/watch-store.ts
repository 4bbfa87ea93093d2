import type { Tx } from '../db/sql.ts'

/** From now on an account hears of everything in a repository; nothing changes for one that does already. */
export async function insertWatch(tx: Tx, repository: number, account: number): Promise<void> {
  await tx`
    insert into forge.repository_watch (repository_id, account_id, created_at)
    values (${repository}, ${account}, ${tx.now})
    on conflict on constraint repository_watch_pkey do nothing`
}
