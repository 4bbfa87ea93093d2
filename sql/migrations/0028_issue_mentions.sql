-- Whom the texts of an issue and of its comments mention, so that lists can be narrowed to issues that mention somebody.
-- A mention is kept for as long as the issue: a comment that is edited or deleted takes none away.
create table forge.issue_mention (
  issue_id bigint not null constraint issue_mention_issue_known references forge.issue (id) on delete cascade,
  account_id bigint not null
    constraint issue_mention_account_known references forge.account (id) on delete cascade,
  constraint issue_mention_pkey primary key (issue_id, account_id)
);

-- The issues that mention an account, and the mentions that go with an account.
create index issue_mention_of_account on forge.issue_mention (account_id, issue_id);

-- What has been written so far. Names inside of code are taken for mentions here, and nobody asks whether the account
-- could read the issue at that time: a list shows nobody an issue for being mentioned in it.
insert into forge.issue_mention (issue_id, account_id)
select distinct written.issue_id, account.id
from (
  select id as issue_id, poster_id, title || E'\n\n' || body as text
  from forge.issue
  union all
  select issue_id, poster_id, body
  from forge.issue_comment
) as written
cross join lateral regexp_matches(
  lower(written.text), '(?:^|[\s(\[])@([\w-]+(?:\.[\w-]+)*)(?=$|[\s)\]''?!]|[:,;.](?:$|\s|[)\]]))', 'g'
) as mention (names)
join forge.account on account.key = mention.names[1]
where written.text like '%@%' and account.kind <> 'organization'
  and account.id is distinct from written.poster_id;
