-- Which events about issues the workflows on the default branch of a repository wait for. Most wait for none: an event that
-- none waits for needs no look at the files of the branch.
create table forge.action_listening (
  repository_id bigint not null constraint action_listening_pkey primary key
    constraint action_listening_repository_known references forge.repository (id) on delete cascade,
  -- The default branch when its files were read. A row of another branch says nothing, and neither does a missing one.
  branch text collate "C" not null,
  events text[] collate "C" not null
);
