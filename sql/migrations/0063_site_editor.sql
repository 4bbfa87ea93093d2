-- What the editor of the site keeps. Whatever is not public (drafts, scheduled posts, what was removed) is in tables of
-- its own, so that the lists of the public read what they read before, in this release and in the one before it.

alter table site.news_post
  -- How pages show the content: `plain` as it stands, or `markdown`.
  add column format text not null default 'plain',
  -- Null: never changed.
  add column updated_at timestamptz(3),
  -- Counts changes: whoever saves one says which version it was made from.
  add column version integer not null default 1;

alter table site.media_item
  -- For those who do not see it.
  add column description text not null default '',
  add column updated_at timestamptz(3),
  add column version integer not null default 1;

-- Streams hear of corrections, too.
create trigger news_post_correction_announced after update on site.news_post
  for each statement execute function site.announce_change();
create trigger media_item_correction_announced after update on site.media_item
  for each statement execute function site.announce_change();

-- Posts before their publication, which gives them an id and a time as any other post. Until then nothing has to be
-- complete.
create table site.news_draft (
  id bigint generated always as identity constraint news_draft_pkey primary key,
  title text not null,
  content text not null,
  format text not null constraint news_draft_format_known check (format in ('plain', 'markdown')),
  -- Null: nobody knows yet when.
  publish_at timestamptz(3),
  version integer not null default 1,
  updated_at timestamptz(3) not null,
  constraint news_draft_scheduled_complete check (publish_at is null or (title <> '' and content <> ''))
);

-- The list of the editor.
create index news_draft_newest on site.news_draft (updated_at desc, id desc);
-- What is due.
create index news_draft_scheduled on site.news_draft (publish_at, id) where publish_at is not null;

-- What was removed, as it was, until a task deletes it. A post that is restored has its former id and time.
create table site.removed_post (
  id bigint constraint removed_post_pkey primary key,
  title text not null,
  content text not null,
  format text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3),
  version integer not null,
  removed_at timestamptz(3) not null
);

-- The list of the editor, newest first; the task reads it from the other end.
create index removed_post_newest on site.removed_post (removed_at desc, id desc);

create table site.removed_item (
  id bigint constraint removed_item_pkey primary key,
  title text not null,
  media_type text not null,
  url text not null,
  description text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3),
  version integer not null,
  removed_at timestamptz(3) not null
);

create index removed_item_newest on site.removed_item (removed_at desc, id desc);
