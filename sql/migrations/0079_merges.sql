-- Merges under way: what is about to be merged, written before the base branch moves. If the server ends between the move and
-- the transaction that closes the pull request, the branch proves later whether it was merged.
create table forge.pull_merge (
  issue_id bigint not null
    constraint pull_merge_pkey primary key
    constraint pull_merge_pull_known references forge.pull_request (issue_id) on delete cascade,
  -- The commit to which the base branch is to move.
  commit_id text collate "C" not null,
  -- The head that it contains, and the way of merging, as the API names it.
  head_commit text collate "C" not null,
  style text collate "C" not null,
  -- Who merges; null: the account has been deleted.
  merger_id bigint constraint pull_merge_merger_known references forge.account (id) on delete set null,
  begun_at timestamptz(3) not null
);

-- For the deletion of accounts.
create index pull_merge_of_merger on forge.pull_merge (merger_id) where merger_id is not null;

-- The repair after a crash.
create index pull_merge_by_start on forge.pull_merge (begun_at, issue_id);
