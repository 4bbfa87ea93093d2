-- Links with which people set a new password for themselves. An administrator makes one and passes it on, and so never knows
-- the password. The table holds hashes alone, so that nobody who reads it can use a link.
create table forge.password_link (
  -- An account has one link: a new one replaces it.
  account_id bigint not null
    constraint password_link_pkey primary key
    constraint password_link_account_known references forge.account (id) on delete cascade,
  -- SHA-256 of the secret in the link, in hexadecimal: the secret has 256 random bits.
  hash text collate "C" not null
    constraint password_link_hash_unique unique
    constraint password_link_hash_form check (hash ~ '^[0-9a-f]{64}$'),
  -- A hash of the password's record as the link was made: the link ends with that password. Null: there was no password.
  password_hash text,
  expires_at timestamptz(3) not null
);
