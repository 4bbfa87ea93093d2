-- Deleted pull requests whose refs are still in the directories of their repositories. Until then, whoever knows the number can
-- fetch the commits.
create table forge.removed_pull (
  repository_id bigint not null
    constraint removed_pull_repository_known references forge.repository (id) on delete cascade,
  number bigint not null,
  constraint removed_pull_pkey primary key (repository_id, number)
);
