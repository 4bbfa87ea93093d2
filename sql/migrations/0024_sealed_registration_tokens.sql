-- Registration tokens of runners are secrets: whoever has one joins a runner and is given jobs with their secrets. A
-- hash finds them, and the text, which is shown again to those who may ask for it, is encrypted like other secrets.
--
-- SQL cannot encrypt: each server that starts encrypts what it finds in clear, and empties that column
-- (db/encryption/plaintext.ts), which goes a release later. Meanwhile the previous program may write there; a trigger hashes what it
-- wrote. It cannot read what is encrypted: it knows no token that a new server has encrypted.

alter table forge.action_runner_token
  -- SHA-256 of the token.
  add column token_hash bytea constraint action_runner_token_size_of_hash check (octet_length(token_hash) = 32),
  -- Key id, nonce, tag and text (db/encryption/secrets.ts).
  add column sealed bytea,
  alter column token drop not null,
  add constraint action_runner_token_present check (num_nonnulls(sealed, token) > 0);

update forge.action_runner_token
set token_hash = sha256(convert_to(token, 'UTF8'));

alter table forge.action_runner_token
  alter column token_hash set not null,
  add constraint action_runner_token_hash_unique unique (token_hash);

create function forge.hash_registration_token() returns trigger
language plpgsql
as $$
begin
  new.token_hash := sha256(convert_to(new.token, 'UTF8'));
  return new;
end
$$;

create trigger action_runner_token_hashed
before insert on forge.action_runner_token
for each row
when (new.token is not null)
execute function forge.hash_registration_token();

-- What is left in clear. Nothing, so a start finds that out without reading the table.
create index action_runner_token_in_clear on forge.action_runner_token (id) where token is not null;
