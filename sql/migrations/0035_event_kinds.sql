-- Events of the outbox say what happened (background/domain-events.ts) and are named after that. Before, most of them were
-- the text of a webhook under the name of the webhook event; those that are queued are still read for one release
-- (forge/webhooks/earlier-events.ts, actions/trigger/earlier-events.ts).

update forge.event
set kind = case kind
  when 'action_jobs' then 'jobs.changed'
  when 'action_run' then 'run.changed'
  when 'notice.issue' then 'issue.activity'
  else 'transfer.offered' end
where kind in ('action_jobs', 'action_run', 'notice.issue', 'notice.transfer');

-- As before (0013_workflow_events.sql), under the new names.
create or replace function forge.tell_of_jobs() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into forge.event (kind, payload, created_at, due_at)
    select 'jobs.changed', event.payload, event.at, event.at
    from (
      select json_build_object('jobs', json_agg(json_build_object('id', id, 'status', status) order by id)) as payload,
        max(updated_at) as at
      from come
      having count(*) > 0
    ) as event;
  else
    insert into forge.event (kind, payload, created_at, due_at)
    select 'jobs.changed', event.payload, event.at, event.at
    from (
      select json_build_object('jobs', json_agg(json_build_object('id', id, 'status', come.status) order by id)) as payload,
        max(come.updated_at) as at
      from come
      join gone using (id)
      where come.status <> gone.status
      having count(*) > 0
    ) as event;
  end if;
  return null;
end
$$;

create or replace function forge.tell_of_run() returns trigger language plpgsql as $$
begin
  insert into forge.event (kind, payload, created_at, due_at)
  values ('run.changed', json_build_object('run', new.id, 'attempt', new.attempt, 'status', new.status), new.updated_at,
    new.updated_at);
  return null;
end
$$;
