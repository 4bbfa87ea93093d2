-- `X-Request-Id` of the request that pushed: a push that another request, or another process after a crash, publishes has the
-- id of its own request in its events. Null in rows of the release before, which leaves it out.
alter table forge.push_journal add column request_id text;
