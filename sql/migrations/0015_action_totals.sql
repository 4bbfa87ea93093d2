-- How many runs and jobs there are in each state: kept, because counting a million rows costs more than a page of them.
--
-- Every claim and every end of a job changes two of these numbers, in transactions that go on to lock a run. If they
-- updated the numbers, they would wait for each other, and two of them in a circle. So they only add rows that say by how
-- much a number has changed, which nobody waits for; now and then one of them folds these rows into the numbers. A total
-- is the number and what has not been folded into it yet.

create table forge.action_tally (
  kind text collate "C" not null constraint action_tally_kind_known check (kind in ('job', 'run')),
  -- 0: all repositories together. Without a reference, since the rows of a repository go before their numbers do.
  repository_id bigint not null,
  status forge.action_status not null,
  -- Of runs; jobs have none of their own.
  event text collate "C" not null default '',
  amount bigint not null,
  constraint action_tally_pkey primary key (kind, repository_id, status, event)
) with (fillfactor = 50);

create table forge.action_tally_change (
  id bigint generated always as identity constraint action_tally_change_pkey primary key,
  kind text collate "C" not null,
  repository_id bigint not null,
  status forge.action_status not null,
  event text collate "C" not null default '',
  difference bigint not null
);

-- Folds what has piled up. Whoever comes while somebody else is at it has nothing to do, so nobody ever waits here; what
-- is not committed yet is left for later.
create function forge.fold_action_tally() returns void language plpgsql as $$
declare
  folded record;
begin
  if not pg_try_advisory_xact_lock(7305803915) then
    return;
  end if;
  for folded in
    with taken as (
      delete from forge.action_tally_change
      where id in (select id from forge.action_tally_change order by id limit 5000)
      returning kind, repository_id, status, event, difference
    ), summed as (
      select kind, repository_id, status, event, sum(difference) as difference
      from taken
      group by kind, repository_id, status, event
      union all
      select kind, 0, status, event, sum(difference)
      from taken
      group by kind, status, event
    )
    insert into forge.action_tally as kept (kind, repository_id, status, event, amount)
    select kind, repository_id, status, event, difference
    from summed
    on conflict on constraint action_tally_pkey do update set amount = kept.amount + excluded.amount
    returning kind, repository_id, status, event, amount
  loop
    -- Nothing is kept of repositories that are gone.
    if folded.amount = 0 then
      delete from forge.action_tally
      where kind = folded.kind and repository_id = folded.repository_id and status = folded.status
        and event = folded.event;
    end if;
  end loop;
end
$$;

-- One change in fifty folds: often enough for some hundred rows to lie there at most, however busy the forge is.
create function forge.fold_action_tally_sometimes() returns void language plpgsql as $$
begin
  if random() < 0.02 then
    perform forge.fold_action_tally();
  end if;
end
$$;

create function forge.note_jobs() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into forge.action_tally_change (kind, repository_id, status, difference)
    select 'job', repository_id, status, count(*)
    from come
    group by repository_id, status;
  elsif tg_op = 'DELETE' then
    insert into forge.action_tally_change (kind, repository_id, status, difference)
    select 'job', repository_id, status, - count(*)
    from gone
    group by repository_id, status;
  else
    -- Most statements change no state: then there is nothing to write.
    insert into forge.action_tally_change (kind, repository_id, status, difference)
    select 'job', repository_id, status, sum(difference)
    from (
      select repository_id, status, 1 as difference from come
      union all
      select repository_id, status, -1 from gone
    ) as change
    group by repository_id, status
    having sum(difference) <> 0;
  end if;
  if found then
    perform forge.fold_action_tally_sometimes();
  end if;
  return null;
end
$$;

create trigger action_job_tally_insert after insert on forge.action_job
referencing new table as come for each statement execute function forge.note_jobs();
create trigger action_job_tally_delete after delete on forge.action_job
referencing old table as gone for each statement execute function forge.note_jobs();
create trigger action_job_tally_update after update on forge.action_job
referencing old table as gone new table as come for each statement execute function forge.note_jobs();

create function forge.note_runs() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into forge.action_tally_change (kind, repository_id, status, event, difference)
    select 'run', repository_id, status, event, count(*)
    from come
    group by repository_id, status, event;
  elsif tg_op = 'DELETE' then
    insert into forge.action_tally_change (kind, repository_id, status, event, difference)
    select 'run', repository_id, status, event, - count(*)
    from gone
    group by repository_id, status, event;
  else
    insert into forge.action_tally_change (kind, repository_id, status, event, difference)
    select 'run', repository_id, status, event, sum(difference)
    from (
      select repository_id, status, event, 1 as difference from come
      union all
      select repository_id, status, event, -1 from gone
    ) as change
    group by repository_id, status, event
    having sum(difference) <> 0;
  end if;
  if found then
    perform forge.fold_action_tally_sometimes();
  end if;
  return null;
end
$$;

create trigger action_run_tally_insert after insert on forge.action_run
referencing new table as come for each statement execute function forge.note_runs();
create trigger action_run_tally_delete after delete on forge.action_run
referencing old table as gone for each statement execute function forge.note_runs();
create trigger action_run_tally_update after update on forge.action_run
referencing old table as gone new table as come for each statement execute function forge.note_runs();

-- What is there already.
insert into forge.action_tally_change (kind, repository_id, status, difference)
select 'job', repository_id, status, count(*)
from forge.action_job
group by repository_id, status;

insert into forge.action_tally_change (kind, repository_id, status, event, difference)
select 'run', repository_id, status, event, count(*)
from forge.action_run
group by repository_id, status, event;

-- What Actions began by itself, for lists under the name of its bot.
create index action_run_by_bot on forge.action_run (id desc) where by_bot;
