-- Pull requests that the server merges for somebody as soon as nothing is against it any more.
create table forge.pull_auto_merge (
  issue_id bigint not null
    constraint pull_auto_merge_pkey primary key
    constraint pull_auto_merge_pull_known references forge.pull_request (issue_id) on delete cascade,
  -- Who has asked for it: the merge is theirs, and takes their rights. Without the account nobody merges.
  account_id bigint not null constraint pull_auto_merge_account_known references forge.account (id) on delete cascade,
  -- As the request has them; null: as the repository says.
  style text collate "C" not null,
  title text not null,
  message text not null,
  deletes_branch boolean,
  created_at timestamptz(3) not null,
  -- When a process looks at it next; null: not before something happens to the pull request.
  due_at timestamptz(3),
  -- Of the process that looks at it.
  claim uuid
);

-- For the deletion of accounts.
create index pull_auto_merge_of_account on forge.pull_auto_merge (account_id);

-- For processes that look for work.
create index pull_auto_merge_due on forge.pull_auto_merge (due_at, issue_id) where due_at is not null;
