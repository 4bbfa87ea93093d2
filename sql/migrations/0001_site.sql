-- The Site Content and Presence Service: news, media, visitors and their sessions, and what the overview shows.
create schema site;

create table site.news_post (
  id bigint generated always as identity constraint news_post_pkey primary key,
  title text not null constraint news_post_title_present check (title <> ''),
  content text not null constraint news_post_content_present check (content <> ''),
  created_at timestamptz(3) not null,
  -- How pages show the content: `plain` as it stands, or `markdown`.
  format text not null default 'plain',
  -- Null: never changed.
  updated_at timestamptz(3),
  -- Counts changes: whoever saves one says which version it was made from.
  version integer not null default 1
);

-- The list, newest first; the id keeps posts of one millisecond in order.
create index news_post_newest on site.news_post (created_at desc, id desc);

create table site.media_item (
  id bigint generated always as identity constraint media_item_pkey primary key,
  title text not null constraint media_item_title_present check (title <> ''),
  media_type text not null constraint media_item_type_known check (media_type in ('image', 'video')),
  url text not null constraint media_item_url_present check (url <> ''),
  created_at timestamptz(3) not null,
  -- For those who do not see it.
  description text not null default '',
  updated_at timestamptz(3),
  version integer not null default 1,
  -- The picture of an item, in the site and in the trash. No foreign keys: a restored backup may lack a content, and with
  -- it the picture.
  picture uuid
);

create index media_item_newest on site.media_item (created_at desc, id desc);

-- Whether a picture is shown.
create index media_item_of_picture on site.media_item (picture) where picture is not null;

-- "visitor" and not "user", which SQL reserves. Names are unique as they are written: the specification folds no case.
create table site.visitor (
  id bigint generated always as identity constraint visitor_pkey primary key,
  -- Bounded, because a b-tree cannot hold a key of more than about 2,700 bytes.
  username text not null constraint visitor_username_size check (char_length(username) between 1 and 255),
  joined_at timestamptz(3) not null,
  -- Null until the first session; every session started moves it on.
  last_seen_at timestamptz(3),
  constraint visitor_username_unique unique (username)
);

-- The newest visitor, for the overview.
create index visitor_newest on site.visitor (joined_at desc, id desc);

create table site.session (
  id bigint generated always as identity constraint session_pkey primary key,
  visitor_id bigint not null constraint session_visitor_known references site.visitor (id) on delete cascade,
  started_at timestamptz(3) not null,
  -- Null while the session is open: open sessions are who is online.
  ended_at timestamptz(3) constraint session_ends_after_start check (ended_at >= started_at)
);

-- Who is online, most recently started first. Partial, so that it stays as small as the crowd that is here now.
create index session_open on site.session (started_at desc, id desc) where ended_at is null;

-- For the removal of a visitor.
create index session_of_visitor on site.session (visitor_id);

create table site.activity_entry (
  id bigint generated always as identity constraint activity_entry_pkey primary key,
  description text not null constraint activity_entry_description_present check (description <> ''),
  created_at timestamptz(3) not null
);

create index activity_entry_newest on site.activity_entry (created_at desc, id desc);

-- The operator's figures for the overview. The keys are the specification's; others are refused, so that a typing
-- error is seen by who makes it.
create table site.statistic (
  key text constraint statistic_pkey primary key
    constraint statistic_key_known check (key in (
      'build_pipeline', 'build_number', 'version', 'reports_named', 'reports_associated', 'reports_logged')),
  value text not null
);

-- How many visitors there are: kept, because counting a million rows costs more than the whole overview.
-- Sixteen slots, so that commits of new visitors do not wait for one another; the total is their sum.
create table site.visitor_count (
  slot smallint constraint visitor_count_pkey primary key,
  visitors bigint not null
) with (fillfactor = 50);

create function site.count_visitors() returns trigger language plpgsql as $$
declare
  difference bigint;
begin
  if tg_op = 'INSERT' then
    select count(*) into difference from changed;
  else
    select - count(*) into difference from changed;
  end if;
  -- Most sessions are started by visitors that are known: then there is nothing to write.
  if difference <> 0 then
    update site.visitor_count
    set visitors = visitors + difference
    where slot = pg_backend_pid() % 16;
  end if;
  return null;
end
$$;

create trigger visitor_count_up after insert on site.visitor
referencing new table as changed for each statement execute function site.count_visitors();

create trigger visitor_count_down after delete on site.visitor
referencing old table as changed for each statement execute function site.count_visitors();

-- A truncated table is empty.
create function site.forget_visitors() returns trigger language plpgsql as $$
begin
  update site.visitor_count set visitors = 0;
  return null;
end
$$;

create trigger visitor_count_none after truncate on site.visitor
for each statement execute function site.forget_visitors();

-- A moment as both APIs print it, for statements that write JSON themselves: sessions have the time zone UTC, and the
-- text is the one that `isoText` of the pool makes of a timestamptz.
create function site.iso(moment timestamptz) returns text
  language sql stable parallel safe
  return to_char(moment, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

-- Tells every process that something of the site has changed, whoever changed it (a request, a command, an operator's
-- statement), for the event stream (GET /api/stats/stream).
--
-- One notification a transaction, however many statements it has: PostgreSQL drops repeated ones. Processes without
-- readers of the stream listen to nothing, and the embedded database has nobody to notify.
create function site.announce_change() returns trigger language plpgsql as $$
begin
  perform pg_notify('forgehall_site', '');
  return null;
end
$$;

create trigger news_post_announced after insert or delete on site.news_post
  for each statement execute function site.announce_change();

create trigger media_item_announced after insert or delete on site.media_item
  for each statement execute function site.announce_change();

create trigger activity_entry_announced after insert or update or delete on site.activity_entry
  for each statement execute function site.announce_change();

create trigger statistic_announced after insert or update or delete on site.statistic
  for each statement execute function site.announce_change();

create trigger session_announced after insert or delete on site.session
  for each statement execute function site.announce_change();

-- For each row: the task that ends forgotten sessions runs often and mostly finds none.
create trigger session_end_announced after update on site.session
  for each row execute function site.announce_change();

-- Streams hear of corrections, too.
create trigger news_post_correction_announced after update on site.news_post
  for each statement execute function site.announce_change();

create trigger media_item_correction_announced after update on site.media_item
  for each statement execute function site.announce_change();

-- Samples for the chart of presence: counting who was there at each of 144 moments from the sessions of a day would read
-- all of them each time.
create table site.presence_sample (
  -- The beginning of the interval.
  at timestamptz(3) constraint presence_sample_pkey primary key,
  -- Users with an open session; of several counts in one interval the largest.
  users integer not null constraint presence_sample_users_positive check (users >= 0)
);

create trigger presence_sample_announced after insert or update or delete on site.presence_sample
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
  removed_at timestamptz(3) not null,
  picture uuid
);

create index removed_item_newest on site.removed_item (removed_at desc, id desc);

create index removed_item_of_picture on site.removed_item (picture) where picture is not null;

-- A picture is deleted with the last row that has it, whoever deletes that row. A row that moves between the two tables is in
-- one of them at the end of the statement.
create function site.forget_picture() returns trigger language plpgsql as $$
begin
  delete from forge.site_picture
  where uuid = old.picture
    and not exists (select from site.media_item where picture = old.picture)
    and not exists (select from site.removed_item where picture = old.picture);
  return null;
end
$$;

create trigger media_item_picture_forgotten after delete on site.media_item
  for each row when (old.picture is not null) execute function site.forget_picture();

create trigger removed_item_picture_forgotten after delete on site.removed_item
  for each row when (old.picture is not null) execute function site.forget_picture();

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

-- What administrators decide about the site itself.
create table site.setting (
  key text collate "C" constraint setting_pkey primary key constraint setting_key_known check (key in ('name')),
  value text not null
);

insert into site.visitor_count (slot, visitors)
select slot, 0 from generate_series(0, 15) as slot;
