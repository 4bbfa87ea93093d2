-- The deployment environment that a job names, and where what it deploys is found: both are shown with the job, and restrict
-- nothing. Null: the job names none.
alter table forge.action_job
  add column environment text,
  -- Null also if only the runner can evaluate it, such as an output of a step.
  add column environment_url text;
