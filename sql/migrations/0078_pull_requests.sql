-- Pull requests: issues with one row more. Numbers, comments, labels, assignees and all else come from the issue.
alter table forge.issue
  -- Whether it is a pull request; never changes. A row in pull_request says the same, but no index could tell them apart.
  add column is_pull boolean not null default false;

-- Open pull requests are counted apart from open issues.
alter table forge.repository
  add column open_pulls bigint not null default 0;

create or replace function forge.number_issue() returns trigger language plpgsql as $$
declare
  is_open integer := (new.closed_at is null)::integer;
begin
  update forge.repository
  set last_issue = last_issue + 1,
    open_issues = open_issues + case when new.is_pull then 0 else is_open end,
    open_pulls = open_pulls + case when new.is_pull then is_open else 0 end
  where id = new.repository_id
  returning last_issue into new.number;
  return new;
end
$$;

create or replace function forge.count_open_issues() returns trigger language plpgsql as $$
declare
  step integer := -1;
begin
  if tg_op = 'UPDATE' and new.closed_at is null then
    step := 1;
  end if;
  update forge.repository
  set open_issues = open_issues + case when old.is_pull then 0 else step end,
    open_pulls = open_pulls + case when old.is_pull then step else 0 end
  where id = old.repository_id;
  return null;
end
$$;

-- Lists of one kind: all of them and the open ones, by number. The indexes of lists of both kinds stay.
create index issue_without_pulls on forge.issue (repository_id, number) include (closed_at) where not is_pull;
create index issue_open_without_pulls on forge.issue (repository_id, number) where closed_at is null and not is_pull;
create index issue_pulls on forge.issue (repository_id, number) include (closed_at) where is_pull;
create index issue_open_pulls on forge.issue (repository_id, number) where closed_at is null and is_pull;

create table forge.pull_request (
  issue_id bigint not null
    constraint pull_request_pkey primary key
    constraint pull_request_issue_known references forge.issue (id) on delete cascade,
  -- The repository of the issue, into which it is to be merged.
  repository_id bigint not null
    constraint pull_request_repository_known references forge.repository (id) on delete cascade,
  -- Null: the repository with the proposed branch has been deleted.
  head_repository_id bigint
    constraint pull_request_head_repository_known references forge.repository (id) on delete set null,
  -- Short names of branches.
  head_branch text collate "C" not null constraint pull_request_head_branch_present check (head_branch <> ''),
  base_branch text collate "C" not null constraint pull_request_base_branch_present check (base_branch <> ''),
  -- The newest proposed commit; refs/pull/N/head points to it.
  head_commit text collate "C" not null,
  -- Whether the head branch exists.
  has_head_branch boolean not null default true,
  -- The best common ancestor when it was opened, last pushed to or merged; "": the histories have none.
  merge_base text collate "C" not null,
  -- Repeats the state of the issue, for the indexes: a trigger keeps it.
  is_open boolean not null default true,
  -- Whether those who may write to the base repository may push to the head branch.
  allow_maintainer_edit boolean not null default false,
  -- Null: it is not merged.
  merged_at timestamptz(3),
  -- Null also if the account has been deleted.
  merged_by bigint constraint pull_request_merger_known references forge.account (id) on delete set null,
  -- The commit on the base branch that contains it since.
  merged_commit text collate "C",
  -- The way in which it was merged, as the API names it.
  merge_style text collate "C",
  constraint pull_request_merged_completely check ((merged_at is null) = (merged_commit is null))
);

-- At most one open request proposes a branch for another; also finds those of a base branch that moves.
create unique index pull_request_open_pair on forge.pull_request (repository_id, base_branch, head_repository_id, head_branch)
where is_open;
-- Those of a head branch that moves.
create index pull_request_open_head on forge.pull_request (head_repository_id, head_branch) where is_open;
-- Those of a pair of branches, the open one or the newest; also for the deletion of the head repository.
create index pull_request_of_head on forge.pull_request (head_repository_id, head_branch, repository_id, base_branch, issue_id);
-- The lists of a base branch, and the deletion of the base repository.
create index pull_request_of_base on forge.pull_request (repository_id, base_branch, issue_id);
-- The one that brought a commit.
create index pull_request_merged_commit on forge.pull_request (repository_id, merged_commit) where merged_commit is not null;
-- For the deletion of accounts.
create index pull_request_of_merger on forge.pull_request (merged_by) where merged_by is not null;

create function forge.repeat_pull_state() returns trigger language plpgsql as $$
begin
  update forge.pull_request set is_open = (new.closed_at is null) where issue_id = new.id;
  return null;
end
$$;

create trigger issue_pull_state after update of closed_at on forge.issue
for each row when (new.is_pull and (old.closed_at is null) <> (new.closed_at is null))
execute function forge.repeat_pull_state();

-- What somebody thinks of a pull request, or is asked to think about it.
create table forge.review (
  id bigint generated always as identity constraint review_pkey primary key,
  issue_id bigint not null constraint review_pull_known references forge.pull_request (issue_id) on delete cascade,
  -- Null: the account has been deleted, or a team is asked.
  reviewer_id bigint constraint review_reviewer_known references forge.account (id) on delete set null,
  -- The team that is asked; null: a person.
  team_id bigint constraint review_team_known references forge.team (id) on delete cascade,
  state text collate "C" not null
    constraint review_state_known check (state in ('pending', 'comment', 'approve', 'reject', 'request')),
  body text not null default '',
  -- The head of the request that was read; "" for a request.
  commit_id text collate "C" not null default '',
  -- Whether it counts for the rule of the base branch: decided when it is submitted.
  is_official boolean not null default false,
  -- Whether the head has moved since.
  is_stale boolean not null default false,
  -- Whether an administrator has made it not count.
  is_dismissed boolean not null default false,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);

create index review_of_pull on forge.review (issue_id, id);
create index review_of_reviewer on forge.review (reviewer_id, issue_id) where reviewer_id is not null;
create index review_of_team on forge.review (team_id) where team_id is not null;
-- Somebody has one draft, and is asked once.
create unique index review_pending on forge.review (issue_id, reviewer_id) where state = 'pending';
create unique index review_request on forge.review (issue_id, reviewer_id) where state = 'request' and reviewer_id is not null;
create unique index review_team_request on forge.review (issue_id, team_id) where state = 'request' and team_id is not null;

-- A comment of a review on a line of a file.
create table forge.review_comment (
  -- From the sequence of comments: addresses name both kinds by their ids alone.
  id bigint not null default nextval('forge.issue_comment_id_seq') constraint review_comment_pkey primary key,
  review_id bigint not null constraint review_comment_review_known references forge.review (id) on delete cascade,
  issue_id bigint not null constraint review_comment_pull_known references forge.pull_request (issue_id) on delete cascade,
  -- Null: the account has been deleted.
  poster_id bigint constraint review_comment_poster_known references forge.account (id) on delete set null,
  body text not null constraint review_comment_body_present check (body <> ''),
  path text not null,
  -- Counted from 1: of the file after the change, or before it (`is_old`).
  line integer not null constraint review_comment_line_positive check (line > 0),
  is_old boolean not null default false,
  -- The commit whose file has the line: the head that was read, or the merge base.
  commit_id text collate "C" not null,
  -- The part of the difference that ends in the line.
  hunk text not null default '',
  -- Whether a later head has another text at the line.
  is_outdated boolean not null default false,
  -- Who has marked the conversation as resolved; null: nobody.
  resolver_id bigint constraint review_comment_resolver_known references forge.account (id) on delete set null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);

create index review_comment_of_review on forge.review_comment (review_id, id);
-- The conversation at a line.
create index review_comment_of_pull on forge.review_comment (issue_id, path, line, id);
create index review_comment_of_poster on forge.review_comment (poster_id) where poster_id is not null;
create index review_comment_of_resolver on forge.review_comment (resolver_id) where resolver_id is not null;
