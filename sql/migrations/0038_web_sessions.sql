-- Sessions of administrators in browsers, for the page that manages the site. The cookie holds a random secret; the table
-- holds its hash alone, so that nobody who reads the table can take over a session.
create table forge.web_session (
  hash text
    constraint web_session_pkey primary key
    constraint web_session_hash_form check (hash ~ '^[0-9a-f]{64}$'),
  account_id bigint not null constraint web_session_account_known references forge.account (id) on delete cascade,
  -- The token that was presented; a session ends with its token. Null: a password was.
  token_id bigint constraint web_session_token_known references forge.access_token (id) on delete cascade,
  -- A hash of the password's record: a session ends when the password changes.
  password_hash text constraint web_session_has_credential check ((token_id is null) = (password_hash is not null)),
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null
);

-- For the removal of accounts and tokens, and of sessions that have expired.
create index web_session_of_account on forge.web_session (account_id);
create index web_session_of_token on forge.web_session (token_id) where token_id is not null;
create index web_session_expiring on forge.web_session (expires_at);
