-- Errors, warnings and notices in the log of a job, found when its lines arrive: a log may be too long to be searched for
-- each reader. Of each kind, the first ones.
create table forge.action_annotation (
  task_id bigint not null constraint action_annotation_task_known references forge.action_task on delete cascade,
  -- In the log, from 0.
  line bigint not null,
  kind text not null,
  -- The line as it is stored, without its time; long ones are cut.
  content text not null,
  constraint action_annotation_pkey primary key (task_id, line)
);
