-- A job may start workflows with its token, and these may do the same. How many such starts came before a run bounds
-- the chain, which could go on for ever otherwise.
alter table forge.action_run add column dispatch_depth integer not null default 0
  constraint action_run_dispatch_depth_positive check (dispatch_depth >= 0);
