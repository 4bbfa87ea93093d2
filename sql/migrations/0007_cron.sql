-- What is known of the tasks with a schedule (background/schedule.ts): one row for each, shared by all processes.

create table forge.cron_task (
  name text collate "C" constraint cron_task_pkey primary key,
  -- The schedule that next_at was worked out from: when the program comes with another one, it is worked out anew.
  schedule text not null constraint cron_task_schedule_present check (schedule <> ''),
  -- Null: runs only when somebody asks for it.
  next_at timestamptz(3),
  -- The last start, by whatever cause, and how many there were.
  prev_at timestamptz(3),
  exec_times bigint not null default 0 constraint cron_task_exec_times_not_negative check (exec_times >= 0),
  -- Who runs it, and until when that is believed without a sign of life; null while nobody does.
  claim uuid,
  held_until timestamptz(3),
  -- What became of the last run that came to an end, and what it said of itself.
  finished_at timestamptz(3),
  outcome text collate "C" constraint cron_task_outcome_known
    check (outcome in ('succeeded', 'failed', 'interrupted')),
  message text not null default '',
  duration_ms bigint,
  constraint cron_task_held check ((claim is null) = (held_until is null)),
  constraint cron_task_finished check (
    (finished_at is null) = (outcome is null) and (finished_at is null) = (duration_ms is null))
);
