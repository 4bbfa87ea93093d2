/** Interval between checks, in milliseconds. */
const INTERVAL = 15_000

/** Bytes of write-ahead log after which a checkpoint is due: about a second of replay after a crash. */
const CHECKPOINT_AFTER = 64 * 1024 * 1024

/**
 * The work of PostgreSQL's background processes. In single-user mode there are no checkpoints before the server stops,
 * so the log would grow without bound and be replayed completely after a crash; nor is there vacuum or analyze.
 *
 * It provides statements and receives their rows; the session runs them between clients' statements, never inside a
 * transaction, and serves a client after each of them, so that no client waits longer than for the vacuum of one table.
 */
export class Maintenance {
  #steps: Steps | undefined
  #statement: string | undefined
  readonly #now: () => number
  #nextCheck: number

  /** `now` returns the time in milliseconds. */
  constructor(now: () => number) {
    this.#now = now
    this.#nextCheck = now() + INTERVAL
  }

  /** Milliseconds until something may be due, 0 if it is. */
  get timeout(): number {
    return this.#statement === undefined ? Math.max(this.#nextCheck - this.#now(), 0) : 0
  }

  /** The statement to run now, if any. The caller must call `finished` after it. */
  due(): string | undefined {
    if (this.#statement === undefined && this.timeout === 0) {
      this.#nextCheck = this.#now() + INTERVAL
      this.#steps = steps()
      this.finished([])
    }
    return this.#statement
  }

  /** Receives the rows of the statement (none if it failed: it will be due again). */
  finished(rows: string[][]): void {
    const next = this.#steps?.next(rows)
    this.#statement = next && !next.done ? next.value : undefined
  }
}

type Steps = Generator<string, void, string[][]>

function* steps(): Steps {
  const [wal] = yield `
    select pg_current_wal_insert_lsn() - redo_lsn
    from pg_control_checkpoint()`
  if (Number(wal?.[0]) > CHECKPOINT_AFTER) yield 'checkpoint'
  for (const [statement] of yield DUE_TABLES) if (statement) yield statement
}

/**
 * Autovacuum's own formulas with its default thresholds
 * (https://www.postgresql.org/docs/18/routine-vacuuming.html#AUTOVACUUM), including the system tables.
 */
const DUE_TABLES = `
  with stat as (
    select c.oid::regclass as name,
      greatest(c.reltuples, 0) as size,
      s.n_dead_tup as dead,
      s.n_ins_since_vacuum as inserted,
      s.n_mod_since_analyze as changed,
      age(c.relfrozenxid) as age
    from pg_stat_all_tables s
    join pg_class c on c.oid = s.relid
    where c.relkind in ('r', 'm') and c.relpersistence <> 't'
  )
  select case
    when age > 200000000 then format('vacuum (freeze, analyze) %s', name)
    when dead > 50 + 0.2 * size or inserted > 1000 + 0.2 * size then format('vacuum (analyze) %s', name)
    else format('analyze %s', name)
  end
  from stat
  where age > 200000000
    or dead > 50 + 0.2 * size
    or inserted > 1000 + 0.2 * size
    or changed > 50 + 0.1 * size`
