-- What those who look after issues do with them: say until when one is to be done, lock its comments, and pin it.

alter table forge.issue
  -- Null: it has no end.
  add column due_at timestamptz(3),
  -- Only those who may write to the issues can comment on it and react to it.
  add column is_locked boolean not null default false;

-- The pinned issues of a repository, which lists show before all others. Whoever changes them locks the repository, so that
-- there are never too many and two do not have one place.
create table forge.issue_pin (
  issue_id bigint constraint issue_pin_pkey primary key,
  repository_id bigint not null,
  -- Their order, from 1; places of issues that were deleted stay free.
  place integer not null,
  constraint issue_pin_issue_known foreign key (issue_id, repository_id)
    references forge.issue (id, repository_id) on delete cascade
);

create index issue_pin_of_repository on forge.issue_pin (repository_id, place, issue_id);
