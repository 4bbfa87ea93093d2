-- Pushes of one repository overlap: what the later one has read from the disk may be stored first, and the earlier one
-- must not put its own over it. So whoever looks at the disk first draws a number here, and only a higher number than the
-- last one is stored. Every push draws after its refs have moved, so the highest number has seen all of them.
create sequence forge.repository_look;

-- The number of the look at the disk that size, is_empty and branch_count come from.
alter table forge.repository add column look bigint not null default 0;

-- What pushes have asked for and nobody has told of yet: written before git may move a ref, removed by the transaction
-- that writes the events. What a crash left is held against the disk, and told then. A row for each ref, so that whoever
-- removes one tells of it, and nobody else. Hardly more rows than there are pushes under way.
create table forge.push_journal (
  repository_id bigint not null
    constraint push_journal_repository_known references forge.repository (id) on delete cascade,
  push uuid not null,
  -- In the order of the client.
  place bigint not null,
  account_id bigint not null
    constraint push_journal_account_known references forge.account (id) on delete cascade,
  ref text collate "C" not null,
  before text collate "C" not null,
  after text collate "C" not null,
  begun_at timestamptz(3) not null,
  -- Without the ref, which may be longer than an index bears in a repository of somebody else's making.
  constraint push_journal_pkey primary key (repository_id, push, place)
);

create index push_journal_of_account on forge.push_journal (account_id);

-- What is left behind, the oldest first.
create index push_journal_by_age on forge.push_journal (begun_at);
