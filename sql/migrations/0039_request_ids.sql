-- `X-Request-Id` of the request that an event and a delivery follow from, so that one request can be followed to the
-- receivers of webhooks. Null where no single request caused it, and in rows of the release before, which leaves it out.
alter table forge.event add column request_id text;
alter table forge.hook_delivery add column request_id text;
