-- What is known of the tasks with a schedule (background/cron/schedule.ts): one row for each, shared by all processes.

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

-- Searches inside names of repositories (forge.grams in 0002_forge.sql).
create index repository_grams on forge.repository
  using gin (forge.grams(key)) with (fastupdate = off) where state = 'ready';

-- Ids of up to so many repositories whose name matches a pattern of LIKE in lower case that holds three characters in a
-- row; as forge.accounts_like, the greatest number means that there may be others.
create function forge.repositories_like(pattern text, most integer) returns setof bigint language sql stable rows 100
set enable_seqscan = off set jit = off as $$
  select id
  from forge.repository
  where state = 'ready' and forge.grams(key) @> forge.grams_of_pattern(pattern) and key like pattern escape ''
  limit most
$$;

-- Who may see a public repository depends on its owner. Repeated here, so that lists and their totals need no look at the
-- accounts, of which there may be as many.
alter table forge.repository add column owner_visibility text collate "C" not null default 'private';
update forge.repository set owner_visibility = account.visibility from forge.account where account.id = owner_id;

-- The lock is shared with other new repositories and not with a change of the visibility: one waits for the other, and
-- then sees what it did.
create function forge.repeat_visibility() returns trigger language plpgsql as $$
declare
  found_visibility text;
begin
  select visibility into found_visibility from forge.account where id = new.owner_id for share;
  new.owner_visibility = coalesce(found_visibility, 'private');
  return new;
end
$$;

create trigger repository_visibility before insert or update of owner_id on forge.repository
for each row when (new.owner_id is not null) execute function forge.repeat_visibility();

create function forge.spread_visibility() returns trigger language plpgsql as $$
begin
  update forge.repository set owner_visibility = new.visibility where owner_id = new.id;
  return null;
end
$$;

create trigger account_visibility_changed after update of visibility on forge.account
for each row when (old.visibility <> new.visibility) execute function forge.spread_visibility();

-- How many there are under any filter, and the few that are public where most are not. Equal entries are stored once.
create index repository_counting on forge.repository (is_private, owner_visibility, is_template, is_archived)
where state = 'ready';
