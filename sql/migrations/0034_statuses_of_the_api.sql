-- Statuses of runs, attempts, jobs, tasks and steps get the names that the API and webhooks print. Three of the old names
-- meant something else there: `pending` was printed as `requested`, `waiting` as `queued`, `running` as `in_progress`.
-- `blocked` and `cancelling` are not names of the API and stay.
--
-- A program from before knows the old names only. It must not run on this schema: stop all processes before the first
-- one is started again (docs/operating.md).

alter domain forge.action_status drop constraint action_status_known;
alter table forge.action_task
  drop constraint action_task_status_of_task,
  drop constraint action_task_stopped;

-- The triggers would queue webhooks for each row, although no run or job changes.
alter table forge.action_run disable trigger user;
alter table forge.action_job disable trigger user;

create function pg_temp.new_status(old text) returns text language sql immutable as $$
  select case old when 'pending' then 'requested' when 'waiting' then 'queued' when 'running' then 'in_progress' else old end
$$;

update forge.action_run set status = pg_temp.new_status(status) where status in ('pending', 'waiting', 'running');
update forge.action_attempt set status = pg_temp.new_status(status) where status in ('pending', 'waiting', 'running');
update forge.action_job set status = pg_temp.new_status(status) where status in ('pending', 'waiting', 'running');
update forge.action_task set status = pg_temp.new_status(status) where status = 'running';
update forge.action_step set status = pg_temp.new_status(status) where status in ('waiting', 'running');
update forge.action_tally set status = pg_temp.new_status(status) where status in ('pending', 'waiting', 'running');
update forge.action_tally_change set status = pg_temp.new_status(status) where status in ('pending', 'waiting', 'running');

-- Queued events name statuses too: {"jobs" : [{"id" : 1, "status" : "waiting"}]}. They have no other text.
update forge.event
set payload = replace(replace(replace(payload::text, '"pending"', '"requested"'), '"waiting"', '"queued"'),
  '"running"', '"in_progress"')::json
where kind in ('action_jobs', 'action_run');

drop function pg_temp.new_status;
alter table forge.action_run enable trigger user;
alter table forge.action_job enable trigger user;

-- requested: waits for other jobs of its attempt. blocked: waits for its concurrency group, or for an approval. queued:
-- ready for a runner. success, failure, cancelled and skipped are final.
alter domain forge.action_status add constraint action_status_known check (value in (
  'requested', 'blocked', 'queued', 'in_progress', 'cancelling', 'success', 'failure', 'cancelled', 'skipped'));
alter table forge.action_step alter column status set default 'queued';
alter table forge.action_task
  add constraint action_task_status_of_task check (status not in ('requested', 'blocked', 'queued')),
  add constraint action_task_stopped check ((stopped_at is null) = (status in ('in_progress', 'cancelling')));

-- As before (0011_actions.sql), with the new names.
drop index forge.action_job_queue, forge.action_job_queue_of_repository, forge.action_job_abandoned, forge.action_task_open;
create index action_job_queue on forge.action_job (forge.labels_key(runs_on), updated_at, id) where status = 'queued';
create index action_job_queue_of_repository on forge.action_job (repository_id, updated_at, id) where status = 'queued';
create index action_job_abandoned on forge.action_job (updated_at) where status in ('queued', 'blocked');
create index action_task_open on forge.action_task (id) where status in ('in_progress', 'cancelling');

create or replace function forge.jobs_became_ready() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if exists (select from come where status = 'queued') then
      perform forge.bump_tasks_version();
    end if;
  elsif exists (
    select from come join gone using (id) where come.status = 'queued' and gone.status <> 'queued'
  ) then
    perform forge.bump_tasks_version();
  end if;
  return null;
end
$$;
