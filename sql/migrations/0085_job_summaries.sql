-- What the steps of a job have written for readers, as Markdown (`GITHUB_STEP_SUMMARY`), without its secrets.
create table forge.action_summary (
  task_id bigint not null constraint action_summary_task_known references forge.action_task on delete cascade,
  -- Of the step, from 0.
  step integer not null,
  content text not null,
  constraint action_summary_pkey primary key (task_id, step)
);
