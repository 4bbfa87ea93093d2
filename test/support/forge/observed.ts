import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Pool } from '../../../src/db/sql.ts'
import { temporaryFolder } from '../folder.ts'

/** What a request has changed: values by the path at which they are. */
export type Observation = ReadonlyMap<string, string>

interface Change {
  place: string
  old: Record<string, unknown> | null
  new: Record<string, unknown> | null
}

/**
 * Observes requests that all find the same state: after each one, the rows, sequences and git files are put back. Nothing
 * else may write meanwhile.
 */
export async function observer(pool: Pool, repositories: string) {
  const tables = await pool<{ name: string; columns: string }[]>`
    select format('%I.%I', table_schema, table_name) as name, string_agg(format('%I', column_name), ', ') as columns
    from information_schema.columns
    join information_schema.tables using (table_schema, table_name)
    where table_schema in ('site', 'forge', 'forgehall') and table_type = 'BASE TABLE' and is_generated = 'NEVER'
    group by table_schema, table_name`
  const columns = new Map(tables.map((each) => [each.name, each.columns]))
  await pool.unsafe(recording(tables.map(({ name }) => name)))
  const sequences = await pool<{ name: string; last: number | null }[]>`
    select format('%I.%I', schemaname, sequencename) as name, last_value as last
    from pg_sequences
    where schemaname in ('site', 'forge', 'forgehall')`
  const ends = sequences.map(({ name, last }) => `('${name}', ${last ?? 1}, ${last !== null})`)
  const kept = join(await temporaryFolder(), 'repositories')
  await cp(repositories, kept, { recursive: true })
  const before = await filesIn(repositories)

  const putBack = async (changed: ReadonlySet<string>) => {
    const rows = [...changed].map(
      (name) => `
        delete from ${name};
        insert into ${name} (${columns.get(name)}) overriding system value
        select ${columns.get(name)} from ${copyOf(name)};`,
    )
    await pool.unsafe(`
      begin;
      set local session_replication_role = 'replica';
      ${rows.join('\n')}
      delete from watched.change;
      select setval(name::regclass, last, is_used) from (values ${ends.join()}) as ends (name, last, is_used);
      commit;`)
  }
  return {
    /** What a request answers and changes. */
    observe: async (send: () => Promise<Response>): Promise<{ status: number; seen: Observation }> => {
      const response = await send()
      const text = await response.text()
      const seen = new Map<string, string>()
      for (const name of ['location', 'link', 'x-total-count', 'content-disposition'])
        note(seen, `header ${name}`, response.headers.get(name))
      note(
        seen,
        'body',
        text !== '' && response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text,
      )
      const changes = await pool<Change[]>`
        select place, old, new
        from watched.change
        order by id`
      for (const [at, change] of changes.entries()) noteChange(seen, at, change)
      if (changes.length > 0) await putBack(new Set(changes.map(({ place }) => place)))
      const after = await filesIn(repositories)
      for (const [path, content] of after)
        if (before.get(path) !== content) note(seen, `file ${path}`, content)
      for (const path of before.keys()) if (!after.has(path)) note(seen, `file ${path}`, null)
      await restoreFiles({ repositories, kept, before, after })
      return { status: response.status, seen }
    },
  }
}

const copyOf = (name: string) => `watched."${name.replaceAll('"', '')}"`

/** Copies every table, and notes each change of a row. */
const recording = (names: readonly string[]) => `
  create schema watched;
  create table watched.change (id bigint generated always as identity, place text, old jsonb, new jsonb);
  create function watched.note() returns trigger language plpgsql as $$
  begin
    insert into watched.change (place, old, new)
    values (
      format('%I.%I', tg_table_schema, tg_table_name),
      case when tg_op <> 'INSERT' then to_jsonb(old) end,
      case when tg_op <> 'DELETE' then to_jsonb(new) end);
    return null;
  end $$;
  ${names
    .map(
      (name) => `
        create table ${copyOf(name)} as table ${name};
        create trigger zz_watched after insert or update or delete on ${name}
        for each row execute function watched.note();`,
    )
    .join('')}`

/** Only the columns that an update changes. */
function noteChange(seen: Map<string, string>, at: number, { place, old, new: now }: Change): void {
  const columns = new Set([...Object.keys(old ?? {}), ...Object.keys(now ?? {})])
  for (const column of columns) {
    const [from, to] = [old?.[column], now?.[column]]
    if (JSON.stringify(from) !== JSON.stringify(to)) note(seen, `${at} ${place}.${column}`, to ?? 'null')
  }
}

/** Sizes of repositories: objects that nothing refers to stay on the disk. */
const ignored = /(?:^body|repository)\.size$/

function note(seen: Map<string, string>, path: string, value: unknown): void {
  if (ignored.test(path)) return
  if (typeof value === 'object' && value !== null) {
    seen.set(path, Array.isArray(value) ? `${value.length} items` : 'object')
    for (const [name, each] of Object.entries(value)) note(seen, `${path}.${name}`, each)
  } else if (value !== null && value !== undefined) seen.set(path, String(value))
}

/** What of repositories says how they are: names and all files but objects. */
async function filesIn(folder: string, below = ''): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (const entry of await readdir(join(folder, below), { withFileTypes: true })) {
    const path = join(below, entry.name)
    if (entry.isDirectory()) {
      found.set(path, '')
      if (entry.name !== 'objects' && entry.name !== 'hooks')
        for (const [each, content] of await filesIn(folder, path)) found.set(each, content)
    } else found.set(path, await readFile(join(folder, path), 'latin1'))
  }
  return found
}

async function restoreFiles({
  repositories,
  kept,
  before,
  after,
}: {
  repositories: string
  kept: string
  before: ReadonlyMap<string, string>
  after: ReadonlyMap<string, string>
}): Promise<void> {
  for (const path of after.keys())
    if (!before.has(path)) await rm(join(repositories, path), { recursive: true, force: true })
  for (const [path, content] of before) {
    if (after.get(path) === content) continue
    if (content === '') await cp(join(kept, path), join(repositories, path), { recursive: true })
    else await writeFile(join(repositories, path), content, 'latin1')
  }
}
