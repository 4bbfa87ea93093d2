-- Three codes of six digits are valid at any moment, so whoever knows a password could try codes until one fits. Attempts
-- are counted here, where every process sees them, and an attempt is claimed before its code is compared: after five
-- without success an account has one attempt in each time step of 30 seconds. A right code starts the count anew.
alter table forge.totp
  -- Attempts since the last right code.
  add column attempts integer not null default 0 constraint totp_attempts_floor check (attempts >= 0),
  -- The time step of the last attempt; -1: there was none.
  add column attempt_step bigint not null default -1;
