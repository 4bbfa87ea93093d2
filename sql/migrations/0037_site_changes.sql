-- What the event stream of the site (GET /api/stats/stream) needs: every process hears that something of the site has
-- changed, whoever changed it (a request, a command, an operator's statement), and how many people were there over a day.

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
