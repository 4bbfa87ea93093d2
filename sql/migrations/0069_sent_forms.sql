-- Forms of pages that were sent, with what they led to, so that the same form again (a double click, a lost answer) does
-- nothing twice. As with `forgehall.idempotency_key`, the row is written in the transaction of what the form asks for.
create table site.sent_form (
  -- SHA-256 of the sender, the id that the server gave the form, and what was written in it.
  digest bytea constraint sent_form_pkey primary key,
  -- Where the answer led; null only while the transaction runs.
  outcome json,
  sent_at timestamptz(3) not null
);

-- A scheduled task removes what is more than a day old.
create index sent_form_sent_at on site.sent_form (sent_at);
