import { openDatabase } from '../../../src/db/database.ts'
import { migrate } from '../../../src/db/migrate/migrate.ts'
import { migrations } from '../../../src/db/migrate/migrations.ts'
import type { Pool } from '../../../src/db/sql.ts'

/** Where a database is: an address, or the folder of an embedded one. */
export type Place = { url: string } | { dataDir: string }

/** How many rows of each kind. */
export interface Amounts {
  posts: number
  media: number
  activity: number
  visitors: number
  sessions: number
  /** Of the sessions: those that were never ended. */
  open: number
}

/** A site of a thousand rows of each kind, which most benches ask. */
export const thousandEach: Amounts = {
  posts: 1000,
  media: 1000,
  activity: 1000,
  visitors: 1000,
  sessions: 1000,
  open: 100,
}

/** A thousand posts, for benches that ask for little else of the site. */
export const thousandPosts: Amounts = {
  posts: 1000,
  media: 1,
  activity: 1,
  visitors: 1,
  sessions: 1,
  open: 1,
}

/** A text of the length of a short news post; twenty of them make a page of about 6.5 kB. */
export const newsText =
  'The workshop is open again, and what was forged last week can be seen there. '.repeat(3)

/** Opens a database that no server has open, migrates it, works on it, and closes it. */
export async function onDatabase<Result>(
  place: Place,
  work: (pool: Pool) => Promise<Result>,
): Promise<Result> {
  const where = 'url' in place ? { url: place.url, dataDir: '' } : { url: undefined, dataDir: place.dataDir }
  const database = await openDatabase({ ...where, poolSize: 2 })
  try {
    // Filling may take longer than any statement of a request.
    return await database.withoutTimeout(async (pool) => {
      await migrate(pool, migrations)
      return await work(pool)
    })
  } finally {
    await database.close(5)
  }
}

/** Writes rows into the tables of a database by SQL: a second apart, the newest an hour ago. */
export async function fill(place: Place, amounts: Amounts): Promise<void> {
  await onDatabase(place, async (pool) => {
    await pool.begin(async (tx) => {
      await tx`set local statement_timeout = 0`
      for (const statement of statements(amounts)) await tx.unsafe(statement)
    })
    // A PostgreSQL server does this by itself after a while; the embedded one is measured as it is.
    if ('url' in place) await pool`analyze`
  })
}

const moment = (count: number) => `timestamptz '2026-01-31 08:00:00Z' - make_interval(secs => ${count} - n)`

function statements({ posts, media, activity, visitors, sessions, open }: Amounts): string[] {
  const every = Math.max(1, Math.floor(sessions / open))
  return [
    `insert into site.news_post (title, content, created_at)
     select 'News of the day, number ' || n, '${newsText}', ${moment(posts)}
     from generate_series(1, ${posts}) as n`,
    `insert into site.media_item (title, media_type, url, created_at)
     select 'A picture of the workshop, number ' || n, 'image', 'https://media.example.org/workshop/' || n || '.jpg',
       ${moment(media)}
     from generate_series(1, ${media}) as n`,
    `insert into site.activity_entry (description, created_at)
     select 'Build ' || n || ' passed', ${moment(activity)}
     from generate_series(1, ${activity}) as n`,
    `insert into site.visitor (username, joined_at, last_seen_at)
     select 'visitor-' || n, ${moment(visitors)}, ${moment(visitors)}
     from generate_series(1, ${visitors}) as n`,
    `insert into site.session (visitor_id, started_at, ended_at)
     select 1 + n % ${visitors}, ${moment(sessions)},
       case when n % ${every} = 0 then null else ${moment(sessions)} + interval '1 hour' end
     from generate_series(1, ${sessions}) as n`,
    `insert into site.statistic (key, value)
     values ('version', '1.4.0'), ('build_number', '1042'), ('build_pipeline', 'passing')`,
  ]
}
