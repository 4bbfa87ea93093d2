-- What jobs keep of their runs. An artifact of the protocol v4 is one content, which arrives in blocks; one of v3 is a set
-- of files, whose pieces may arrive from several jobs. The pieces stay as they arrive: a download sends them one after the
-- other, so nothing is written a second time.
create table forge.action_artifact (
  id bigint generated always as identity constraint action_artifact_pkey primary key,
  repository_id bigint not null constraint action_artifact_repository_known references forge.repository on delete cascade,
  run_id bigint not null constraint action_artifact_run_known references forge.action_run on delete cascade,
  attempt integer not null,
  -- The task that sends it: an upload that a later step of the same job begins again replaces the unfinished one.
  task_id bigint constraint action_artifact_task_known references forge.action_task on delete set null,
  name text not null constraint action_artifact_name_size check (char_length(name) between 1 and 255),
  -- Of its content; null: a set of files.
  media_type text,
  -- Null until the upload is complete: until then nobody but its task sees it.
  size bigint,
  -- SHA-256 of the content, if its task has named it.
  sha256 text collate "C",
  -- Bytes that have arrived, also of an unfinished upload: the limit of a repository counts them.
  received bigint not null default 0,
  expires_at timestamptz(3) not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);

-- An attempt has one artifact of each name, and a set of files is one artifact while jobs add to it.
create unique index action_artifact_name_unique on forge.action_artifact (run_id, attempt, name)
  where size is not null or media_type is null;

-- The lists of a repository and of a run, the newest first, and the sum of what a repository keeps.
create index action_artifact_of_repository on forge.action_artifact (repository_id, id) include (received);
create index action_artifact_of_run on forge.action_artifact (run_id, id);

-- Unfinished uploads of a task, and what `on delete set null` looks for.
create index action_artifact_of_task on forge.action_artifact (task_id);

-- What the clean-up removes.
create index action_artifact_expiry on forge.action_artifact (expires_at);

-- A piece of an artifact, which is a content of its own.
create table forge.action_artifact_part (
  artifact_id bigint not null constraint action_artifact_part_of references forge.action_artifact on delete cascade,
  -- Of the file within a set of files; empty for a content.
  path text not null,
  -- The id that the client gives a block, or the first byte of a piece of a file.
  block text not null collate "C",
  -- The order of the pieces; null for a block that no list of blocks has named yet.
  position bigint,
  blob text not null collate "C" constraint action_artifact_part_content_known references forge.package_blob,
  -- Bytes of this piece, and of the file that it belongs to as it is sent.
  size bigint not null,
  file_size bigint,
  is_gzipped boolean not null default false,
  constraint action_artifact_part_pkey primary key (artifact_id, path, block)
);

-- Which contents are in use.
create index action_artifact_part_blob on forge.action_artifact_part (blob);
