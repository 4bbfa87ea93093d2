-- The program's own schema. The table of migrations is made before the first of them (src/db/migrate/migrate.ts).

-- The keys (SECRET_KEY) under which something in this database may be encrypted. A start without one of them would not be
-- able to read that, and says so instead (db/encryption/secret-key-check.ts).
create table forgehall.secret_key (
  -- Derived from the key, which does not follow from it; it also stands in clear before each encrypted text.
  id text
    constraint secret_key_pkey primary key
    constraint secret_key_id_form check (id ~ '^[0-9a-f]{16}$'),
  added_at timestamptz(3) not null
);

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

-- Identifies this database in the store of the contents of packages (S3_URL), which remembers whose it is: the clean-up
-- removes contents that its database does not know, so two databases must not share a store.
create table forgehall.content_store (
  id text constraint content_store_pkey primary key
);

-- A database has one identity, also if several processes start for the first time.
create unique index content_store_single on forgehall.content_store ((true));

-- Migrations without which a program cannot run on this schema. A program ignores the other ones that it does not know,
-- so that an older process works on beside a newer one during an upgrade; of these it says so and ends.
create table forgehall.required_migration (
  name text constraint required_migration_pkey primary key
);

-- Programs that know other first migrations cannot work on this schema.
insert into forgehall.required_migration (name) values ('0003_forgehall');
