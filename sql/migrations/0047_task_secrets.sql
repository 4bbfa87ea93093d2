-- The secrets that a task received, as they were then: they are masked in its log and dropped from its outputs, also after one
-- was changed or deleted, after the repository got another owner, and in another process. Removed an hour after the task.
create table forge.action_task_secret (
  task_id bigint
    constraint action_task_secret_pkey primary key
    constraint action_task_secret_task_known references forge.action_task (id) on delete cascade,
  -- A JSON array of the values.
  sealed bytea not null
);
