-- Which issues wait for which others, also those of other repositories.

create table forge.issue_dependency (
  issue_id bigint not null
    constraint issue_dependency_issue_known references forge.issue (id) on delete cascade,
  -- What it waits for: while that is open, the issue cannot be closed.
  dependency_id bigint not null
    constraint issue_dependency_dependency_known references forge.issue (id) on delete cascade,
  created_at timestamptz(3) not null,
  constraint issue_dependency_pkey primary key (issue_id, dependency_id),
  constraint issue_dependency_not_itself check (issue_id <> dependency_id)
);

-- What waits for an issue.
create index issue_dependency_of_dependency on forge.issue_dependency (dependency_id, issue_id);
