-- Whoever looks at a trigger moves due_at on as long as it is at it, so that others know within a minute when its process
-- has died. So due_at can no longer be the mark of who has it.
alter table forge.action_trigger add column claim uuid;
