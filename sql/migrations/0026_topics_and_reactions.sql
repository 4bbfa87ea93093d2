-- Topics of repositories, and reactions to issues and comments.

-- The topics of a repository stand in its row, because every answer that shows a repository shows them: sorted, in lower
-- case, none twice.
alter table forge.repository add column topics text[] collate "C" not null default '{}';

-- Finds the repositories that have a topic. Most repositories have none and stay out of it.
create index repository_topics on forge.repository using gin (topics) where topics <> '{}';

-- The topics of the repositories that everybody may see, and how many of these have each: what the search for topics
-- shows. A topic of private repositories only has no row, so the search tells nobody of it.
create table forge.topic (
  id bigint generated always as identity constraint topic_pkey primary key,
  name text collate "C" not null constraint topic_name_unique unique,
  repository_count bigint not null,
  created_at timestamptz(3) not null,
  -- When the count last changed.
  updated_at timestamptz(3) not null
);

-- The order of the search.
create index topic_by_count on forge.topic (repository_count desc, name);

-- What a repository adds to the counts: its topics, if everybody may see it.
create function forge.open_topics(repository forge.repository) returns text[] language sql immutable as $$
  select case
    when repository.state = 'ready' and not repository.is_private and repository.owner_visibility = 'public'
      then repository.topics
    else '{}'
  end
$$;

create function forge.count_topics() returns trigger language plpgsql as $$
declare
  before_ text[] := forge.open_topics(old);
  after_ text[] := forge.open_topics(new);
  changed_names text[];
begin
  select array_agg(name order by name) into changed_names
  from (
    (select unnest(before_) as name except select unnest(after_))
    union all
    (select unnest(after_) as name except select unnest(before_))
  ) as changed;
  if changed_names is null then
    return null;
  end if;
  -- All transactions lock the rows in the same order, so that two of them do not wait for each other.
  perform from forge.topic where name = any(changed_names) order by name for update;
  insert into forge.topic as kept (name, repository_count, created_at, updated_at)
  select name, 1, new.updated_at, new.updated_at
  from unnest(changed_names) as name
  where name = any(after_)
  order by name
  on conflict on constraint topic_name_unique do update
    set repository_count = kept.repository_count + 1, updated_at = excluded.updated_at;
  update forge.topic
  set repository_count = repository_count - 1, updated_at = new.updated_at
  where name = any(changed_names) and name = any(before_);
  delete from forge.topic
  where name = any(changed_names) and repository_count = 0;
  return null;
end
$$;

-- A repository is created without topics, and is not 'ready' any more when its row is deleted: updates are all that counts.
create trigger repository_topics after update of topics, is_private, state, owner_visibility on forge.repository
for each row when (old.topics <> '{}' or new.topics <> '{}') execute function forge.count_topics();

-- Reactions to an issue, or to a comment on one.
create table forge.reaction (
  id bigint generated always as identity constraint reaction_pkey primary key,
  issue_id bigint constraint reaction_issue_known references forge.issue (id) on delete cascade,
  comment_id bigint constraint reaction_comment_known references forge.issue_comment (id) on delete cascade,
  account_id bigint not null constraint reaction_account_known references forge.account (id) on delete cascade,
  -- The short name of an emoji.
  content text collate "C" not null,
  created_at timestamptz(3) not null,
  constraint reaction_subject check (num_nonnulls(issue_id, comment_id) = 1)
);

-- An account reacts to one thing in one way once, also when two requests arrive at the same time.
create unique index reaction_to_issue_unique on forge.reaction (issue_id, account_id, content)
  where issue_id is not null;
create unique index reaction_to_comment_unique on forge.reaction (comment_id, account_id, content)
  where comment_id is not null;

-- The lists, oldest first.
create index reaction_to_issue on forge.reaction (issue_id, id) where issue_id is not null;
create index reaction_to_comment on forge.reaction (comment_id, id) where comment_id is not null;

create index reaction_of_account on forge.reaction (account_id);
