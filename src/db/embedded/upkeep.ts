/** How often the need is looked at, in milliseconds. */
const INTERVAL = 15_000

/** Bytes of write-ahead log after which a checkpoint is due: about a second of replay after a crash. */
const CHECKPOINT_AFTER = 64 * 1024 * 1024

/**
 * What PostgreSQL's background processes would do. In single-user mode nothing checkpoints before the server stops, so
 * the log would grow without bound and a start after a crash would replay all of it; nothing vacuums or analyzes either.
 *
 * It hands out statements and takes their rows; the session runs them between clients' statements, never inside a
 * transaction, and serves a client after each, so that a large table's vacuum is the longest anybody waits.
 */
export class Upkeep {
  #steps: Steps | undefined
  #statement: string | undefined
  readonly #now: () => number
  #evaluateTrigger: number

  /** `now` gives the time in milliseconds. */
  constructor(now: () => number) {
    this.#now = now
    this.#evaluateTrigger = now() + INTERVAL
  }

  /** Milliseconds until something may be due, 0 when it is. */
  get patience(): number {
    return this.#statement === undefined ? Math.max(this.#evaluateTrigger - this.#now(), 0) : 0
  }

  /** The statement to run now, if any. Once it has run, `finished` must be called. */
  due(): string | undefined {
    if (this.#statement === undefined && this.patience === 0) {
      this.#evaluateTrigger = this.#now() + INTERVAL
      this.#steps = steps()
      this.finished([])
    }
    return this.#statement
  }

  /** Takes the rows of the statement that has run (none if it failed: it will be due again). */
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
 * Autovacuum's own arithmetic with its default thresholds
 * (https://www.postgresql.org/docs/18/routine-vacuuming.html#AUTOVACUUM), the system's tables included.
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
