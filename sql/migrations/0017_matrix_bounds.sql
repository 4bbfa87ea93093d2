-- The jobs that a matrix makes are bound to each other: by `fail-fast`, and by `max-parallel`. Both are said when the run
-- is planned; jobs of runs that were planned before stay as free as they were.

-- Whether the failure of another job of the same key, in the same attempt, ends this one.
alter table forge.action_job add column fails_fast boolean not null default false;

-- How many jobs of the same key may be under way at a time; null: all of them.
alter table forge.action_job add column max_parallel integer
  constraint action_job_max_parallel_positive check (max_parallel > 0);
