-- Who has approved a run of a pull request from a fork. Null: nobody had to, or nobody has, or the account is gone.
alter table forge.action_run add column approved_by bigint
  constraint action_run_approver_known references forge.account (id) on delete set null;

-- Deleting an account clears the column without reading all runs.
create index action_run_of_approver on forge.action_run (approved_by) where approved_by is not null;

-- The rows do not say yet which workflows wait for comments on pull requests by that name; the next event stores new ones.
delete from forge.action_listening;
