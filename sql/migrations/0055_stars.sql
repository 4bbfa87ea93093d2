-- Stars: which accounts like which repositories.
create table forge.repository_star (
  repository_id bigint not null
    constraint repository_star_repository_known references forge.repository (id) on delete cascade,
  account_id bigint not null
    constraint repository_star_account_known references forge.account (id) on delete cascade,
  created_at timestamptz(3) not null,
  constraint repository_star_pkey primary key (repository_id, account_id)
);

-- What an account has starred; also for the deletion of accounts.
create index repository_star_of_account on forge.repository_star (account_id, repository_id);

-- Searches sort by it. Accounts have such a number from the beginning.
alter table forge.repository add column stars_count bigint not null default 0;

create index repository_by_stars on forge.repository (stars_count, id) where state = 'ready';

-- Counts the stars of repositories and of accounts. The rows are locked in the order of their ids, repositories first, as
-- all others lock them, so that two such statements do not wait for each other.
create function forge.count_stars() returns trigger language plpgsql as $$
declare
  step integer := case tg_op when 'INSERT' then 1 else -1 end;
begin
  perform from forge.repository
  where id in (select repository_id from changed)
  order by id
  for no key update;
  perform from forge.account
  where id in (select account_id from changed)
  order by id
  for no key update;
  update forge.repository
  set stars_count = stars_count + step * counted.stars
  from (select repository_id, count(*) as stars from changed group by repository_id) as counted
  where repository.id = counted.repository_id;
  update forge.account
  set starred_repos_count = starred_repos_count + step * counted.stars
  from (select account_id, count(*) as stars from changed group by account_id) as counted
  where account.id = counted.account_id;
  return null;
end
$$;

create trigger repository_star_insert after insert on forge.repository_star
referencing new table as changed for each statement execute function forge.count_stars();

create trigger repository_star_delete after delete on forge.repository_star
referencing old table as changed for each statement execute function forge.count_stars();
