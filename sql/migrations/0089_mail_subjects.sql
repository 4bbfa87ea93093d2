-- Mails say what they are about, so that several of one kind can wait for one recipient: notes about each thing that was
-- changed, and news of each issue. No release has written the table: its index may be replaced.
alter table forgehall.mail
  -- The action of a note, the id of the issue of news; empty where the kind says it all.
  add column about text collate "C" not null default '',
  -- SHA-256 of the secret in the link of the mail; null: it has none, or was not sent yet.
  add column secret_hash text collate "C";

drop index forgehall.mail_waiting_unique;
create unique index mail_waiting_unique on forgehall.mail (kind, recipient, about) where state = 'waiting';

-- Those that were given up, for their number and for administrators.
create index mail_failed on forgehall.mail (finished_at) where state = 'failed';

-- Who follows a link.
create unique index mail_secret_unique on forgehall.mail (secret_hash) where secret_hash is not null;

-- Of which notifications somebody wants mails. No row: of all.
create table forge.mail_preference (
  account_id bigint
    constraint mail_preference_pkey primary key
    constraint mail_preference_account_known references forge.account (id) on delete cascade,
  preference text collate "C" not null
    constraint mail_preference_known check (preference in ('enabled', 'onmention', 'disabled', 'andyourown'))
);
