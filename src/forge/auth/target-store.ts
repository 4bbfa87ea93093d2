import type { Tx } from '../../db/sql.ts'

/** Locks the row of an account until the transaction ends; nothing happens if it is gone. */
export async function lockAccountRow(tx: Tx, id: number): Promise<void> {
  await tx`select id from forge.account where id = ${id} for no key update`
}

/** The same for a repository. */
export async function lockRepositoryRow(tx: Tx, id: number): Promise<void> {
  await tx`select id from forge.repository where id = ${id} and state = 'ready' for no key update`
}
