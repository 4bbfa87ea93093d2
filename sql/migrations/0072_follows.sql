-- Follows: which users follow which accounts.
create table forge.follow (
  account_id bigint not null
    constraint follow_account_known references forge.account (id) on delete cascade,
  followed_id bigint not null
    constraint follow_followed_known references forge.account (id) on delete cascade,
  created_at timestamptz(3) not null,
  constraint follow_pkey primary key (account_id, followed_id),
  constraint follow_of_another check (account_id <> followed_id)
);

-- Who follows an account; also for the deletion of accounts.
create index follow_of_followed on forge.follow (followed_id, account_id);

-- Counts both sides; accounts have had the numbers from the beginning. The rows are locked in the order of their ids, so
-- that two such statements do not wait for each other.
create function forge.count_follows() returns trigger language plpgsql as $$
declare
  step integer := case tg_op when 'INSERT' then 1 else -1 end;
begin
  perform from forge.account
  where id in (select account_id from changed union select followed_id from changed)
  order by id
  for no key update;
  update forge.account
  set followers_count = followers_count + step * counted.follows
  from (select followed_id, count(*) as follows from changed group by followed_id) as counted
  where account.id = counted.followed_id;
  update forge.account
  set following_count = following_count + step * counted.follows
  from (select account_id, count(*) as follows from changed group by account_id) as counted
  where account.id = counted.account_id;
  return null;
end
$$;

create trigger follow_insert after insert on forge.follow
referencing new table as changed for each statement execute function forge.count_follows();

create trigger follow_delete after delete on forge.follow
referencing old table as changed for each statement execute function forge.count_follows();
