-- The site: news, media, who is online, and what the overview panel shows.
--
-- Moments are timestamptz(3), because they are printed with milliseconds and must sort as they are printed.
-- They come from the server's clock as parameters; the database never says now().

create schema site;

create table site.news_post (
  id bigint generated always as identity constraint news_post_pkey primary key,
  title text not null constraint news_post_title_present check (title <> ''),
  content text not null constraint news_post_content_present check (content <> ''),
  created_at timestamptz(3) not null
);

-- The list, newest first; the id keeps posts of one millisecond in order.
create index news_post_newest on site.news_post (created_at desc, id desc);

create table site.media_item (
  id bigint generated always as identity constraint media_item_pkey primary key,
  title text not null constraint media_item_title_present check (title <> ''),
  media_type text not null constraint media_item_type_known check (media_type in ('image', 'video')),
  url text not null constraint media_item_url_present check (url <> ''),
  created_at timestamptz(3) not null
);

create index media_item_newest on site.media_item (created_at desc, id desc);

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

insert into site.visitor_count (slot, visitors)
select slot, 0 from generate_series(0, 15) as slot;

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
