-- Actions: workflow runs, their jobs, and the runners that work on them.
--
-- A run has attempts (the first one and each repetition), an attempt has jobs, and a job that a runner has taken has a
-- task. Runs, attempts and jobs are what the workflow says; tasks, steps, logs and outputs are what a runner reports.
-- All of it goes with its repository. Its owner is not stored: lists of an organization follow a repository that moves.

-- The words of a state: success, failure, cancelled and skipped are final. waiting: ready for a runner. pending: waits
-- for other jobs of its attempt. blocked: waits for its concurrency group, or for an approval.
create domain forge.action_status as text collate "C" constraint action_status_known check (value in (
  'pending', 'blocked', 'waiting', 'running', 'cancelling', 'success', 'failure', 'cancelled', 'skipped'));

-- Who acts where Actions acts by itself: it starts scheduled runs, and is whom the calls of jobs come from. A row like
-- any other, so that what it does can refer to it; its name is reserved, it has no password and no token.
insert into forge.account (id, kind, name, full_name, created_at, updated_at) overriding system value
values (-2, 'bot', 'gitea-actions', 'Gitea Actions', '2026-01-01', '2026-01-01');

-- Nobody deletes it.
create table forge.system_account (
  account_id bigint constraint system_account_pkey primary key
    constraint system_account_account_known references forge.account (id)
);
insert into forge.system_account (account_id) values (-2);

-- The last number that a run of a repository had: runs are numbered per repository, without gaps or repeats.
create table forge.action_run_counter (
  repository_id bigint constraint action_run_counter_pkey primary key
    constraint action_run_counter_repository_known references forge.repository (id) on delete cascade,
  last_number bigint not null
);

-- One start of one workflow file by one event. What its newest attempt is stands here too, so that lists need no
-- second table.
create table forge.action_run (
  id bigint generated always as identity constraint action_run_pkey primary key,
  repository_id bigint not null
    constraint action_run_repository_known references forge.repository (id) on delete cascade,
  number bigint not null,
  -- Relative to the folder of workflows: ci.yml.
  workflow_file text collate "C" not null,
  -- The `name` of the workflow; empty when it has none.
  workflow_name text not null default '',
  title text not null constraint action_run_title_size check (char_length(title) <= 255),
  -- Who caused the first attempt; null: the account is gone, or nobody did (by_bot).
  actor_id bigint constraint action_run_actor_known references forge.account (id) on delete set null,
  -- Caused by this forge itself: schedules.
  by_bot boolean not null default false,
  -- The word that the API prints: push, schedule, workflow_dispatch.
  event text collate "C" not null,
  -- What `github.event` is in its jobs; its text, since the order of keys is seen.
  payload json not null,
  -- refs/heads/main
  ref text collate "C" not null,
  commit_sha text collate "C" not null,
  is_fork_pr boolean not null default false,
  -- A run that waits for somebody's approval has blocked jobs.
  needs_approval boolean not null default false,
  status forge.action_status not null,
  -- Number of the newest attempt.
  attempt integer not null default 1 constraint action_run_attempt_positive check (attempt >= 1),
  started_at timestamptz(3),
  stopped_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint action_run_number_unique unique (repository_id, number)
);

-- The lists of runs, newest first, under each filter of the API; those of a repository and of an owner's repositories
-- start with it. A ref may be longer than a key of an index: compare its first 200 characters as well as the whole.
create index action_run_by_status on forge.action_run (status, id desc);
create index action_run_by_event on forge.action_run (event, id desc);
create index action_run_by_ref on forge.action_run (left(ref, 200), id desc);
create index action_run_by_commit on forge.action_run (commit_sha, id desc);
create index action_run_by_actor on forge.action_run (actor_id, id desc);
create index action_run_of_repository on forge.action_run (repository_id, id desc);
create index action_run_of_repository_by_status on forge.action_run (repository_id, status, id desc);
-- What has grown old enough to be removed.
create index action_run_old on forge.action_run (stopped_at, id) where stopped_at is not null;

create table forge.action_attempt (
  id bigint generated always as identity constraint action_attempt_pkey primary key,
  run_id bigint not null constraint action_attempt_run_known references forge.action_run (id) on delete cascade,
  -- 1 for the first.
  number integer not null,
  -- Who asked for this attempt; null as in the run.
  actor_id bigint constraint action_attempt_actor_known references forge.account (id) on delete set null,
  by_bot boolean not null default false,
  -- `concurrency` of the workflow, evaluated; null: none. One attempt of a group runs at a time in a repository.
  concurrency_group text collate "C" constraint action_attempt_group_size check (char_length(concurrency_group) <= 255),
  concurrency_cancels boolean not null default false,
  status forge.action_status not null,
  started_at timestamptz(3),
  stopped_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint action_attempt_number_unique unique (run_id, number)
);

create index action_attempt_of_actor on forge.action_attempt (actor_id) where actor_id is not null;
-- Who holds a concurrency group, or waits for it: what is not final.
create index action_attempt_in_group on forge.action_attempt (concurrency_group, run_id)
  where concurrency_group is not null and status not in ('success', 'failure', 'cancelled', 'skipped');

-- One job of one attempt: each combination of a matrix is a row.
create table forge.action_job (
  id bigint generated always as identity constraint action_job_pkey primary key,
  run_id bigint not null constraint action_job_run_known references forge.action_run (id) on delete cascade,
  attempt integer not null,
  -- Its place in the workflow, from 1.
  number integer not null,
  -- That of the run, for lists and for runners that serve one repository or owner.
  repository_id bigint not null
    constraint action_job_repository_known references forge.repository (id) on delete cascade,
  name text not null constraint action_job_name_size check (char_length(name) <= 255),
  -- The key under `jobs`; the combinations of a matrix share it.
  key text collate "C" not null,
  -- Keys of the jobs whose end it waits for.
  needs text[] not null default '{}',
  -- Labels that its runner must have, all of them.
  runs_on text[] not null default '{}',
  -- A workflow of this one job, for the runner (YAML); null where no runner is to see it.
  payload bytea,
  -- Names of its steps, in order, as they are shown.
  step_names text[] not null default '{}',
  -- `if`, unevaluated; empty: none.
  condition text not null default '',
  -- The combination of the matrix; null: none.
  matrix json,
  continue_on_error boolean not null default false,
  -- `concurrency` of the job: as it is written, and evaluated.
  concurrency_source text,
  concurrency_group text collate "C" constraint action_job_group_size check (char_length(concurrency_group) <= 255),
  concurrency_cancels boolean not null default false,
  -- What the workflow grants the task's token: {"contents": "read"}. Null: nothing was said.
  permissions json,
  -- What this forge has to say of the job, line by line: why it failed before a runner saw it. Its log, when it has no task.
  message text not null default '',
  -- The job of an earlier attempt whose result a partial repetition keeps. Kept without a reference.
  source_job_id bigint,
  status forge.action_status not null,
  started_at timestamptz(3),
  stopped_at timestamptz(3),
  created_at timestamptz(3) not null,
  -- Since when it is what it is: the oldest waiting job is the next to be taken.
  updated_at timestamptz(3) not null,
  constraint action_job_attempt_known foreign key (run_id, attempt)
    references forge.action_attempt (run_id, number) on delete cascade,
  constraint action_job_number_unique unique (run_id, attempt, number)
);

-- Labels as one short key: as they are they may be longer than a key of an index. Immutable, since texts are printed
-- everywhere alike.
create function forge.labels_key(labels text[]) returns text language sql immutable strict parallel safe as $$
  select md5(labels::text)
$$;

-- The queue, a row of jobs for each list of labels, so that what a runner may not take is not in its way; and for runners
-- of one repository. Partial: as small as what waits.
create index action_job_queue on forge.action_job (forge.labels_key(runs_on), updated_at, id) where status = 'waiting';
create index action_job_queue_of_repository on forge.action_job (repository_id, updated_at, id) where status = 'waiting';
-- What nothing has become of for a day.
create index action_job_abandoned on forge.action_job (updated_at) where status in ('waiting', 'blocked');
-- The lists of jobs, oldest first or newest first; those of a repository and of an owner's repositories start with it.
create index action_job_by_status on forge.action_job (status, id);
create index action_job_of_repository on forge.action_job (repository_id, id);
create index action_job_of_repository_by_status on forge.action_job (repository_id, status, id);
-- Who holds a concurrency group, or waits for it.
create index action_job_in_group on forge.action_job (repository_id, concurrency_group)
  where concurrency_group is not null and status not in ('success', 'failure', 'cancelled', 'skipped');

-- Programs that take jobs. A runner serves everybody, the repositories of one owner, or one repository.
create table forge.action_runner (
  id bigint generated always as identity constraint action_runner_pkey primary key,
  uuid uuid not null constraint action_runner_uuid_unique unique,
  name text not null constraint action_runner_name_size check (char_length(name) between 1 and 255),
  version text not null default '' constraint action_runner_version_size check (char_length(version) <= 64),
  owner_id bigint constraint action_runner_owner_known references forge.account (id) on delete cascade,
  repository_id bigint
    constraint action_runner_repository_known references forge.repository (id) on delete cascade,
  -- SHA-256 of a token of 160 random bits: nothing slower is needed, and it is asked several times a second.
  token_hash bytea not null constraint action_runner_token_size check (octet_length(token_hash) = 32),
  -- Names without the schema behind the colon, which is the runner's own affair.
  labels text[] not null default '{}',
  -- Takes one job in its life.
  ephemeral boolean not null default false,
  disabled boolean not null default false,
  -- Understands that a job is to be cancelled and ends it in order.
  cancels boolean not null default false,
  -- Last call of any kind, and last report about a job; null: none yet.
  last_online timestamptz(3),
  last_active timestamptz(3),
  -- Gone for everybody. The row stays a little, because a runner that is done may still owe lines of its log.
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint action_runner_one_scope check (owner_id is null or repository_id is null)
) with (fillfactor = 70);

-- Runners of an owner and of a repository. Lists are in order of last contact, which changes all the time: an index of it
-- would be written with each sign of life, and the runners of a site are few enough to be sorted.
create index action_runner_of_owner on forge.action_runner (owner_id) where owner_id is not null;
create index action_runner_of_repository on forge.action_runner (repository_id) where repository_id is not null;
create index action_runner_deleted on forge.action_runner (deleted_at) where deleted_at is not null;

-- With what runners register themselves: any number of them, for the scope of the token.
create table forge.action_runner_token (
  id bigint generated always as identity constraint action_runner_token_pkey primary key,
  -- In clear, because it is shown again to whoever may ask for it.
  token text collate "C" not null constraint action_runner_token_form check (char_length(token) between 32 and 255),
  owner_id bigint constraint action_runner_token_owner_known references forge.account (id) on delete cascade,
  repository_id bigint
    constraint action_runner_token_repository_known references forge.repository (id) on delete cascade,
  is_active boolean not null default true,
  created_at timestamptz(3) not null,
  constraint action_runner_token_unique unique (token),
  constraint action_runner_token_one_scope check (owner_id is null or repository_id is null)
);

-- A scope has one active token, however many ask for it at once.
create unique index action_runner_token_one_active
  on forge.action_runner_token (coalesce(owner_id, 0), coalesce(repository_id, 0)) where is_active;
create index action_runner_token_of_owner on forge.action_runner_token (owner_id) where owner_id is not null;
create index action_runner_token_of_repository on forge.action_runner_token (repository_id)
  where repository_id is not null;

-- A job in the hands of a runner. Given back, it is removed; otherwise it stays with its job.
create table forge.action_task (
  -- Never used again, since runners know tasks by it.
  id bigint generated always as identity constraint action_task_pkey primary key,
  job_id bigint not null constraint action_task_job_unique unique
    constraint action_task_job_known references forge.action_job (id) on delete cascade,
  -- Without a reference: who did a job is told when the runner is long gone.
  runner_id bigint not null,
  runner_name text not null,
  -- SHA-256 of the token that the job's own calls are made with.
  token_hash bytea not null constraint action_task_token_size check (octet_length(token_hash) = 32),
  status forge.action_status not null
    constraint action_task_status_of_task check (status not in ('waiting', 'blocked', 'pending')),
  started_at timestamptz(3) not null,
  stopped_at timestamptz(3),
  -- Lines that were accepted; it never goes down. Bytes that are kept.
  log_lines bigint not null default 0,
  log_bytes bigint not null default 0,
  -- No more lines are taken.
  log_sealed boolean not null default false,
  -- The lines were removed because of their age.
  log_expired boolean not null default false,
  created_at timestamptz(3) not null,
  -- The last sign of life of the runner about it.
  updated_at timestamptz(3) not null,
  constraint action_task_token_unique unique (token_hash),
  constraint action_task_stopped check ((stopped_at is null) = (status in ('running', 'cancelling')))
) with (fillfactor = 70);

-- What is being worked on; small, and not in order of the sign of life, which changes every few seconds.
create index action_task_open on forge.action_task (id) where status in ('running', 'cancelling');
create index action_task_of_runner on forge.action_task (runner_id, id);
-- Whose log waits for its seal, and whose is old enough to be removed.
create index action_task_unsealed on forge.action_task (stopped_at) where not log_sealed and stopped_at is not null;
create index action_task_with_log on forge.action_task (stopped_at) where not log_expired and stopped_at is not null;

create table forge.action_step (
  task_id bigint not null constraint action_step_task_known references forge.action_task (id) on delete cascade,
  -- From 0, as the API prints it.
  number integer not null,
  name text not null constraint action_step_name_size check (char_length(name) <= 255),
  status forge.action_status not null default 'waiting',
  -- Its lines in the log of the task: the first one, and how many.
  log_index bigint not null default 0,
  log_length bigint not null default 0,
  started_at timestamptz(3),
  stopped_at timestamptz(3),
  constraint action_step_pkey primary key (task_id, number)
);

-- Lines of the log as they came, several to a row. Lines are counted from 0 over the whole task; a piece begins where the
-- one before it ended, and the key refuses a second one for the same lines.
create table forge.action_log (
  task_id bigint not null constraint action_log_task_known references forge.action_task (id) on delete cascade,
  first_line bigint not null,
  lines integer not null constraint action_log_lines_positive check (lines > 0),
  -- Each line with its moment before it and a line feed behind it; secrets are masked.
  content text not null,
  constraint action_log_pkey primary key (task_id, first_line)
);

create table forge.action_output (
  task_id bigint not null constraint action_output_task_known references forge.action_task (id) on delete cascade,
  -- At most 255 and 1,048,576 bytes; an output that is longer is known by its name and has no value.
  key text collate "C" not null constraint action_output_key_size check (octet_length(key) <= 255),
  value text constraint action_output_value_size check (octet_length(value) <= 1048576),
  constraint action_output_pkey primary key (task_id, key)
);

-- A number that grows whenever a runner that found nothing may find something now. It is a sum over rows, so that
-- transactions that make jobs do not wait for each other.
create table forge.action_tasks_version (
  slot smallint constraint action_tasks_version_pkey primary key,
  version bigint not null
) with (fillfactor = 50);

create function forge.bump_tasks_version() returns void language sql as $$
  insert into forge.action_tasks_version as kept (slot, version)
  values (pg_backend_pid() % 16, 1)
  on conflict on constraint action_tasks_version_pkey do update set version = kept.version + 1
$$;

-- Whoever writes jobs cannot forget it: it is done for each statement after which a job is ready that was not before.
create function forge.jobs_became_ready() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if exists (select from come where status = 'waiting') then
      perform forge.bump_tasks_version();
    end if;
  elsif exists (
    select from come join gone using (id) where come.status = 'waiting' and gone.status <> 'waiting'
  ) then
    perform forge.bump_tasks_version();
  end if;
  return null;
end
$$;

create trigger action_job_ready_insert after insert on forge.action_job
referencing new table as come for each statement execute function forge.jobs_became_ready();

create trigger action_job_ready_update after update on forge.action_job
referencing old table as gone new table as come for each statement execute function forge.jobs_became_ready();

-- Waiting jobs come to other runners when their repository comes to another owner, or switches Actions on.
create function forge.jobs_moved() returns trigger language plpgsql as $$
begin
  perform forge.bump_tasks_version();
  return null;
end
$$;

create trigger action_jobs_moved after update of owner_id, settings on forge.repository
for each row when (old.owner_id is distinct from new.owner_id or old.settings is distinct from new.settings)
execute function forge.jobs_moved();

-- Events that are still to be looked at for workflows. Written in the transaction that caused them, removed in the
-- transaction that made runs of them.
create table forge.action_trigger (
  id bigint generated always as identity constraint action_trigger_pkey primary key,
  repository_id bigint not null
    constraint action_trigger_repository_known references forge.repository (id) on delete cascade,
  -- push, workflow_dispatch, schedule
  kind text collate "C" not null constraint action_trigger_kind_present check (kind <> ''),
  ref text collate "C" not null,
  -- Commits that the ref pointed to; null where there is none.
  before text collate "C",
  after text collate "C",
  actor_id bigint constraint action_trigger_actor_known references forge.account (id) on delete set null,
  by_bot boolean not null default false,
  -- What `github.event` will be.
  payload json not null,
  created_at timestamptz(3) not null,
  -- When it may be looked at; moved on when that failed.
  due_at timestamptz(3) not null,
  failures integer not null default 0,
  last_error text
);

create index action_trigger_due on forge.action_trigger (due_at, id);
create index action_trigger_of_repository on forge.action_trigger (repository_id);
create index action_trigger_of_actor on forge.action_trigger (actor_id) where actor_id is not null;

-- The moments at which workflows of default branches start by themselves; written anew with each push to such a branch.
create table forge.action_schedule (
  id bigint generated always as identity constraint action_schedule_pkey primary key,
  repository_id bigint not null
    constraint action_schedule_repository_known references forge.repository (id) on delete cascade,
  workflow_file text collate "C" not null,
  ref text collate "C" not null,
  commit_sha text collate "C" not null,
  -- As it is written in the workflow.
  cron text collate "C" not null,
  next_at timestamptz(3) not null,
  previous_at timestamptz(3),
  created_at timestamptz(3) not null
);

create index action_schedule_due on forge.action_schedule (next_at, id);
create index action_schedule_of_repository on forge.action_schedule (repository_id, id);

-- Workflows that somebody has switched off in a repository.
create table forge.action_disabled_workflow (
  repository_id bigint not null
    constraint action_disabled_workflow_repository_known references forge.repository (id) on delete cascade,
  workflow_file text collate "C" not null,
  constraint action_disabled_workflow_pkey primary key (repository_id, workflow_file)
);
