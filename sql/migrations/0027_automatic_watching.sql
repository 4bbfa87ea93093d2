-- Members of teams watch the repositories that their teams have, without being asked.

-- Accounts that stopped watching a repository, or never wanted to: they do not begin to watch it automatically. Their own
-- wish to watch it again removes the row.
create table forge.repository_unwatch (
  repository_id bigint not null
    constraint repository_unwatch_repository_known references forge.repository (id) on delete cascade,
  account_id bigint not null
    constraint repository_unwatch_account_known references forge.account (id) on delete cascade,
  constraint repository_unwatch_pkey primary key (repository_id, account_id)
);

create index repository_unwatch_of_account on forge.repository_unwatch (account_id);

-- One statement can now change the watchers of many repositories, when somebody joins a team. It locks their rows in the
-- order of their ids, as all others do, so that two such statements do not wait for each other.
create or replace function forge.count_watchers() returns trigger language plpgsql as $$
begin
  perform from forge.repository
  where id in (select repository_id from changed)
  order by id
  for no key update;
  if tg_op = 'INSERT' then
    update forge.repository
    set watchers_count = watchers_count + come.watchers
    from (select repository_id, count(*) as watchers from changed group by repository_id) as come
    where repository.id = come.repository_id;
  else
    update forge.repository
    set watchers_count = watchers_count - gone.watchers
    from (select repository_id, count(*) as watchers from changed group by repository_id) as gone
    where repository.id = gone.repository_id;
  end if;
  return null;
end
$$;
