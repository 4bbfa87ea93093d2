-- Repositories that teams have one by one. A team of the owners, or one that includes all, has every repository of its
-- organization without a row here.
create table forge.team_repository (
  team_id bigint not null constraint team_repository_team_known references forge.team (id) on delete cascade,
  -- Counts only while the organization of the team owns it.
  repository_id bigint not null
    constraint team_repository_repository_known references forge.repository (id) on delete cascade,
  constraint team_repository_pkey primary key (team_id, repository_id)
);

-- The teams of a repository, and its removal.
create index team_repository_of_repository on forge.team_repository (repository_id, team_id);
