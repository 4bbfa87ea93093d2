-- A job whose matrix, name or labels depend on the jobs that it needs: nobody knows its combinations before those have
-- ended. It is one row until then, with the workflow that contains this job alone, as YAML whose expressions are not
-- evaluated. When its time comes, the server plans it again from that text; the row becomes the first combination and keeps
-- the text for a further attempt. Processes of the previous release do not know such rows: they leave them waiting.
alter table forge.action_job add column expansion text;

-- The jobs that wait for the server and not for a runner: each process looks for them whenever something has happened.
create index action_job_unplanned on forge.action_job (id) where payload is null and status = 'queued';
