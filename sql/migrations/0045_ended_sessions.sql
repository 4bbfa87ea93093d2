-- Sessions in browsers that end for good when something about their account changes, whoever changes it (a request, a command,
-- an operator's statement).

-- When the account was enrolled for one-time codes as the session began; null: it was not. A session ends when that changes:
-- whoever enrols an account wants a code from everybody. Null in rows of the release before.
alter table forge.web_session add column totp_enrolled_at timestamptz(3);

-- A session must not live again when its account may sign in again.
create function forge.end_web_sessions() returns trigger language plpgsql as $$
begin
  delete from forge.web_session where account_id = new.id;
  return null;
end
$$;

create trigger account_barred after update of is_active, prohibit_login, must_change_password on forge.account
  for each row when (
    (old.is_active and not new.is_active)
    or (new.prohibit_login and not old.prohibit_login)
    or (new.must_change_password and not old.must_change_password))
  execute function forge.end_web_sessions();

-- Nor when the account is released from one-time codes; the column above ends a session that began at the same moment. Another
-- key for the secret (`secret rekey`) is no other enrolment.
create function forge.end_web_sessions_of_totp() returns trigger language plpgsql as $$
begin
  delete from forge.web_session where account_id = coalesce(new.account_id, old.account_id);
  return null;
end
$$;

create trigger totp_enrolled after insert or delete or update of created_at on forge.totp
  for each row execute function forge.end_web_sessions_of_totp();
