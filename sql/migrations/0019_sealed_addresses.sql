-- Addresses of webhooks are secrets: those of chats hold a token, others user and password. They are encrypted as the
-- other secrets are, in the webhook and in what is recorded of its attempts.
--
-- SQL cannot do it: each server that starts encrypts what it finds in clear, and empties those columns
-- (db/encryption/plaintext.ts), which go a release later. Meanwhile the previous program may write there, and what it wrote counts.
-- It cannot read what is encrypted: its attempts at such webhooks fail, and the new program makes the next ones.

alter table forge.hook
  -- Key id, nonce, tag and text (db/encryption/secrets.ts).
  add column address bytea,
  alter column url drop not null,
  add constraint hook_address_present check (num_nonnulls(address, url) > 0);

alter table forge.hook_attempt
  add column address bytea,
  alter column request_url drop not null;

-- What is left in clear. Nothing, so a start finds that out without reading the tables.
create index hook_in_clear on forge.hook (id) where url is not null;
create index hook_attempt_in_clear on forge.hook_attempt (delivery_id, number) where request_url is not null;
