-- What people see and change of their own second factor and their browsers.

-- Codes that each take the place of a one-time code once, for whoever has lost the device that shows those. They belong to an
-- enrolment and go with it.
create table forge.recovery_code (
  account_id bigint not null
    constraint recovery_code_enrolment_known references forge.totp (account_id) on delete cascade,
  -- SHA-256 of a code, in hexadecimal: a code has 80 random bits.
  hash text collate "C" not null constraint recovery_code_hash_form check (hash ~ '^[0-9a-f]{64}$'),
  -- When it was used; null: it was not.
  used_at timestamptz(3),
  constraint recovery_code_pkey primary key (account_id, hash)
);

-- The name of a session in addresses and forms, which says nothing of its secret.
alter table forge.web_session add column id bigint generated always as identity;

-- Browser and system in words, `Firefox on Linux`; null: the release before made the session.
alter table forge.web_session add column browser text;
