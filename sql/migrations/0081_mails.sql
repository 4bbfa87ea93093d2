-- Mails that are to be sent, and for a while those that were. A row says why a mail is sent and to whom, not what it says:
-- that is written as it is sent, so that no link with a secret in it lies in the database.
create table forgehall.mail (
  id bigint generated always as identity
    constraint mail_pkey primary key,
  -- Why it is sent; decides what it says.
  kind text collate "C" not null,
  recipient text not null,
  -- Whom it is about; null: who has the address decides, at the time of sending.
  account_id bigint constraint mail_account_known references forge.account (id) on delete cascade,
  state text collate "C" not null default 'waiting'
    constraint mail_state_known check (state in ('waiting', 'sent', 'failed')),
  attempts integer not null default 0,
  -- Why the last attempt failed; empty: none has.
  error text not null default '',
  created_at timestamptz(3) not null,
  -- When the next attempt may begin, or when the claim of a process ends.
  due_at timestamptz(3) not null,
  -- When it was sent or given up.
  finished_at timestamptz(3)
);

-- However often something is requested, one mail waits for it.
create unique index mail_waiting_unique on forgehall.mail (kind, recipient) where state = 'waiting';

-- The next mails.
create index mail_due on forgehall.mail (due_at, id) where state = 'waiting';

-- How many a recipient got of late.
create index mail_sent_to on forgehall.mail (recipient, finished_at) where state = 'sent';

-- Old ones, which are deleted, and the list for administrators.
create index mail_by_end on forgehall.mail (finished_at, id) where finished_at is not null;

-- For the deletion of accounts.
create index mail_of_account on forgehall.mail (account_id) where account_id is not null;
