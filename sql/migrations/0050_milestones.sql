-- Milestones: what issues of a repository are to be done together, and until when.

create table forge.milestone (
  id bigint generated always as identity constraint milestone_pkey primary key,
  repository_id bigint not null
    constraint milestone_repository_known references forge.repository (id) on delete cascade,
  title text not null constraint milestone_title_size check (char_length(title) <= 255),
  description text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  -- Null: it has no end.
  due_at timestamptz(3),
  -- Null: it is open.
  closed_at timestamptz(3),
  -- Counted by triggers on forge.issue, because every answer with an issue of the milestone shows them.
  open_issues bigint not null default 0 constraint milestone_open_issues_not_negative check (open_issues >= 0),
  closed_issues bigint not null default 0 constraint milestone_closed_issues_not_negative check (closed_issues >= 0)
);

-- The order of the list.
create index milestone_of_repository on forge.milestone (repository_id, due_at nulls first, title collate "C", id);

-- An issue has at most one milestone, of its own repository: the server looks it up there before it stores it.
alter table forge.issue
  add column milestone_id bigint constraint issue_milestone_known references forge.milestone (id) on delete set null;

-- The issues of a milestone: for lists under it, and when it is deleted.
create index issue_of_milestone on forge.issue (milestone_id, id) where milestone_id is not null;

create function forge.count_milestone_issues() returns trigger language plpgsql as $$
declare
  left_id bigint;
  was_open integer := 0;
  joined_id bigint;
  is_open integer := 0;
begin
  if tg_op <> 'INSERT' then
    left_id := old.milestone_id;
    was_open := (old.closed_at is null)::integer;
  end if;
  if tg_op <> 'DELETE' then
    joined_id := new.milestone_id;
    is_open := (new.closed_at is null)::integer;
  end if;
  -- All transactions lock the rows in the same order, so that two of them do not wait for each other.
  perform from forge.milestone where id in (left_id, joined_id) order by id for no key update;
  update forge.milestone
  set open_issues = open_issues - was_open, closed_issues = closed_issues - (1 - was_open)
  where id = left_id;
  update forge.milestone
  set open_issues = open_issues + is_open, closed_issues = closed_issues + (1 - is_open)
  where id = joined_id;
  return null;
end
$$;

-- Triggers run in the order of their names: these come after issue_number, issue_removal and issue_state, so that every
-- transaction locks the row of the repository before those of milestones.
create trigger issue_tally_insert after insert on forge.issue
for each row when (new.milestone_id is not null) execute function forge.count_milestone_issues();

create trigger issue_tally_update after update of milestone_id, closed_at on forge.issue
for each row when (
  old.milestone_id is distinct from new.milestone_id
  or (new.milestone_id is not null and (old.closed_at is null) <> (new.closed_at is null))
) execute function forge.count_milestone_issues();

create trigger issue_tally_delete after delete on forge.issue
for each row when (old.milestone_id is not null) execute function forge.count_milestone_issues();
