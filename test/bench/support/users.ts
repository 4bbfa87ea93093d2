import { beginOn } from '../../../src/db/begin.ts'
import type { Pool } from '../../../src/db/sql.ts'
import { parseAddress } from '../../../src/forge/accounts/email-address.ts'
import { EVERY_SCOPE } from '../../../src/forge/auth/scopes.ts'
import { newToken } from '../../../src/forge/auth/token.ts'
import { insertToken } from '../../../src/forge/auth/token-store.ts'
import { insertPerson } from '../../../src/forge/users/user-store.ts'
import { onDatabase, type Place } from './fill.ts'

/** Fills a database with so many people; gives the token of an administrator. */
export async function fillUsers(place: Place, people: number): Promise<string> {
  return onDatabase(place, async (pool) => {
    await withoutSearchIndexes(pool, () => insertPeople(pool, people))
    const token = await insertAdministrator(pool)
    // A PostgreSQL server does this by itself after a while.
    for (const table of ['account', 'email_address', 'account_tally']) {
      await pool.unsafe(`vacuum analyze forge.${table}`)
    }
    return token
  })
}

/** Row by row these indexes would be most of the time; they are made anew from all rows at once. */
export async function withoutSearchIndexes(pool: Pool, work: () => Promise<void>): Promise<void> {
  const indexes = await pool<{ name: string; definition: string }[]>`
    select indexname as name, indexdef as definition
    from pg_indexes
    where schemaname = 'forge' and indexdef like '% USING gin %'`
  for (const { name } of indexes) await pool.unsafe(`drop index forge.${name}`)
  await work()
  await pool.begin(async (tx) => {
    await tx`set local statement_timeout = 0`
    await tx`set local maintenance_work_mem = '256MB'`
    for (const { definition } of indexes) await tx.unsafe(definition)
  })
}

const first = `array['ada', 'grace', 'linus', 'barbara', 'dennis', 'ken', 'margaret', 'edsger', 'donald', 'alan',
  'frances', 'john', 'radia', 'tim', 'guido', 'bjarne']`
const last = `array['lovelace', 'hopper', 'torvalds', 'liskov', 'ritchie', 'thompson', 'hamilton', 'dijkstra', 'knuth',
  'turing', 'allen', 'mccarthy', 'perlman', 'lee', 'rossum', 'stroustrup', 'smith']`

/** Names and addresses repeat as those of people do; moments are in no order. */
async function insertPeople(pool: Pool, people: number): Promise<void> {
  await pool.begin(async (tx) => {
    await tx`set local statement_timeout = 0`
    await tx.unsafe(`
      insert into forge.account
        (kind, name, full_name, email, visibility, is_active, is_admin, is_restricted, prohibit_login, created_at,
         updated_at)
      select 'person', first || n, initcap(first) || ' ' || initcap(last),
        first || n || '@' || (array['example.com', 'mail.example.org', 'example.net'])[1 + n % 3],
        case when n % 50 = 0 then 'private' when n % 20 = 0 then 'limited' else 'public' end,
        n % 37 <> 0, n % 100000 = 0, n % 41 = 0, n % 997 = 0,
        timestamptz '2020-01-01' + n * 7919 % 1000003 * interval '1 minute',
        timestamptz '2023-01-01' + n * 104729 % 1000003 * interval '1 minute'
      from (
        select n, (${first})[1 + n % 16] as first, (${last})[1 + n % 17] as last
        from generate_series(1, ${people}::bigint) as n
      ) as someone`)
    await tx`
      insert into forge.email_address (account_id, address, key, is_primary, is_activated, created_at)
      select id, email, lower(email), true, true, created_at
      from forge.account
      where kind = 'person'`
  })
}

/** An administrator who is called `bench`; gives the token. */
export const insertAdministrator = (pool: Pool): Promise<string> => insertCaller(pool, 'bench', true)

/** Somebody whose token has every scope; gives the token. */
export async function insertCaller(pool: Pool, name: string, isAdmin: boolean): Promise<string> {
  const email = parseAddress(`${name}@example.com`)
  if (!email.ok) throw new Error(`${name} cannot have an address`)
  const token = newToken()
  await beginOn(
    pool,
    () => new Date(),
  )(async (tx) => {
    const { id } = await insertPerson(tx, { name, email: email.value, is_admin: isAdmin })
    await insertToken(tx, id, { name, scopes: EVERY_SCOPE, token })
  })
  return token
}
