-- Forks: the repository from which another one was made, and how many forks a repository has.

-- A fork that is being made has its parent already, but is not counted yet.
alter table forge.repository
  add column parent_id bigint references forge.repository (id) on delete set null,
  add column forks_count bigint not null default 0;

-- The forks of a repository, oldest first; also for its deletion.
create index repository_by_parent on forge.repository (parent_id, id) where parent_id is not null;

-- Lists sorted by the number of forks, as those sorted by stars.
create index repository_by_forks on forge.repository (forks_count, id) where state = 'ready';

-- Counts the forks that are visible. The deletion of a repository makes its forks independent.
create function forge.count_forks() returns trigger language plpgsql as $$
declare
  step integer := case new.state when 'ready' then 1 else -1 end;
begin
  update forge.repository set forks_count = forks_count + step where id = new.parent_id;
  if step < 0 then
    update forge.repository set parent_id = null where parent_id = new.id;
  end if;
  return null;
end
$$;

create trigger repository_forks_counted after update of state on forge.repository
for each row when ((old.state = 'ready') <> (new.state = 'ready'))
execute function forge.count_forks();

-- What was private in a repository stays so in its forks, and, by the same trigger, in theirs. Their owners make them public
-- again if the repository is.
create function forge.hide_forks() returns trigger language plpgsql as $$
begin
  update forge.repository set is_private = true, updated_at = new.updated_at
  where parent_id = new.id and not is_private;
  return null;
end
$$;

create trigger repository_forks_hidden after update of is_private on forge.repository
for each row when (new.is_private and not old.is_private)
execute function forge.hide_forks();
