-- The workflow files that the jobs of a run call, directly and through each other: a tree, read when the run is planned, so
-- that a branch that moves meanwhile changes nothing. `caller_number` 0 is the file of the run itself.
create table forge.action_called_workflow (
  run_id bigint not null constraint action_called_workflow_run_known references forge.action_run on delete cascade,
  number integer not null,
  caller_number integer not null,
  -- As the calling job has it.
  uses text not null,
  commit_sha text collate "C",
  -- Null if no job may use it; `fault` then says why.
  source text,
  fault text,
  constraint action_called_workflow_pkey primary key (run_id, number),
  constraint action_called_workflow_source_or_fault check (num_nonnulls(source, fault) = 1)
);

-- A job that calls a workflow: the workflow with this job alone, as YAML, and which file of the run it calls. Processes of the
-- previous release do not know such rows: they leave them waiting.
alter table forge.action_job add column caller text;
alter table forge.action_job add column called_number integer;
-- What it passes and gets back (inputs, secrets by name, templates of outputs), once its jobs are planned. Their keys begin
-- with its number.
alter table forge.action_job add column call json;
-- The outputs, once those jobs have ended.
alter table forge.action_job add column call_outputs json;
