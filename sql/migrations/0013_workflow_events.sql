-- What follows from workflows: attempts that wait for their group, what hooks hear of runs and jobs, and the statuses of
-- commits.

-- A new attempt may not begin before its concurrency group lets it. Its jobs are blocked; those of an attempt that has
-- begun can be blocked too, each by a group of its own.
alter table forge.action_attempt add column is_held boolean not null default false;

-- Whoever changes the state of a job or a run cannot forget to tell of it. One event for each statement: a matrix makes
-- many jobs at once. The state is told as it was, since it may have changed before anybody hears.
create function forge.tell_of_jobs() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into forge.event (kind, payload, created_at, due_at)
    select 'action_jobs', told.payload, told.at, told.at
    from (
      select json_build_object('jobs', json_agg(json_build_object('id', id, 'status', status) order by id)) as payload,
        max(updated_at) as at
      from come
      having count(*) > 0
    ) as told;
  else
    insert into forge.event (kind, payload, created_at, due_at)
    select 'action_jobs', told.payload, told.at, told.at
    from (
      select json_build_object('jobs', json_agg(json_build_object('id', id, 'status', come.status) order by id)) as payload,
        max(come.updated_at) as at
      from come
      join gone using (id)
      where come.status <> gone.status
      having count(*) > 0
    ) as told;
  end if;
  return null;
end
$$;

create trigger action_job_told_insert after insert on forge.action_job
referencing new table as come for each statement execute function forge.tell_of_jobs();

create trigger action_job_told_update after update on forge.action_job
referencing old table as gone new table as come for each statement execute function forge.tell_of_jobs();

create function forge.tell_of_run() returns trigger language plpgsql as $$
begin
  insert into forge.event (kind, payload, created_at, due_at)
  values ('action_run', json_build_object('run', new.id, 'attempt', new.attempt, 'status', new.status), new.updated_at,
    new.updated_at);
  return null;
end
$$;

create trigger action_run_told_insert after insert on forge.action_run
for each row execute function forge.tell_of_run();

create trigger action_run_told_update after update of status on forge.action_run
for each row when (old.status <> new.status) execute function forge.tell_of_run();

-- What was said of a commit. The newest row of each context counts.
create table forge.commit_status (
  id bigint generated always as identity constraint commit_status_pkey primary key,
  repository_id bigint not null
    constraint commit_status_repository_known references forge.repository (id) on delete cascade,
  commit_sha text collate "C" not null,
  context text not null constraint commit_status_context_size check (char_length(context) between 1 and 500),
  state text collate "C" not null
    constraint commit_status_state_known check (state in ('pending', 'success', 'error', 'failure', 'warning', 'skipped')),
  description text not null default '',
  target_url text not null default '',
  -- Null: the account is gone, or nobody said it (by_bot).
  creator_id bigint constraint commit_status_creator_known references forge.account (id) on delete set null,
  by_bot boolean not null default false,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);

create index commit_status_of_commit on forge.commit_status (repository_id, commit_sha, context, id desc);
create index commit_status_of_creator on forge.commit_status (creator_id) where creator_id is not null;
