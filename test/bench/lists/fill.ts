import { beginOn } from '../../../src/db/begin.ts'
import { createSecrets } from '../../../src/db/encryption/secrets.ts'
import type { Pool, Transaction } from '../../../src/db/sql.ts'
import { insertHook } from '../../../src/forge/webhooks/hook-store.ts'
import { hookDraft } from '../../support/forge/hooks.ts'
import { onDatabase, type Place } from '../support/fill.ts'
import { insertCaller, withoutSearchIndexes } from '../support/users.ts'
import { peopleAndCode } from './people.ts'
import { settle, trackers } from './trackers.ts'

/** Tokens of an administrator and of a member who owns, watches and is assigned to much. */
export interface Readers {
  administrator: string
  member: string
}

/** The server needs it to read the addresses of the webhooks. */
export const secretKey = 'the key of a bench that is long enough'

/** Row by row these would be most of the time; the totals that they keep are filled in at the end. */
const counted = [
  'issue',
  'issue_comment',
  'repository',
  'repository_star',
  'repository_watch',
  'action_run',
  'action_job',
]

/**
 * Fills a database with so many issues, a tenth of them in one repository, as many jobs, and a tenth as many accounts,
 * repositories, packages, threads, deliveries, audit entries and presence sessions.
 */
export const fillLists = (place: Place, rows: number): Promise<Readers> =>
  onDatabase(place, async (pool) => {
    const administrator = await insertCaller(pool, 'bench', true)
    const member = await insertCaller(pool, 'member', false)
    await insertHooks(pool, 500)
    await withoutSearchIndexes(pool, () => insertRows(pool, rows))
    // A PostgreSQL server does this by itself after a while.
    await pool`vacuum analyze`
    return { administrator, member }
  })

/** Inserts system webhooks one by one, because each address is encrypted for its row. */
const insertHooks = (pool: Pool, count: number) =>
  beginOn(
    pool,
    () => new Date(),
  )(async (tx) => {
    const secrets = createSecrets([secretKey])
    for (let n = 1; n <= count; n++) await insertHook(tx, secrets, hookDraft(`https://example.com/${n}`))
  })

const insertRows = (pool: Pool, rows: number) =>
  pool.begin(async (tx) => {
    await tx`set local statement_timeout = 0`
    await setTriggers(tx, 'disable')
    for (const statement of [...peopleAndCode(rows / 10), ...trackers(rows), ...settle])
      await tx.unsafe(statement)
    await setTriggers(tx, 'enable')
  })

async function setTriggers(tx: Transaction, how: 'enable' | 'disable'): Promise<void> {
  for (const table of counted) await tx.unsafe(`alter table forge.${table} ${how} trigger user`)
}
