-- The OpenPGP keys by which people sign commits. They are checked when they are added; a row has what is left to know then.
create table forge.gpg_key (
  id bigint generated always as identity constraint gpg_key_pkey primary key,
  account_id bigint not null constraint gpg_key_account_known references forge.account (id) on delete cascade,
  -- The primary key of a subkey.
  parent_id bigint constraint gpg_key_parent_known references forge.gpg_key (id) on delete cascade,
  -- Hexadecimal in capitals. Signatures name the key id, which is its end.
  fingerprint text collate "C" not null,
  key_id text collate "C" not null constraint gpg_key_key_id_syntax check (key_id ~ '^[0-9A-F]{16}$'),
  -- The body of the packet of this key alone, from which signatures are checked.
  packet bytea not null,
  -- The key with all that it says about itself, for others to read; null for subkeys.
  certificate bytea,
  -- The addresses in its user ids, as written; empty for subkeys.
  emails text[] not null default '{}',
  -- Whether the account has signed a text of the server with it; false for subkeys.
  is_verified boolean not null default false,
  can_sign boolean not null,
  can_certify boolean not null,
  can_encrypt_messages boolean not null,
  can_encrypt_files boolean not null,
  -- When the key was made and when it ends, as it says itself.
  created_at timestamptz(3) not null,
  expires_at timestamptz(3),
  added_at timestamptz(3) not null
);

-- A key belongs to one account. Not so its subkeys: anybody can name one that only encrypts as theirs.
create unique index gpg_key_fingerprint_unique on forge.gpg_key (fingerprint) where parent_id is null;
-- The list of an account.
create index gpg_key_of_account on forge.gpg_key (account_id, id) where parent_id is null;
-- The subkeys of a key.
create index gpg_key_of_parent on forge.gpg_key (parent_id, id) where parent_id is not null;
-- Who has signed a commit.
create index gpg_key_by_key_id on forge.gpg_key (account_id, key_id);
