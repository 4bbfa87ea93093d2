-- What the server knows about jobs that their runner does not end: how long a job may take, and why it was ended.

-- `timeout-minutes`, rounded up. Null: the workflow says nothing that the server can evaluate. Runners before 2.0 do not
-- end a job after that time, so the server does.
alter table forge.action_job add column timeout_minutes integer
  constraint action_job_timeout_positive check (timeout_minutes > 0);

-- The sentence that the log of a task ends with when the server ended it. It is not a line of the log itself, because
-- runners count lines, and a late runner would take the line for one of its own. Empty: the runner ended the task.
alter table forge.action_task add column end_note text not null default '';
