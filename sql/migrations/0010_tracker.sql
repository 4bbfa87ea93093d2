-- The issue tracker and its post: issues and comments, who watches what, repositories on offer, notification threads.

-- Counters make many transactions write to one repository. A trigger before updates would turn each of these writes
-- into one of the key: PostgreSQL then takes all generated columns for changed, and waits for everybody who has just
-- referred to the row, who waits for us. The visibility of a new owner is taken over afterwards instead.
drop trigger repository_visibility on forge.repository;

create trigger repository_visibility before insert on forge.repository
for each row when (new.owner_id is not null) execute function forge.repeat_visibility();

create function forge.take_over_visibility() returns trigger language plpgsql as $$
declare
  found_visibility text;
begin
  select visibility into found_visibility from forge.account where id = new.owner_id for share;
  update forge.repository set owner_visibility = coalesce(found_visibility, 'private') where id = new.id;
  return null;
end
$$;

create trigger repository_owner_visibility after update of owner_id on forge.repository
for each row when (new.owner_id is not null and old.owner_id is distinct from new.owner_id)
execute function forge.take_over_visibility();

-- Kept beside the repository, because pages of repositories show them: how many of its issues are open, and the last
-- number that was given. Whoever gives a number holds the row until it commits, so that none is given twice and none is
-- left out.
alter table forge.repository
  add column last_issue bigint not null default 0,
  add column open_issues bigint not null default 0
    constraint repository_open_issues_not_negative check (open_issues >= 0),
  -- Counted by a trigger from here on.
  alter column watchers_count set default 0;

update forge.repository set watchers_count = 0;

alter table forge.repository_label
  -- Not offered any more, but kept on the issues that have it.
  add column is_archived boolean not null default false,
  -- For the reference of issue_label, which repeats the repository.
  add constraint repository_label_in_repository unique (id, repository_id);

create table forge.issue (
  id bigint generated always as identity constraint issue_pkey primary key,
  repository_id bigint not null
    constraint issue_repository_known references forge.repository (id) on delete cascade,
  -- What people call it, 1 and up in each repository; given by a trigger.
  number bigint not null,
  -- Null: the account has gone.
  poster_id bigint constraint issue_poster_known references forge.account (id) on delete set null,
  title text not null constraint issue_title_size check (char_length(title) between 1 and 255),
  body text not null default '',
  comments_count bigint not null default 0,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  -- Null: it is open.
  closed_at timestamptz(3),
  -- Counts and pages under a state are found in the index alone.
  constraint issue_number_unique unique (repository_id, number) include (closed_at),
  constraint issue_in_repository unique (id, repository_id)
);

create index issue_open on forge.issue (repository_id, number) where closed_at is null;
create index issue_of_poster on forge.issue (poster_id) where poster_id is not null;

create function forge.number_issue() returns trigger language plpgsql as $$
begin
  update forge.repository
  set last_issue = last_issue + 1, open_issues = open_issues + (new.closed_at is null)::integer
  where id = new.repository_id
  returning last_issue into new.number;
  return new;
end
$$;

create trigger issue_number before insert on forge.issue
for each row execute function forge.number_issue();

create function forge.count_open_issues() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    update forge.repository
    set open_issues = open_issues + case when new.closed_at is null then 1 else -1 end
    where id = new.repository_id;
  else
    update forge.repository
    set open_issues = open_issues - 1
    where id = old.repository_id;
  end if;
  return null;
end
$$;

create trigger issue_state after update of closed_at on forge.issue
for each row when ((old.closed_at is null) <> (new.closed_at is null)) execute function forge.count_open_issues();

create trigger issue_removal after delete on forge.issue
for each row when (old.closed_at is null) execute function forge.count_open_issues();

create table forge.issue_comment (
  id bigint generated always as identity constraint issue_comment_pkey primary key,
  issue_id bigint not null constraint issue_comment_issue_known references forge.issue (id) on delete cascade,
  -- Null: the account has gone.
  poster_id bigint constraint issue_comment_poster_known references forge.account (id) on delete set null,
  body text not null constraint issue_comment_body_present check (body <> ''),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);

-- The comments of an issue in order, its newest one, and who has taken part in it.
create index issue_comment_of_issue on forge.issue_comment (issue_id, id) include (poster_id);
create index issue_comment_of_poster on forge.issue_comment (poster_id) where poster_id is not null;

create function forge.count_comments() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    update forge.issue
    set comments_count = comments_count + 1
    where id = new.issue_id;
  else
    update forge.issue
    set comments_count = comments_count - 1
    where id = old.issue_id;
  end if;
  return null;
end
$$;

create trigger issue_comment_count after insert or delete on forge.issue_comment
for each row execute function forge.count_comments();

create table forge.issue_assignee (
  issue_id bigint not null constraint issue_assignee_issue_known references forge.issue (id) on delete cascade,
  account_id bigint not null
    constraint issue_assignee_account_known references forge.account (id) on delete cascade,
  constraint issue_assignee_pkey primary key (issue_id, account_id)
);

create index issue_assignee_of_account on forge.issue_assignee (account_id, issue_id);

-- An issue has labels of its own repository only.
create table forge.issue_label (
  issue_id bigint not null,
  label_id bigint not null,
  repository_id bigint not null,
  constraint issue_label_pkey primary key (issue_id, label_id),
  constraint issue_label_issue_known foreign key (issue_id, repository_id)
    references forge.issue (id, repository_id) on delete cascade,
  constraint issue_label_label_known foreign key (label_id, repository_id)
    references forge.repository_label (id, repository_id) on delete cascade
);

create index issue_label_of_label on forge.issue_label (label_id, repository_id);

-- Who wants to hear of one issue, or of it nothing more: outweighs what follows from taking part or watching.
create table forge.issue_watch (
  issue_id bigint not null constraint issue_watch_issue_known references forge.issue (id) on delete cascade,
  account_id bigint not null constraint issue_watch_account_known references forge.account (id) on delete cascade,
  is_watching boolean not null,
  constraint issue_watch_pkey primary key (issue_id, account_id)
);

create index issue_watch_of_account on forge.issue_watch (account_id);

-- Who wants to hear of everything in a repository.
create table forge.repository_watch (
  repository_id bigint not null
    constraint repository_watch_repository_known references forge.repository (id) on delete cascade,
  account_id bigint not null
    constraint repository_watch_account_known references forge.account (id) on delete cascade,
  created_at timestamptz(3) not null,
  constraint repository_watch_pkey primary key (repository_id, account_id)
);

create index repository_watch_of_account on forge.repository_watch (account_id);

create function forge.count_watchers() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    update forge.repository
    set watchers_count = watchers_count + come.watchers
    from (select repository_id, count(*) as watchers from changed group by repository_id) as come
    where repository.id = come.repository_id;
  else
    update forge.repository
    set watchers_count = watchers_count - gone.watchers
    from (select repository_id, count(*) as watchers from changed group by repository_id) as gone
    where repository.id = gone.repository_id;
  end if;
  return null;
end
$$;

create trigger repository_watch_insert after insert on forge.repository_watch
referencing new table as changed for each statement execute function forge.count_watchers();

create trigger repository_watch_delete after delete on forge.repository_watch
referencing old table as changed for each statement execute function forge.count_watchers();

-- Whoever creates a repository watches it: of those that are there already, the people who own them.
insert into forge.repository_watch (repository_id, account_id, created_at)
select repository.id, account.id, repository.created_at
from forge.repository
join forge.account on account.id = repository.owner_id
where account.kind <> 'organization';

-- Repositories that were offered to an account, which has not said yes or no yet.
create table forge.repository_transfer (
  repository_id bigint constraint repository_transfer_pkey primary key
    constraint repository_transfer_repository_known references forge.repository (id) on delete cascade,
  recipient_id bigint not null
    constraint repository_transfer_recipient_known references forge.account (id) on delete cascade,
  -- Who offers it.
  doer_id bigint not null constraint repository_transfer_doer_known references forge.account (id) on delete cascade,
  -- Teams of the recipient that are to have it then, as far as they are still there.
  team_ids bigint[] not null default '{}',
  created_at timestamptz(3) not null
);

create index repository_transfer_of_recipient on forge.repository_transfer (recipient_id);
create index repository_transfer_of_doer on forge.repository_transfer (doer_id);

-- What an account is to take notice of: one thread for each issue, and one for each offer of a repository.
create table forge.notification (
  id bigint generated always as identity constraint notification_pkey primary key,
  account_id bigint not null constraint notification_account_known references forge.account (id) on delete cascade,
  repository_id bigint not null
    constraint notification_repository_known references forge.repository (id) on delete cascade,
  source text collate "C" not null
    constraint notification_source_known check (source in ('issue', 'pull', 'commit', 'repository')),
  issue_id bigint constraint notification_issue_known references forge.issue (id) on delete cascade,
  commit_id text collate "C",
  status text collate "C" not null default 'unread'
    constraint notification_status_known check (status in ('unread', 'read', 'pinned')),
  -- The last activity on the subject, or change of the status.
  updated_at timestamptz(3) not null,
  -- Whose activity that was. No reference: it outlives the account, and whoever looks for a source of spam finds it.
  updated_by bigint,
  constraint notification_subject check (
    (source in ('issue', 'pull')) = (issue_id is not null) and (source = 'commit') = (commit_id is not null))
);

-- Activity finds the thread; the subject finds its threads when it goes.
create unique index notification_issue_unique on forge.notification (issue_id, account_id)
  where issue_id is not null;
create index notification_of_repository on forge.notification (repository_id);

-- The lists of an account, newest first. What they filter by is included, so that counts and pages are found in the
-- index alone. What is not read yet has one of its own: it is what is asked for by default, and stays small.
create index notification_of_account on forge.notification (account_id, updated_at desc, id desc)
  include (status, source, repository_id);
create index notification_open on forge.notification (account_id, updated_at desc, id desc)
  include (status, source, repository_id)
  where status in ('unread', 'pinned');
