-- Answers to creating requests that came with an `Idempotency-Key`, so that the same request again makes nothing twice.
-- The row is written in the transaction of what the request creates: either both are there after a crash, or neither.
create table forgehall.idempotency_key (
  id bigint generated always as identity primary key,
  -- SHA-256 of caller, method, path and key: bounded, whatever their length, and a key that is secret is not stored.
  digest bytea not null constraint idempotency_key_digest_unique unique,
  -- SHA-256 of query and body, to refuse another request under the same key.
  request bytea not null,
  -- Status, headers and body, encrypted because an answer may show a new token.
  sealed bytea,
  created_at timestamptz(3) not null
);

-- A scheduled task removes what is more than a day old.
create index idempotency_key_created_at_idx on forgehall.idempotency_key (created_at);
