-- The keys (SECRET_KEY) under which something in this database may be encrypted. A start without one of them would not be
-- able to read that, and says so instead (db/encryption/secret-key-check.ts).
--
-- An earlier program does not know the table. The first start of this one finds the keys in what is encrypted.
create table forgehall.secret_key (
  -- Derived from the key, which does not follow from it; it also stands in clear before each encrypted text.
  id text
    constraint secret_key_pkey primary key
    constraint secret_key_id_form check (id ~ '^[0-9a-f]{16}$'),
  added_at timestamptz(3) not null
);
