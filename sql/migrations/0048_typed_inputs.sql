-- The inputs of a run with the types that its workflow declares, for the expressions that are evaluated while it runs: the
-- event has them as texts. Null: the release before has started the run.
alter table forge.action_run add column inputs json;
