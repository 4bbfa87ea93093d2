-- Made by npm run schema from sql/migrations. Not run by anything.

-- Functions come before the tables that they read.
set check_function_bodies = off;

CREATE SCHEMA forge;

CREATE SCHEMA forgehall;

CREATE SCHEMA site;

CREATE TYPE forge.account_state AS (
	kind text,
	source_id bigint,
	is_active boolean,
	is_admin boolean,
	is_restricted boolean,
	prohibit_login boolean,
	has_totp boolean,
	visibility text
);

CREATE DOMAIN forge.action_status AS text COLLATE pg_catalog."C"
	CONSTRAINT action_status_known CHECK ((VALUE = ANY (ARRAY['requested'::text, 'blocked'::text, 'queued'::text, 'in_progress'::text, 'cancelling'::text, 'success'::text, 'failure'::text, 'cancelled'::text, 'skipped'::text])));

CREATE FUNCTION forge.accounts_like(pattern text, most integer) RETURNS SETOF bigint
    LANGUAGE sql STABLE ROWS 100
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
  select id
  from forge.account
  where forge.grams(key || chr(10) || lower(full_name) || chr(10) || lower(email)) @> forge.grams_of_pattern(pattern)
    and (key like pattern escape '' or lower(full_name) like pattern escape '' or lower(email) like pattern escape '')
  limit most
$$;

CREATE FUNCTION forge.accounts_like_folded(pattern text, most integer) RETURNS SETOF bigint
    LANGUAGE sql STABLE ROWS 100
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
  select id
  from forge.account
  where full_name || email ~ '[^\x01-\x7f]'
    and forge.grams(forge.fold(full_name || chr(10) || email)) @> forge.grams_of_pattern(pattern)
    and (forge.fold(full_name) like pattern escape '' or forge.fold(email) like pattern escape '')
  limit most
$$;

CREATE FUNCTION forge.add_to_tally(states forge.account_state[], differences bigint[]) RETURNS void
    LANGUAGE sql
    AS $$
  insert into forge.account_tally as kept
    (kind, source_id, is_active, is_admin, is_restricted, prohibit_login, has_totp, visibility, slot, accounts)
  select (state).*, pg_backend_pid() % 16, difference
  from unnest(states, differences) as change
    (kind, source_id, is_active, is_admin, is_restricted, prohibit_login, has_totp, visibility, difference),
    lateral (select row(kind, source_id, is_active, is_admin, is_restricted, prohibit_login, has_totp, visibility)
      ::forge.account_state as state) as whole
  order by state
  on conflict on constraint account_tally_pkey do update set accounts = kept.accounts + excluded.accounts
$$;

CREATE FUNCTION forge.addresses_like(pattern text, most integer) RETURNS SETOF bigint
    LANGUAGE sql STABLE ROWS 100
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
  select id
  from forge.email_address
  where forge.grams(lower(address)) @> forge.grams_of_pattern(pattern)
    and lower(address) like pattern escape ''
  limit most
$$;

CREATE FUNCTION forge.bump_tasks_version() RETURNS void
    LANGUAGE sql
    AS $$
  insert into forge.action_tasks_version as kept (slot, version)
  values (pg_backend_pid() % 16, 1)
  on conflict on constraint action_tasks_version_pkey do update set version = kept.version + 1
$$;

CREATE FUNCTION forge.count_comments() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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

CREATE FUNCTION forge.count_follows() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
declare
  step integer := case tg_op when 'INSERT' then 1 else -1 end;
begin
  perform from forge.account
  where id in (select account_id from changed union select followed_id from changed)
  order by id
  for no key update;
  update forge.account
  set followers_count = followers_count + step * counted.follows
  from (select followed_id, count(*) as follows from changed group by followed_id) as counted
  where account.id = counted.followed_id;
  update forge.account
  set following_count = following_count + step * counted.follows
  from (select account_id, count(*) as follows from changed group by account_id) as counted
  where account.id = counted.account_id;
  return null;
end
$$;

CREATE FUNCTION forge.count_forks() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
declare
  step integer := case new.state when 'ready' then 1 else -1 end;
begin
  update forge.repository set forks_count = forks_count + step where id = new.parent_id;
  if step < 0 then
    update forge.repository set parent_id = null where parent_id = new.id;
  end if;
  return null;
end
$$;

CREATE FUNCTION forge.count_milestone_issues() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
declare
  left_id bigint;
  was_open integer := 0;
  joined_id bigint;
  is_open integer := 0;
begin
  if tg_op <> 'INSERT' then
    left_id := old.milestone_id;
    was_open := (old.closed_at is null)::integer;
  end if;
  if tg_op <> 'DELETE' then
    joined_id := new.milestone_id;
    is_open := (new.closed_at is null)::integer;
  end if;
  -- All transactions lock the rows in the same order, so that two of them do not wait for each other.
  perform from forge.milestone where id in (left_id, joined_id) order by id for no key update;
  update forge.milestone
  set open_issues = open_issues - was_open, closed_issues = closed_issues - (1 - was_open)
  where id = left_id;
  update forge.milestone
  set open_issues = open_issues + is_open, closed_issues = closed_issues + (1 - is_open)
  where id = joined_id;
  return null;
end
$$;

CREATE FUNCTION forge.count_open_issues() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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

CREATE FUNCTION forge.count_releases() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if tg_op <> 'INSERT' and not old.is_draft then
    update forge.repository
    set release_count = release_count - 1
    where id = old.repository_id;
  end if;
  if tg_op <> 'DELETE' and not new.is_draft then
    update forge.repository
    set release_count = release_count + 1
    where id = new.repository_id;
  end if;
  return null;
end $$;

CREATE FUNCTION forge.count_stars() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
declare
  step integer := case tg_op when 'INSERT' then 1 else -1 end;
begin
  perform from forge.repository
  where id in (select repository_id from changed)
  order by id
  for no key update;
  perform from forge.account
  where id in (select account_id from changed)
  order by id
  for no key update;
  update forge.repository
  set stars_count = stars_count + step * counted.stars
  from (select repository_id, count(*) as stars from changed group by repository_id) as counted
  where repository.id = counted.repository_id;
  update forge.account
  set starred_repos_count = starred_repos_count + step * counted.stars
  from (select account_id, count(*) as stars from changed group by account_id) as counted
  where account.id = counted.account_id;
  return null;
end
$$;

CREATE FUNCTION forge.count_topics() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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

CREATE FUNCTION forge.count_watchers() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  perform from forge.repository
  where id in (select repository_id from changed)
  order by id
  for no key update;
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

CREATE FUNCTION forge.end_web_sessions() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  delete from forge.web_session where account_id = new.id;
  return null;
end
$$;

CREATE FUNCTION forge.end_web_sessions_of_totp() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  delete from forge.web_session where account_id = coalesce(new.account_id, old.account_id);
  return null;
end
$$;

CREATE FUNCTION forge.fold(written text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
  select case when octet_length(written) = char_length(written) then lower(written collate "C")
    else translate(lower(normalize(written, nfc) collate "und-x-icu"), 'ς', 'σ') collate "C" end
$$;

CREATE FUNCTION forge.fold_action_tally() RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  folded record;
begin
  if not pg_try_advisory_xact_lock(7305803915) then
    return;
  end if;
  for folded in
    with taken as (
      delete from forge.action_tally_change
      where id in (select id from forge.action_tally_change order by id limit 5000)
      returning kind, repository_id, status, event, difference
    ), summed as (
      select kind, repository_id, status, event, sum(difference) as difference
      from taken
      group by kind, repository_id, status, event
      union all
      select kind, 0, status, event, sum(difference)
      from taken
      group by kind, status, event
    )
    insert into forge.action_tally as kept (kind, repository_id, status, event, amount)
    select kind, repository_id, status, event, difference
    from summed
    on conflict on constraint action_tally_pkey do update set amount = kept.amount + excluded.amount
    returning kind, repository_id, status, event, amount
  loop
    -- Nothing is kept of repositories that are gone.
    if folded.amount = 0 then
      delete from forge.action_tally
      where kind = folded.kind and repository_id = folded.repository_id and status = folded.status
        and event = folded.event;
    end if;
  end loop;
end
$$;

CREATE FUNCTION forge.fold_action_tally_sometimes() RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  if random() < 0.02 then
    perform forge.fold_action_tally();
  end if;
end
$$;

CREATE FUNCTION forge.grams(haystack text) RETURNS text[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
  select array_agg(substr(haystack, at, 3)) from generate_series(1, char_length(haystack) - 2) as at
$$;

CREATE FUNCTION forge.grams_of_pattern(pattern text) RETURNS text[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
  select array_agg(gram)
  from string_to_table(translate(pattern, '%', '_'), '_') as run, unnest(forge.grams(run)) as gram
$$;

CREATE FUNCTION forge.hash_registration_token() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  new.token_hash := sha256(convert_to(new.token, 'UTF8'));
  return new;
end
$$;

CREATE FUNCTION forge.hide_forks() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  update forge.repository set is_private = true, updated_at = new.updated_at
  where parent_id = new.id and not is_private;
  return null;
end
$$;

CREATE FUNCTION forge.issues_matching(query tsquery, most integer) RETURNS TABLE(id bigint, number bigint)
    LANGUAGE sql STABLE ROWS 100
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET work_mem TO '64MB'
    AS $$
  (
    select issue.id, issue.number
    from forge.issue
    where forge.search_vector(repository_id, forge.searchable(title || chr(10) || body)) @@ query
    limit most
  )
  union all
  (
    select issue.id, issue.number
    from (
      select issue_id
      from forge.issue_comment
      where forge.search_vector(repository_id, forge.searchable(body)) @@ query
      limit most
    ) as comment
    join forge.issue on issue.id = comment.issue_id
  )
$$;

CREATE FUNCTION forge.jobs_became_ready() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if tg_op = 'INSERT' then
    if exists (select from come where status = 'queued') then
      perform forge.bump_tasks_version();
    end if;
  elsif exists (
    select from come join gone using (id) where come.status = 'queued' and gone.status <> 'queued'
  ) then
    perform forge.bump_tasks_version();
  end if;
  return null;
end
$$;

CREATE FUNCTION forge.jobs_moved() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  perform forge.bump_tasks_version();
  return null;
end
$$;

CREATE FUNCTION forge.keep_keys_apart() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  perform pg_advisory_xact_lock(hashtextextended('ssh key ' || new.fingerprint, 0));
  if tg_table_name = 'ssh_key' then
    if exists (select from forge.deploy_key where fingerprint = new.fingerprint) then
      raise exception 'the key is a deploy key'
        using errcode = 'unique_violation', schema = 'forge', table = 'ssh_key', constraint = 'ssh_key_fingerprint_unique';
    end if;
    return new;
  end if;
  if exists (select from forge.ssh_key where fingerprint = new.fingerprint) then
    raise exception 'the key is the key of a user'
      using errcode = 'unique_violation', schema = 'forge', table = 'deploy_key', constraint = 'deploy_key_of_no_user';
  end if;
  new.key_id := coalesce(
    (select key_id from forge.deploy_key where fingerprint = new.fingerprint order by id limit 1),
    new.id
  );
  return new;
end
$$;

CREATE FUNCTION forge.labels_key(labels text[]) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
  select md5(labels::text)
$$;

CREATE FUNCTION forge.list_addresses() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  update forge.email_address set is_listed = (new.kind = 'person') where account_id = new.id;
  return null;
end
$$;

CREATE FUNCTION forge.mark_totp() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if tg_op = 'INSERT' then
    update forge.account set has_totp = true where id = new.account_id;
  else
    update forge.account set has_totp = false where id = old.account_id;
  end if;
  return null;
end
$$;

CREATE FUNCTION forge.note_jobs() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if tg_op = 'INSERT' then
    insert into forge.action_tally_change (kind, repository_id, status, difference)
    select 'job', repository_id, status, count(*)
    from come
    group by repository_id, status;
  elsif tg_op = 'DELETE' then
    insert into forge.action_tally_change (kind, repository_id, status, difference)
    select 'job', repository_id, status, - count(*)
    from gone
    group by repository_id, status;
  else
    -- Most statements change no state: then there is nothing to write.
    insert into forge.action_tally_change (kind, repository_id, status, difference)
    select 'job', repository_id, status, sum(difference)
    from (
      select repository_id, status, 1 as difference from come
      union all
      select repository_id, status, -1 from gone
    ) as change
    group by repository_id, status
    having sum(difference) <> 0;
  end if;
  if found then
    perform forge.fold_action_tally_sometimes();
  end if;
  return null;
end
$$;

CREATE FUNCTION forge.note_runs() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if tg_op = 'INSERT' then
    insert into forge.action_tally_change (kind, repository_id, status, event, difference)
    select 'run', repository_id, status, event, count(*)
    from come
    group by repository_id, status, event;
  elsif tg_op = 'DELETE' then
    insert into forge.action_tally_change (kind, repository_id, status, event, difference)
    select 'run', repository_id, status, event, - count(*)
    from gone
    group by repository_id, status, event;
  else
    insert into forge.action_tally_change (kind, repository_id, status, event, difference)
    select 'run', repository_id, status, event, sum(difference)
    from (
      select repository_id, status, event, 1 as difference from come
      union all
      select repository_id, status, event, -1 from gone
    ) as change
    group by repository_id, status, event
    having sum(difference) <> 0;
  end if;
  if found then
    perform forge.fold_action_tally_sometimes();
  end if;
  return null;
end
$$;

CREATE FUNCTION forge.number_issue() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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

CREATE TABLE forge.repository (
    id bigint NOT NULL,
    owner_id bigint,
    name text NOT NULL COLLATE pg_catalog."C",
    key text GENERATED ALWAYS AS (lower(name)) STORED NOT NULL COLLATE pg_catalog."C",
    folder_owner text NOT NULL COLLATE pg_catalog."C",
    folder_name text NOT NULL COLLATE pg_catalog."C",
    state text DEFAULT 'making'::text NOT NULL COLLATE pg_catalog."C",
    description text DEFAULT ''::text NOT NULL,
    website text DEFAULT ''::text NOT NULL,
    is_private boolean NOT NULL,
    is_template boolean DEFAULT false NOT NULL,
    is_archived boolean DEFAULT false NOT NULL,
    is_empty boolean DEFAULT true NOT NULL,
    default_branch text NOT NULL COLLATE pg_catalog."C",
    object_format text NOT NULL COLLATE pg_catalog."C",
    size bigint DEFAULT 0 NOT NULL,
    branch_count bigint DEFAULT 0 NOT NULL,
    watchers_count bigint DEFAULT 0 NOT NULL,
    licenses text[] DEFAULT '{}'::text[] NOT NULL,
    settings jsonb DEFAULT '{}'::jsonb NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    archived_at timestamp(3) with time zone,
    owner_visibility text DEFAULT 'private'::text NOT NULL COLLATE pg_catalog."C",
    last_issue bigint DEFAULT 0 NOT NULL,
    open_issues bigint DEFAULT 0 NOT NULL,
    look bigint DEFAULT 0 NOT NULL,
    topics text[] DEFAULT '{}'::text[] NOT NULL COLLATE pg_catalog."C",
    release_count bigint DEFAULT 0 NOT NULL,
    stars_count bigint DEFAULT 0 NOT NULL,
    avatar text COLLATE pg_catalog."C",
    avatar_type text COLLATE pg_catalog."C",
    parent_id bigint,
    forks_count bigint DEFAULT 0 NOT NULL,
    open_pulls bigint DEFAULT 0 NOT NULL,
    CONSTRAINT repository_name_syntax CHECK ((name ~ '^[A-Za-z0-9_.-]{1,100}$'::text)),
    CONSTRAINT repository_object_format_known CHECK ((object_format = ANY (ARRAY['sha1'::text, 'sha256'::text]))),
    CONSTRAINT repository_open_issues_not_negative CHECK ((open_issues >= 0)),
    CONSTRAINT repository_owner_present CHECK (((owner_id IS NOT NULL) OR (state = 'removing'::text))),
    CONSTRAINT repository_settings_form CHECK ((jsonb_typeof(settings) = 'object'::text)),
    CONSTRAINT repository_size_not_negative CHECK ((size >= 0)),
    CONSTRAINT repository_state_known CHECK ((state = ANY (ARRAY['making'::text, 'ready'::text, 'removing'::text])))
);

CREATE FUNCTION forge.open_topics(repository forge.repository) RETURNS text[]
    LANGUAGE sql IMMUTABLE
    AS $$
  select case
    when repository.state = 'ready' and not repository.is_private and repository.owner_visibility = 'public'
      then repository.topics
    else '{}'
  end
$$;

CREATE FUNCTION forge.packages_like(pattern text, most integer) RETURNS SETOF bigint
    LANGUAGE sql STABLE ROWS 10
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
  select id
  from forge.package
  where forge.grams(key) @> forge.grams_of_pattern(pattern) and key like pattern escape ''
  limit most
$$;

CREATE FUNCTION forge.place_comment() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  select repository_id into new.repository_id from forge.issue where id = new.issue_id;
  return new;
end
$$;

CREATE FUNCTION forge.remove_labels_of_former_owner() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  delete from forge.issue_organization_label
  where issue_id in (select id from forge.issue where repository_id = new.id);
  return null;
end
$$;

CREATE FUNCTION forge.repeat_pull_state() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  update forge.pull_request set is_open = (new.closed_at is null) where issue_id = new.id;
  return null;
end
$$;

CREATE FUNCTION forge.repeat_visibility() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
declare
  found_visibility text;
begin
  select visibility into found_visibility from forge.account where id = new.owner_id for share;
  new.owner_visibility = coalesce(found_visibility, 'private');
  return new;
end
$$;

CREATE FUNCTION forge.repositories_like(pattern text, most integer) RETURNS SETOF bigint
    LANGUAGE sql STABLE ROWS 100
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
  select id
  from forge.repository
  where state = 'ready' and forge.grams(key) @> forge.grams_of_pattern(pattern) and key like pattern escape ''
  limit most
$$;

CREATE FUNCTION forge.search_vector(repository bigint, written text) RETURNS tsvector
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
  select array_to_tsvector(
    array_append(array_remove(forge.text_grams(left(written, 87000)), ''), chr(1) || repository::text)
  )
$$;

CREATE FUNCTION forge.searchable(written text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
  select forge.fold(left(written, 65536))
$$;

CREATE FUNCTION forge.searched(written text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select case when octet_length(written) <= 65536 then written else left(written, 65536) end
$$;

CREATE FUNCTION forge.spread_visibility() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  update forge.repository set owner_visibility = new.visibility where owner_id = new.id;
  return null;
end
$$;

CREATE FUNCTION forge.take_over_visibility() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
declare
  found_visibility text;
begin
  select visibility into found_visibility from forge.account where id = new.owner_id for share;
  update forge.repository set owner_visibility = coalesce(found_visibility, 'private') where id = new.id;
  return null;
end
$$;

CREATE FUNCTION forge.tally_accounts() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
declare
  states forge.account_state[];
  differences bigint[];
begin
  if tg_op = 'INSERT' then
    select array_agg(state), array_agg(accounts) into states, differences
    from (
      select row(kind, source_id, is_active, is_admin, is_restricted, prohibit_login, has_totp, visibility)
        ::forge.account_state as state, count(*) as accounts
      from come
      group by state
    ) as change;
  elsif tg_op = 'DELETE' then
    select array_agg(state), array_agg(- accounts) into states, differences
    from (
      select row(kind, source_id, is_active, is_admin, is_restricted, prohibit_login, has_totp, visibility)
        ::forge.account_state as state, count(*) as accounts
      from gone
      group by state
    ) as change;
  else
    select array_agg(state), array_agg(accounts) into states, differences
    from (
      select state, sum(difference)::bigint as accounts
      from (
        select row(kind, source_id, is_active, is_admin, is_restricted, prohibit_login, has_totp, visibility)
          ::forge.account_state as state, 1 as difference
        from come
        union all
        select row(kind, source_id, is_active, is_admin, is_restricted, prohibit_login, has_totp, visibility)
          ::forge.account_state, -1
        from gone
      ) as each_row
      group by state
      having sum(difference) <> 0
    ) as change;
  end if;
  -- Most edits change no state: then there is nothing to write.
  if states is not null then
    perform forge.add_to_tally(states, differences);
  end if;
  return null;
end
$$;

CREATE FUNCTION forge.tally_addresses() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
declare
  difference bigint;
begin
  if tg_op = 'INSERT' then
    select count(*) into difference from come where is_listed;
  elsif tg_op = 'DELETE' then
    select - count(*) into difference from gone where is_listed;
  else
    select (select count(*) from come where is_listed) - (select count(*) from gone where is_listed) into difference;
  end if;
  if difference <> 0 then
    update forge.email_tally set addresses = addresses + difference where slot = pg_backend_pid() % 16;
  end if;
  return null;
end
$$;

CREATE FUNCTION forge.tally_packages() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  insert into forge.package_tally as kept (type, slot, versions)
  select type, pg_backend_pid() % 16, case tg_op when 'INSERT' then count(*) else - count(*) end
  from changed
  group by type
  order by type
  on conflict on constraint package_tally_pkey do update set versions = kept.versions + excluded.versions;
  return null;
end
$$;

CREATE FUNCTION forge.tell_of_jobs() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if tg_op = 'INSERT' then
    insert into forge.event (kind, payload, created_at, due_at)
    select 'jobs.changed', event.payload, event.at, event.at
    from (
      select json_build_object('jobs', json_agg(json_build_object('id', id, 'status', status) order by id)) as payload,
        max(updated_at) as at
      from come
      having count(*) > 0
    ) as event;
  else
    insert into forge.event (kind, payload, created_at, due_at)
    select 'jobs.changed', event.payload, event.at, event.at
    from (
      select json_build_object('jobs', json_agg(json_build_object('id', id, 'status', come.status) order by id)) as payload,
        max(come.updated_at) as at
      from come
      join gone using (id)
      where come.status <> gone.status
      having count(*) > 0
    ) as event;
  end if;
  return null;
end
$$;

CREATE FUNCTION forge.tell_of_run() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  insert into forge.event (kind, payload, created_at, due_at)
  values ('run.changed', json_build_object('run', new.id, 'attempt', new.attempt, 'status', new.status), new.updated_at,
    new.updated_at);
  return null;
end
$$;

CREATE FUNCTION forge.text_grams(haystack text) RETURNS text[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
  select string_to_array(
    regexp_replace(haystack, '(...)', E'\\1\x01', 'g') || E'\x01'
    || regexp_replace(substr(haystack, 2), '(...)', E'\\1\x01', 'g') || E'\x01'
    || regexp_replace(substr(haystack, 3), '(...)', E'\\1\x01', 'g'), E'\x01')
$$;

CREATE FUNCTION forge.text_like(written text, pattern text, expression text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select case
    when octet_length(written) = char_length(written) then lower(written collate "C") like pattern escape ''
    when written collate "C" ~ '[^\u0001-\u012f\u0131-\u02ff\u0370-\u0373\u0376-\u0377\u037b-\u037d\u037f\u0386\u0388-\u0482\u048a-\u052f\u05d0-\u05ea\u0621-\u064a\u1e00-\u1eff\u2010-\u2027\u2030-\u205e\u20a0-\u20bf\u2190-\u2adb\u2add-\u2bff\u3001-\u3029\u3041-\u3096\u309b-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60\U0001f300-\U0001faff]' then forge.fold(written) like pattern escape ''
    when octet_length(pattern) = char_length(pattern) then lower(written collate "C") like pattern escape ''
    else written collate "C" ~ expression
  end
$$;

CREATE FUNCTION site.announce_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  perform pg_notify('forgehall_site', '');
  return null;
end
$$;

CREATE FUNCTION site.count_visitors() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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

CREATE FUNCTION site.forget_picture() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  delete from forge.site_picture
  where uuid = old.picture
    and not exists (select from site.media_item where picture = old.picture)
    and not exists (select from site.removed_item where picture = old.picture);
  return null;
end
$$;

CREATE FUNCTION site.forget_visitors() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  update site.visitor_count set visitors = 0;
  return null;
end
$$;

CREATE FUNCTION site.iso(moment timestamp with time zone) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN to_char(moment, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text);

CREATE TABLE forge.access_token (
    id bigint NOT NULL,
    account_id bigint NOT NULL,
    name text NOT NULL,
    hash text NOT NULL COLLATE pg_catalog."C",
    last_eight text NOT NULL,
    scopes text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    last_used_at timestamp(3) with time zone,
    expires_at timestamp(3) with time zone,
    CONSTRAINT access_token_hash_form CHECK ((hash ~ '^[0-9a-f]{64}$'::text)),
    CONSTRAINT access_token_name_present CHECK ((name <> ''::text)),
    CONSTRAINT access_token_scopes_present CHECK ((scopes <> ''::text))
);

ALTER TABLE forge.access_token ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME forge.access_token_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE forge.account (
    id bigint NOT NULL,
    kind text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    key text GENERATED ALWAYS AS (lower(name)) STORED NOT NULL COLLATE pg_catalog."C",
    full_name text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    email text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    location text DEFAULT ''::text NOT NULL,
    website text DEFAULT ''::text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    language text DEFAULT ''::text NOT NULL,
    visibility text DEFAULT 'public'::text NOT NULL COLLATE pg_catalog."C",
    hides_email boolean DEFAULT false NOT NULL,
    is_active boolean DEFAULT true NOT NULL,
    is_admin boolean DEFAULT false NOT NULL,
    is_restricted boolean DEFAULT false NOT NULL,
    prohibit_login boolean DEFAULT false NOT NULL,
    must_change_password boolean DEFAULT false NOT NULL,
    has_totp boolean DEFAULT false NOT NULL,
    source_id bigint DEFAULT 0 NOT NULL,
    login_name text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    allow_git_hook boolean DEFAULT false NOT NULL,
    allow_import_local boolean DEFAULT false NOT NULL,
    allow_create_organization boolean DEFAULT true NOT NULL,
    max_repo_creation integer DEFAULT '-1'::integer NOT NULL,
    repo_admin_change_team_access boolean DEFAULT false NOT NULL,
    followers_count bigint DEFAULT 0 NOT NULL,
    following_count bigint DEFAULT 0 NOT NULL,
    starred_repos_count bigint DEFAULT 0 NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    last_login_at timestamp(3) with time zone,
    theme text DEFAULT ''::text NOT NULL,
    diff_view_style text DEFAULT ''::text NOT NULL,
    hides_activity boolean DEFAULT false NOT NULL,
    avatar text COLLATE pg_catalog."C",
    avatar_type text COLLATE pg_catalog."C",
    CONSTRAINT account_admin_signs_in CHECK (((NOT is_admin) OR (kind <> 'organization'::text))),
    CONSTRAINT account_kind_known CHECK ((kind = ANY (ARRAY['person'::text, 'bot'::text, 'organization'::text]))),
    CONSTRAINT account_max_repo_creation_floor CHECK ((max_repo_creation >= '-1'::integer)),
    CONSTRAINT account_name_syntax CHECK ((name ~ '^[A-Za-z0-9]+([-._][A-Za-z0-9]+)*$'::text)),
    CONSTRAINT account_source_not_negative CHECK ((source_id >= 0)),
    CONSTRAINT account_visibility_known CHECK ((visibility = ANY (ARRAY['public'::text, 'limited'::text, 'private'::text])))
);

CREATE TABLE forge.account_badge (
    id bigint NOT NULL,
    account_id bigint NOT NULL,
    badge_id bigint NOT NULL
);

ALTER TABLE forge.account_badge ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME forge.account_badge_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

ALTER TABLE forge.account ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME forge.account_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE forge.account_tally (
    kind text NOT NULL COLLATE pg_catalog."C",
    source_id bigint NOT NULL,
    is_active boolean NOT NULL,
    is_admin boolean NOT NULL,
    is_restricted boolean NOT NULL,
    prohibit_login boolean NOT NULL,
    has_totp boolean NOT NULL,
    visibility text NOT NULL COLLATE pg_catalog."C",
    slot smallint NOT NULL,
    accounts bigint NOT NULL
)
WITH (fillfactor='50');

CREATE TABLE forge.action_annotation (
    task_id bigint NOT NULL,
    line bigint NOT NULL,
    kind text NOT NULL,
    content text NOT NULL
);

CREATE TABLE forge.action_artifact (
    id bigint NOT NULL,
    repository_id bigint NOT NULL,
    run_id bigint NOT NULL,
    attempt integer NOT NULL,
    task_id bigint,
    name text NOT NULL,
    media_type text,
    size bigint,
    sha256 text COLLATE pg_catalog."C",
    received bigint DEFAULT 0 NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT action_artifact_name_size CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255)))
);

ALTER TABLE forge.action_artifact ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME forge.action_artifact_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE forge.action_artifact_part (
    artifact_id bigint NOT NULL,
    path text NOT NULL,
    block text NOT NULL COLLATE pg_catalog."C",
    "position" bigint,
    blob text NOT NULL COLLATE pg_catalog."C",
    size bigint NOT NULL,
    file_size bigint,
    is_gzipped boolean DEFAULT false NOT NULL
);

CREATE TABLE forge.action_attempt (
    id bigint NOT NULL,
    run_id bigint NOT NULL,
    number integer NOT NULL,
    actor_id bigint,
    by_bot boolean DEFAULT false NOT NULL,
    concurrency_group text COLLATE pg_catalog."C",
    concurrency_cancels boolean DEFAULT false NOT NULL,
    status forge.action_status NOT NULL,
    started_at timestamp(3) with time zone,
    stopped_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    is_held boolean DEFAULT false NOT NULL,
    CONSTRAINT action_attempt_group_size CHECK ((char_length(concurrency_group) <= 255))
);

ALTER TABLE forge.action_attempt ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME forge.action_attempt_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE forge.action_called_workflow (
    run_id bigint NOT NULL,
    number integer NOT NULL,
    caller_number integer NOT NULL,
    uses text NOT NULL,
    commit_sha text COLLATE pg_catalog."C",
    source text,
    fault text,
    CONSTRAINT action_called_workflow_source_or_fault CHECK ((num_nonnulls(source, fault) = 1))
);

CREATE TABLE forge.action_disabled_workflow (
    repository_id bigint NOT NULL,
    workflow_file text NOT NULL COLLATE pg_catalog."C"
);

CREATE TABLE forge.action_job (
    id bigint NOT NULL,
    run_id bigint NOT NULL,
    attempt integer NOT NULL,
    number integer NOT NULL,
    repository_id bigint NOT NULL,
    name text NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C",
    needs text[] DEFAULT '{}'::text[] NOT NULL,
    runs_on text[] DEFAULT '{}'::text[] NOT NULL,
    payload bytea,
    step_names text[] DEFAULT '{}'::text[] NOT NULL,
    condition text DEFAULT ''::text NOT NULL,
    matrix json,
    continue_on_error boolean DEFAULT false NOT NULL,
    concurrency_source text,
    concurrency_group text COLLATE pg_catalog."C",
    concurrency_cancels boolean DEFAULT false NOT NULL,
    permissions json,
    message text DEFAULT ''::text NOT NULL,
    source_job_id bigint,
    status forge.action_status NOT NULL,
    started_at timestamp(3) with time zone,
    stopped_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    fails_fast boolean DEFAULT false NOT NULL,
    max_parallel integer,
    timeout_minutes integer,
    expansion text,
    caller text,
    called_number integer,
    call json,
    call_outputs json,
    environment text,
    environment_url text,
    CONSTRAINT action_job_group_size CHECK ((char_length(concurrency_group) <= 255)),
    CONSTRAINT action_job_max_parallel_positive CHECK ((max_parallel > 0)),
    CONSTRAINT action_job_name_size CHECK ((char_length(name) <= 255)),
    CONSTRAINT action_job_timeout_positive CHECK ((timeout_minutes > 0))
);

ALTER TABLE forge.action_job ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME forge.action_job_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE forge.action_listening (
    repository_id bigint NOT NULL,
    branch text NOT NULL COLLATE pg_catalog."C",
    events text[] NOT NULL COLLATE pg_catalog."C"
);

CREATE TABLE forge.action_log (
    task_id bigint NOT NULL,
    first_line bigint NOT NULL,
    lines integer NOT NULL,
    content text NOT NULL,
    CONSTRAINT action_log_lines_positive CHECK ((lines > 0))
);

CREATE TABLE forge.action_output (
    task_id bigint NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C",
    value text,
    CONSTRAINT action_output_key_size CHECK ((octet_length(key) <= 255)),
    CONSTRAINT action_output_value_size CHECK ((octet_length(value) <= 1048576))
);

CREATE TABLE forge.action_run (
    id bigint NOT NULL,
    repository_id bigint NOT NULL,
    number bigint NOT NULL,
    workflow_file text NOT NULL COLLATE pg_catalog."C",
    workflow_name text DEFAULT ''::text NOT NULL,
    title text NOT NULL,
    actor_id bigint,
    by_bot boolean DEFAULT false NOT NULL,
    event text NOT NULL COLLATE pg_catalog."C",
    payload json NOT NULL,
    ref text NOT NULL COLLATE pg_catalog."C",
    commit_sha text NOT NULL COLLATE pg_catalog."C",
    is_fork_pr boolean DEFAULT false NOT NULL,
    needs_approval boolean DEFAULT false NOT NULL,
    status forge.action_status NOT NULL,
    attempt integer DEFAULT 1 NOT NULL,
    started_at timestamp(3) with time zone,
    stopped_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    dispatch_depth integer DEFAULT 0 NOT NULL,
    inputs json,
    approved_by bigint,
    CONSTRAINT action_run_attempt_positive CHECK ((attempt >= 1)),
    CONSTRAINT action_run_dispatch_depth_positive CHECK ((dispatch_depth >= 0)),
    CONSTRAINT action_run_title_size CHECK ((char_length(title) <= 255))
);

CREATE TABLE forge.action_run_counter (
    repository_id bigint NOT NULL,
    last_number bigint NOT NULL
);

ALTER TABLE forge.action_run ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME forge.action_run_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE forge.action_runner (
    id bigint NOT NULL,
    uuid uuid NOT NULL,
    name text NOT NULL,
    version text DEFAULT ''::text NOT NULL,
    owner_id bigint,
    repository_id bigint,
    token_hash bytea NOT NULL,
    labels text[] DEFAULT '{}'::text[] NOT NULL,
    ephemeral boolean DEFAULT false NOT NULL,
    disabled boolean DEFAULT false NOT NULL,
    cancels boolean DEFAULT false NOT NULL,
    last_online timestamp(3) with time zone,
    last_active timestamp(3) with time zone,
    deleted_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT action_runner_name_size CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255))),
    CONSTRAINT action_runner_one_scope CHECK (((owner_id IS NULL) OR (repository_id IS NULL))),
    CONSTRAINT action_runner_token_size CHECK ((octet_length(token_hash) = 32)),
    CONSTRAINT action_runner_version_size CHECK ((char_length(version) <= 64))
)
WITH (fillfactor='70');

ALTER TABLE forge.action_runner ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME forge.action_runner_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE forge.action_runner_token (
    id bigint NOT NULL,
    token text COLLATE pg_catalog."C",
    owner_id bigint,
    repository_id bigint,
    is_active boolean DEFAULT true NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    token_hash bytea NOT NULL,
    sealed bytea,
    CONSTRAINT action_runner_token_form CHECK (((char_length(token) >= 32) AND (char_length(token) <= 255))),
    CONSTRAINT action_runner_token_one_scope CHECK (((owner_id IS NULL) OR (repository_id IS NULL))),
    CONSTRAINT action_runner_token_present CHECK ((num_nonnulls(sealed, token) > 0)),
    CONSTRAINT action_runner_token_size_of_hash CHECK ((octet_length(token_hash) = 32))
);

ALTER TABLE forge.action_runner_token ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME forge.action_runner_token_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE forge.action_schedule (
    id bigint NOT NULL,
    repository_id bigint NOT NULL,
    workflow_file text NOT NULL COLLATE pg_catalog."C",
    ref text NOT NULL COLLATE pg_catalog."C",
    commit_sha text NOT NULL COLLATE pg_catalog."C",
    cron text NOT NULL COLLATE pg_catalog."C",
    next_at timestamp(3) with time zone NOT NULL,
    previous_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone NOT NULL
);

ALTER TABLE forge.action_schedule ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME forge.action_schedule_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE forge.action_step (
    task_id bigint NOT NULL,
    number integer NOT NULL,
    name text NOT NULL,
    status forge.action_status DEFAULT 'queued'::text NOT NULL,
    log_index bigint DEFAULT 0 NOT NULL,
    log_length bigint DEFAULT 0 NOT NULL,
    started_at timestamp(3) with time zone,
    stopped_at timestamp(3) with time zone,
    CONSTRAINT action_step_name_size CHECK ((char_length(name) <= 255))
);

CREATE TABLE forge.action_summary (
    task_id bigint NOT NULL,
    step integer NOT NULL,
    content text NOT NULL
);

CREATE TABLE forge.action_tally (
    kind text NOT NULL COLLATE pg_catalog."C",
    repository_id bigint NOT NULL,
    status forge.action_status NOT NULL,
    event text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    amount bigint NOT NULL,
    CONSTRAINT action_tally_kind_known CHECK ((kind = ANY (ARRAY['job'::text, 'run'::text])))
)
WITH (fillfactor='50');

CREATE TABLE forge.action_tally_change (
    id bigint NOT NULL,
    kind text NOT NULL COLLATE pg_catalog."C",
    repository_id bigint NOT NULL,
    status forge.action_status NOT NULL,
    event text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    difference bigint NOT NULL
);

ALTER TABLE forge.action_tally_change ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME forge.action_tally_change_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE forge.action_task (
    id bigint NOT NULL,
    job_id bigint NOT NULL,
    runner_id bigint NOT NULL,
    runner_name text NOT NULL,
    token_hash bytea NOT NULL,
    status forge.action_status NOT NULL,
    started_at timestamp(3) with time zone NOT NULL,
    stopped_at timestamp(3) with time zone,
    log_lines bigint DEFAULT 0 NOT NULL,
    log_bytes bigint DEFAULT 0 NOT NULL,
    log_sealed boolean DEFAULT false NOT NULL,
    log_expired boolean DEFAULT false NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    end_note text DEFAULT ''::text NOT NULL,
    CONSTRAINT action_task_status_of_task CHECK (((status)::text <> ALL (ARRAY['requested'::text, 'blocked'::text, 'queued'::text]))),
    CONSTRAINT action_task_stopped CHECK (((stopped_at IS NULL) = ((status)::text = ANY (ARRAY['in_progress'::text, 'cancelling'::text])))),
    CONSTRAINT action_task_token_size CHECK ((octet_length(token_hash) = 32))
)
WITH (fillfactor='70');

ALTER TABLE forge.action_task ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME forge.action_task_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE forge.action_task_secret (
    task_id bigint NOT NULL,
    sealed bytea NOT NULL
);

CREATE TABLE forge.action_tasks_version (
    slot smallint NOT NULL,
    version bigint NOT NULL
)
WITH (fillfactor='50');

CREATE TABLE forge.action_trigger (
    id bigint NOT NULL,
    repository_id bigint NOT NULL,
    kind text NOT NULL COLLATE pg_catalog."C",
    ref text NOT NULL COLLATE pg_catalog."C",
    before text COLLATE pg_catalog."C",
    after text COLLATE pg_catalog."C",
    actor_id bigint,
    by_bot boolean DEFAULT false NOT NULL,
    payload json NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    due_at timestamp(3) with time zone NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    last_error text,
    claim uuid,
    CONSTRAINT action_trigger_kind_present CHECK ((kind <> ''::text))
);

ALTER TABLE forge.action_trigger ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME forge.action_trigger_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE forge.action_variable (
    id bigint NOT NULL,
    owner_id bigint,
    repository_id bigint,
    name text NOT NULL COLLATE pg_catalog."C",
    value text NOT NULL,
    description text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT action_variable_belongs CHECK ((num_nonnulls(owner_id, repository_id) <= 1)),
    CONSTRAINT action_variable_name_syntax CHECK (((name ~ '^[A-Z_][A-Z0-9_]*$'::text) AND (char_length(name) <= 255))),
    CONSTRAINT action_variable_value_size CHECK ((char_length(value) <= 65536))
);

ALTER TABLE forge.action_variable ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME forge.action_variable_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE forge.attachment (
    id bigint NOT NULL,
    uuid uuid NOT NULL,
    release_id bigint,
    name text NOT NULL COLLATE pg_catalog."C",
    blob text NOT NULL COLLATE pg_catalog."C",
    uploader_id bigint,
    download_count bigint DEFAULT 0 NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    issue_id bigint,
    comment_id bigint,
    CONSTRAINT attachment_name_length CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255)))
);

ALTER TABLE forge.attachment ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME forge.attachment_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE forge.audit (
    id bigint NOT NULL,
    at timestamp(3) with time zone NOT NULL,
    actor_id bigint,
    actor_name text NOT NULL COLLATE pg_catalog."C",
    acting_as text COLLATE pg_catalog."C",
    action text NOT NULL COLLATE pg_catalog."C",
    target_kind text NOT NULL COLLATE pg_catalog."C",
    target_id bigint,
    target_name text NOT NULL COLLATE pg_catalog."C",
    address text NOT NULL COLLATE pg_catalog."C",
    request_id text COLLATE pg_catalog."C",
    details jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT audit_action_syntax CHECK ((action ~ '^[a-z_]+\.[a-z_]+$'::text)),
    CONSTRAINT audit_details_form CHECK ((jsonb_typeof(details) = 'object'::text))
);

ALTER TABLE forge.audit ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME forge.audit_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE forge.badge (
    id bigint NOT NULL,
    slug text NOT NULL COLLATE pg_catalog."C",
    description text DEFAULT ''::text NOT NULL,
    image_url text DEFAULT ''::text NOT NULL,
    CONSTRAINT badge_slug_syntax CHECK (((slug ~ '^[A-Za-z0-9]+([-._][A-Za-z0-9]+)*$'::text) AND (char_length(slug) <= 255)))
);

ALTER TABLE forge.badge ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME forge.badge_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE forge.branch_protection (
    id bigint NOT NULL,
    repository_id bigint NOT NULL,
    rule_name text NOT NULL COLLATE pg_catalog."C",
    priority bigint NOT NULL,
    enable_push boolean NOT NULL,
    enable_push_whitelist boolean NOT NULL,
    push_whitelist_deploy_keys boolean NOT NULL,
    enable_force_push boolean NOT NULL,
    enable_force_push_allowlist boolean NOT NULL,
    force_push_allowlist_deploy_keys boolean NOT NULL,
    enable_merge_whitelist boolean NOT NULL,
    enable_bypass_allowlist boolean NOT NULL,
    enable_status_check boolean NOT NULL,
    status_check_contexts text[] NOT NULL,
    required_approvals bigint NOT NULL,
    enable_approvals_whitelist boolean NOT NULL,
    block_on_rejected_reviews boolean NOT NULL,
    block_on_official_review_requests boolean NOT NULL,
    block_on_outdated_branch boolean NOT NULL,
    dismiss_stale_approvals boolean NOT NULL,
    ignore_stale_approvals boolean NOT NULL,
    require_signed_commits boolean NOT NULL,
    block_admin_merge_override boolean NOT NULL,
    protected_file_patterns text NOT NULL,
    unprotected_file_patterns text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE forge.branch_protection_account (
    protection_id bigint NOT NULL,
    list text NOT NULL COLLATE pg_catalog."C",
    account_id bigint NOT NULL,
    CONSTRAINT branch_protection_account_list_known CHECK ((list = ANY (ARRAY['push'::text, 'force_push'::text, 'merge'::text, 'bypass'::text, 'approvals'::text])))
);

ALTER TABLE forge.branch_protection ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME forge.branch_protection_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE forge.branch_protection_team (
    protection_id bigint NOT NULL,
    list text NOT NULL COLLATE pg_catalog."C",
    team_id bigint NOT NULL,
    CONSTRAINT branch_protection_team_list_known CHECK ((list = ANY (ARRAY['push'::text, 'force_push'::text, 'merge'::text, 'bypass'::text, 'approvals'::text])))
);

CREATE TABLE forge.commit_status (
    id bigint NOT NULL,
    repository_id bigint NOT NULL,
    commit_sha text NOT NULL COLLATE pg_catalog."C",
    context text NOT NULL,
    state text NOT NULL COLLATE pg_catalog."C",
    description text DEFAULT ''::text NOT NULL,
    target_url text DEFAULT ''::text NOT NULL,
    creator_id bigint,
    by_bot boolean DEFAULT false NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT commit_status_context_size CHECK (((char_length(context) >= 1) AND (char_length(context) <= 500))),
    CONSTRAINT commit_status_state_known CHECK ((state = ANY (ARRAY['pending'::text, 'success'::text, 'error'::text, 'failure'::text, 'warning'::text, 'skipped'::text])))
);

ALTER TABLE forge.commit_status ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME forge.commit_status_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE forge.cron_task (
    name text NOT NULL COLLATE pg_catalog."C",
    schedule text NOT NULL,
    next_at timestamp(3) with time zone,
    prev_at timestamp(3) with time zone,
    exec_times bigint DEFAULT 0 NOT NULL,
    claim uuid,
    held_until timestamp(3) with time zone,
    finished_at timestamp(3) with time zone,
    outcome text COLLATE pg_catalog."C",
    message text DEFAULT ''::text NOT NULL,
    duration_ms bigint,
    CONSTRAINT cron_task_exec_times_not_negative CHECK ((exec_times >= 0)),
    CONSTRAINT cron_task_finished CHECK ((((finished_at IS NULL) = (outcome IS NULL)) AND ((finished_at IS NULL) = (duration_ms IS NULL)))),
    CONSTRAINT cron_task_held CHECK (((claim IS NULL) = (held_until IS NULL))),
    CONSTRAINT cron_task_outcome_known CHECK ((outcome = ANY (ARRAY['succeeded'::text, 'failed'::text, 'interrupted'::text]))),
    CONSTRAINT cron_task_schedule_present CHECK ((schedule <> ''::text))
);

CREATE TABLE forge.deploy_key (
    id bigint NOT NULL,
    repository_id bigint NOT NULL,
    key_id bigint NOT NULL,
    title text NOT NULL,
    content text NOT NULL,
    fingerprint text NOT NULL COLLATE pg_catalog."C",
    is_read_only boolean NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    last_used_at timestamp(3) with time zone,
    CONSTRAINT deploy_key_title_present CHECK ((title <> ''::text))
);

ALTER TABLE forge.deploy_key ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME forge.deploy_key_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE forge.email_address (
    id bigint NOT NULL,
    account_id bigint NOT NULL,
    address text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C",
    is_primary boolean NOT NULL,
    is_activated boolean NOT NULL,
    is_listed boolean DEFAULT true NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT email_address_key_size CHECK (((char_length(key) >= 3) AND (char_length(key) <= 320)))
);

ALTER TABLE forge.email_address ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME forge.email_address_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE forge.email_tally (
    slot smallint NOT NULL,
    addresses bigint NOT NULL
)
WITH (fillfactor='50');

CREATE TABLE forge.event (
    id bigint NOT NULL,
    kind text NOT NULL,
    payload json NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    due_at timestamp(3) with time zone NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    last_error text,
    request_id text,
    CONSTRAINT event_kind_present CHECK ((kind <> ''::text))
);

ALTER TABLE forge.event ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME forge.event_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE forge.follow (
    account_id bigint NOT NULL,
    followed_id bigint NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT follow_of_another CHECK ((account_id <> followed_id))
);

CREATE TABLE forge.gpg_key (
    id bigint NOT NULL,
    account_id bigint NOT NULL,
    parent_id bigint,
    fingerprint text NOT NULL COLLATE pg_catalog."C",
    key_id text NOT NULL COLLATE pg_catalog."C",
    packet bytea NOT NULL,
    certificate bytea,
    emails text[] DEFAULT '{}'::text[] NOT NULL,
    is_verified boolean DEFAULT false NOT NULL,
    can_sign boolean NOT NULL,
    can_certify boolean NOT NULL,
    can_encrypt_messages boolean NOT NULL,
    can_encrypt_files boolean NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    expires_at timestamp(3) with time zone,
    added_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT gpg_key_key_id_syntax CHECK ((key_id ~ '^[0-9A-F]{16}$'::text))
);

ALTER TABLE forge.gpg_key ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME forge.gpg_key_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE forge.hook (
    id bigint NOT NULL,
    scope text NOT NULL,
    owner_id bigint,
    repository_id bigint,
    name text DEFAULT ''::text NOT NULL,
    type text NOT NULL,
    url text,
    content_type text NOT NULL,
    method text DEFAULT 'POST'::text NOT NULL,
    options json DEFAULT '{}'::json NOT NULL,
    all_events boolean DEFAULT false NOT NULL,
    events text[] NOT NULL,
    branch_filter text DEFAULT ''::text NOT NULL,
    active boolean NOT NULL,
    secret bytea,
    authorization_header bytea,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    address bytea,
    CONSTRAINT hook_address_present CHECK ((num_nonnulls(address, url) > 0)),
    CONSTRAINT hook_belongs CHECK (
CASE scope
    WHEN 'repository'::text THEN ((repository_id IS NOT NULL) AND (owner_id IS NULL))
    WHEN 'organization'::text THEN ((owner_id IS NOT NULL) AND (repository_id IS NULL))
    WHEN 'user'::text THEN ((owner_id IS NOT NULL) AND (repository_id IS NULL))
    ELSE ((owner_id IS NULL) AND (repository_id IS NULL))
END),
    CONSTRAINT hook_content_type_known CHECK ((content_type = ANY (ARRAY['json'::text, 'form'::text]))),
    CONSTRAINT hook_method_known CHECK ((method = ANY (ARRAY['POST'::text, 'GET'::text]))),
    CONSTRAINT hook_scope_known CHECK ((scope = ANY (ARRAY['system'::text, 'default'::text, 'organization'::text, 'user'::text, 'repository'::text]))),
    CONSTRAINT hook_type_known CHECK ((type = ANY (ARRAY['gitea'::text, 'gogs'::text, 'slack'::text, 'discord'::text, 'dingtalk'::text, 'telegram'::text, 'msteams'::text, 'feishu'::text, 'matrix'::text, 'wechatwork'::text, 'packagist'::text]))),
    CONSTRAINT hook_url_present CHECK ((url <> ''::text))
);

CREATE TABLE forge.hook_attempt (
    delivery_id bigint NOT NULL,
    number integer NOT NULL,
    started_at timestamp(3) with time zone NOT NULL,
    duration_ms integer NOT NULL,
    request_method text NOT NULL,
    request_url text,
    request_headers json NOT NULL,
    status integer,
    response_headers json,
    response_body text,
    error text,
    address bytea,
    CONSTRAINT hook_attempt_duration_positive CHECK ((duration_ms >= 0))
);

CREATE TABLE forge.hook_delivery (
    id bigint NOT NULL,
    uuid uuid NOT NULL,
    hook_id bigint NOT NULL,
    event text NOT NULL,
    event_type text NOT NULL,
    body text NOT NULL,
    redelivery_of bigint,
    state text DEFAULT 'waiting'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    due_at timestamp(3) with time zone NOT NULL,
    claim uuid,
    created_at timestamp(3) with time zone NOT NULL,
    finished_at timestamp(3) with time zone,
    request_id text,
    owner_id bigint DEFAULT 0 NOT NULL,
    CONSTRAINT hook_delivery_finished CHECK (((state = 'waiting'::text) = (finished_at IS NULL))),
    CONSTRAINT hook_delivery_state_known CHECK ((state = ANY (ARRAY['waiting'::text, 'succeeded'::text, 'failed'::text])))
);

ALTER TABLE forge.hook_delivery ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME forge.hook_delivery_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

ALTER TABLE forge.hook ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME forge.hook_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE forge.issue (
    id bigint NOT NULL,
    repository_id bigint NOT NULL,
    number bigint NOT NULL,
    poster_id bigint,
    title text NOT NULL,
    body text DEFAULT ''::text NOT NULL,
    comments_count bigint DEFAULT 0 NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    closed_at timestamp(3) with time zone,
    ref text DEFAULT ''::text NOT NULL,
    milestone_id bigint,
    due_at timestamp(3) with time zone,
    is_locked boolean DEFAULT false NOT NULL,
    is_pull boolean DEFAULT false NOT NULL,
    content_version integer DEFAULT 0 NOT NULL,
    CONSTRAINT issue_ref_size CHECK ((char_length(ref) <= 255)),
    CONSTRAINT issue_title_size CHECK (((char_length(title) >= 1) AND (char_length(title) <= 255)))
);

CREATE TABLE forge.issue_assignee (
    issue_id bigint NOT NULL,
    account_id bigint NOT NULL
);

CREATE TABLE forge.issue_comment (
    id bigint NOT NULL,
    issue_id bigint NOT NULL,
    poster_id bigint,
    body text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    repository_id bigint,
    CONSTRAINT issue_comment_body_present CHECK ((body <> ''::text))
);

ALTER TABLE forge.issue_comment ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME forge.issue_comment_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE forge.issue_dependency (
    issue_id bigint NOT NULL,
    dependency_id bigint NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT issue_dependency_not_itself CHECK ((issue_id <> dependency_id))
);

CREATE TABLE forge.issue_event (
    id bigint DEFAULT nextval('forge.issue_comment_id_seq'::regclass) NOT NULL,
    issue_id bigint NOT NULL,
    type text NOT NULL COLLATE pg_catalog."C",
    actor_id bigint NOT NULL,
    subject_id bigint,
    old_subject_id bigint,
    old_text text DEFAULT ''::text NOT NULL,
    new_text text DEFAULT ''::text NOT NULL,
    is_removal boolean DEFAULT false NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT issue_event_type_size CHECK (((char_length(type) >= 1) AND (char_length(type) <= 50)))
);

ALTER TABLE forge.issue ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME forge.issue_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE forge.issue_label (
    issue_id bigint NOT NULL,
    label_id bigint NOT NULL,
    repository_id bigint NOT NULL
);

CREATE TABLE forge.issue_mention (
    issue_id bigint NOT NULL,
    account_id bigint NOT NULL
);

CREATE TABLE forge.issue_organization_label (
    issue_id bigint NOT NULL,
    label_id bigint NOT NULL
);

CREATE TABLE forge.issue_pin (
    issue_id bigint NOT NULL,
    repository_id bigint NOT NULL,
    place integer NOT NULL
);

CREATE TABLE forge.issue_watch (
    issue_id bigint NOT NULL,
    account_id bigint NOT NULL,
    is_watching boolean NOT NULL
);

CREATE TABLE forge.mail_preference (
    account_id bigint NOT NULL,
    preference text NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT mail_preference_known CHECK ((preference = ANY (ARRAY['enabled'::text, 'onmention'::text, 'disabled'::text, 'andyourown'::text])))
);

CREATE TABLE forge.membership (
    organization_id bigint NOT NULL,
    account_id bigint NOT NULL,
    is_public boolean DEFAULT false NOT NULL
);

CREATE TABLE forge.milestone (
    id bigint NOT NULL,
    repository_id bigint NOT NULL,
    title text NOT NULL,
    description text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    due_at timestamp(3) with time zone,
    closed_at timestamp(3) with time zone,
    open_issues bigint DEFAULT 0 NOT NULL,
    closed_issues bigint DEFAULT 0 NOT NULL,
    CONSTRAINT milestone_closed_issues_not_negative CHECK ((closed_issues >= 0)),
    CONSTRAINT milestone_open_issues_not_negative CHECK ((open_issues >= 0)),
    CONSTRAINT milestone_title_size CHECK ((char_length(title) <= 255))
);

ALTER TABLE forge.milestone ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME forge.milestone_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE forge.name_redirect (
    key text NOT NULL COLLATE pg_catalog."C",
    account_id bigint NOT NULL,
    created_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE forge.notification (
    id bigint NOT NULL,
    account_id bigint NOT NULL,
    repository_id bigint NOT NULL,
    source text NOT NULL COLLATE pg_catalog."C",
    issue_id bigint,
    commit_id text COLLATE pg_catalog."C",
    status text DEFAULT 'unread'::text NOT NULL COLLATE pg_catalog."C",
    updated_at timestamp(3) with time zone NOT NULL,
    updated_by bigint,
    CONSTRAINT notification_source_known CHECK ((source = ANY (ARRAY['issue'::text, 'pull'::text, 'commit'::text, 'repository'::text]))),
    CONSTRAINT notification_status_known CHECK ((status = ANY (ARRAY['unread'::text, 'read'::text, 'pinned'::text]))),
    CONSTRAINT notification_subject CHECK ((((source = ANY (ARRAY['issue'::text, 'pull'::text])) = (issue_id IS NOT NULL)) AND ((source = 'commit'::text) = (commit_id IS NOT NULL))))
);

ALTER TABLE forge.notification ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME forge.notification_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE forge.repository_label (
    id bigint NOT NULL,
    repository_id bigint NOT NULL,
    name text NOT NULL,
    color text NOT NULL COLLATE pg_catalog."C",
    description text DEFAULT ''::text NOT NULL,
    exclusive boolean DEFAULT false NOT NULL,
    exclusive_order integer DEFAULT 0 NOT NULL,
    is_archived boolean DEFAULT false NOT NULL,
    CONSTRAINT repository_label_color_form CHECK ((color ~ '^[0-9a-f]{6}$'::text)),
    CONSTRAINT repository_label_name_present CHECK ((name <> ''::text))
);

ALTER TABLE forge.repository_label ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME forge.repository_label_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE forge.organization_label (
    id bigint DEFAULT nextval('forge.repository_label_id_seq'::regclass) NOT NULL,
    organization_id bigint NOT NULL,
    name text NOT NULL,
    color text NOT NULL COLLATE pg_catalog."C",
    description text DEFAULT ''::text NOT NULL,
    exclusive boolean DEFAULT false NOT NULL,
    exclusive_order integer DEFAULT 0 NOT NULL,
    is_archived boolean DEFAULT false NOT NULL,
    CONSTRAINT organization_label_color_form CHECK ((color ~ '^[0-9a-f]{6}$'::text)),
    CONSTRAINT organization_label_name_present CHECK ((name <> ''::text))
);

CREATE TABLE forge.package (
    id bigint NOT NULL,
    owner_id bigint NOT NULL,
    type text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    key text GENERATED ALWAYS AS (lower(name)) STORED NOT NULL COLLATE pg_catalog."C",
    created_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT package_name_length CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255))),
    CONSTRAINT package_type_syntax CHECK ((type ~ '^[a-z]{1,32}$'::text))
);

CREATE TABLE forge.package_blob (
    sha256 text NOT NULL COLLATE pg_catalog."C",
    sha512 text NOT NULL COLLATE pg_catalog."C",
    sha1 text NOT NULL COLLATE pg_catalog."C",
    md5 text NOT NULL COLLATE pg_catalog."C",
    size bigint NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT package_blob_sha256_form CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text)),
    CONSTRAINT package_blob_size_not_negative CHECK ((size >= 0))
);

CREATE TABLE forge.package_file (
    id bigint NOT NULL,
    version_id bigint NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    key text GENERATED ALWAYS AS (lower(name)) STORED NOT NULL COLLATE pg_catalog."C",
    blob text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT package_file_name_length CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255)))
);

ALTER TABLE forge.package_file ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME forge.package_file_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

ALTER TABLE forge.package ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME forge.package_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE forge.package_tag (
    package_id bigint NOT NULL,
    tag text NOT NULL COLLATE pg_catalog."C",
    version_id bigint NOT NULL,
    CONSTRAINT package_tag_length CHECK (((char_length(tag) >= 1) AND (char_length(tag) <= 255)))
);

CREATE TABLE forge.package_tally (
    type text NOT NULL COLLATE pg_catalog."C",
    slot smallint NOT NULL,
    versions bigint NOT NULL
)
WITH (fillfactor='50');

CREATE TABLE forge.package_version (
    id bigint NOT NULL,
    package_id bigint NOT NULL,
    owner_id bigint NOT NULL,
    type text NOT NULL COLLATE pg_catalog."C",
    creator_id bigint,
    version text NOT NULL COLLATE pg_catalog."C",
    key text GENERATED ALWAYS AS (lower(version)) STORED NOT NULL COLLATE pg_catalog."C",
    metadata json,
    created_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT package_version_length CHECK (((char_length(version) >= 1) AND (char_length(version) <= 256)))
);

ALTER TABLE forge.package_version ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME forge.package_version_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE forge.password (
    account_id bigint NOT NULL,
    record text NOT NULL,
    changed_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT password_record_form CHECK ((record ~~ '$scrypt$%'::text))
);

CREATE TABLE forge.password_link (
    account_id bigint NOT NULL,
    hash text NOT NULL COLLATE pg_catalog."C",
    password_hash text,
    expires_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT password_link_hash_form CHECK ((hash ~ '^[0-9a-f]{64}$'::text))
);

CREATE TABLE forge.pull_auto_merge (
    issue_id bigint NOT NULL,
    account_id bigint NOT NULL,
    style text NOT NULL COLLATE pg_catalog."C",
    title text NOT NULL,
    message text NOT NULL,
    deletes_branch boolean,
    created_at timestamp(3) with time zone NOT NULL,
    due_at timestamp(3) with time zone,
    claim uuid
);

CREATE TABLE forge.pull_merge (
    issue_id bigint NOT NULL,
    commit_id text NOT NULL COLLATE pg_catalog."C",
    head_commit text NOT NULL COLLATE pg_catalog."C",
    style text NOT NULL COLLATE pg_catalog."C",
    merger_id bigint,
    begun_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE forge.pull_request (
    issue_id bigint NOT NULL,
    repository_id bigint NOT NULL,
    head_repository_id bigint,
    head_branch text NOT NULL COLLATE pg_catalog."C",
    base_branch text NOT NULL COLLATE pg_catalog."C",
    head_commit text NOT NULL COLLATE pg_catalog."C",
    has_head_branch boolean DEFAULT true NOT NULL,
    merge_base text NOT NULL COLLATE pg_catalog."C",
    is_open boolean DEFAULT true NOT NULL,
    allow_maintainer_edit boolean DEFAULT false NOT NULL,
    merged_at timestamp(3) with time zone,
    merged_by bigint,
    merged_commit text COLLATE pg_catalog."C",
    merge_style text COLLATE pg_catalog."C",
    CONSTRAINT pull_request_base_branch_present CHECK ((base_branch <> ''::text)),
    CONSTRAINT pull_request_head_branch_present CHECK ((head_branch <> ''::text)),
    CONSTRAINT pull_request_merged_completely CHECK (((merged_at IS NULL) = (merged_commit IS NULL)))
);

CREATE TABLE forge.push_journal (
    repository_id bigint NOT NULL,
    push uuid NOT NULL,
    place bigint NOT NULL,
    account_id bigint NOT NULL,
    ref text NOT NULL COLLATE pg_catalog."C",
    before text NOT NULL COLLATE pg_catalog."C",
    after text NOT NULL COLLATE pg_catalog."C",
    begun_at timestamp(3) with time zone NOT NULL,
    is_overtaken boolean DEFAULT false NOT NULL,
    request_id text
);

CREATE TABLE forge.reaction (
    id bigint NOT NULL,
    issue_id bigint,
    comment_id bigint,
    account_id bigint NOT NULL,
    content text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT reaction_subject CHECK ((num_nonnulls(issue_id, comment_id) = 1))
);

ALTER TABLE forge.reaction ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME forge.reaction_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE forge.recovery_code (
    account_id bigint NOT NULL,
    hash text NOT NULL COLLATE pg_catalog."C",
    used_at timestamp(3) with time zone,
    CONSTRAINT recovery_code_hash_form CHECK ((hash ~ '^[0-9a-f]{64}$'::text))
);

CREATE TABLE forge.release (
    id bigint NOT NULL,
    repository_id bigint NOT NULL,
    tag_name text NOT NULL COLLATE pg_catalog."C",
    key text GENERATED ALWAYS AS (lower(tag_name)) STORED NOT NULL COLLATE pg_catalog."C",
    target text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    body text NOT NULL,
    is_draft boolean NOT NULL,
    is_prerelease boolean NOT NULL,
    author_id bigint,
    created_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT release_name_length CHECK ((char_length(name) <= 255)),
    CONSTRAINT release_tag_name_length CHECK (((char_length(tag_name) >= 1) AND (char_length(tag_name) <= 255)))
);

ALTER TABLE forge.release ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME forge.release_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE forge.removed_pull (
    repository_id bigint NOT NULL,
    number bigint NOT NULL
);

CREATE TABLE forge.repository_collaborator (
    repository_id bigint NOT NULL,
    account_id bigint NOT NULL,
    permission text NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT repository_collaborator_permission_known CHECK ((permission = ANY (ARRAY['read'::text, 'write'::text, 'admin'::text])))
);

ALTER TABLE forge.repository ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME forge.repository_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE SEQUENCE forge.repository_look
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

CREATE TABLE forge.repository_redirect (
    owner_id bigint NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C",
    repository_id bigint NOT NULL
);

CREATE TABLE forge.repository_star (
    repository_id bigint NOT NULL,
    account_id bigint NOT NULL,
    created_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE forge.repository_transfer (
    repository_id bigint NOT NULL,
    recipient_id bigint NOT NULL,
    doer_id bigint NOT NULL,
    team_ids bigint[] DEFAULT '{}'::bigint[] NOT NULL,
    created_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE forge.repository_unwatch (
    repository_id bigint NOT NULL,
    account_id bigint NOT NULL
);

CREATE TABLE forge.repository_watch (
    repository_id bigint NOT NULL,
    account_id bigint NOT NULL,
    created_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE forge.review (
    id bigint NOT NULL,
    issue_id bigint NOT NULL,
    reviewer_id bigint,
    team_id bigint,
    state text NOT NULL COLLATE pg_catalog."C",
    body text DEFAULT ''::text NOT NULL,
    commit_id text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    is_official boolean DEFAULT false NOT NULL,
    is_stale boolean DEFAULT false NOT NULL,
    is_dismissed boolean DEFAULT false NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT review_state_known CHECK ((state = ANY (ARRAY['pending'::text, 'comment'::text, 'approve'::text, 'reject'::text, 'request'::text])))
);

CREATE TABLE forge.review_comment (
    id bigint DEFAULT nextval('forge.issue_comment_id_seq'::regclass) NOT NULL,
    review_id bigint NOT NULL,
    issue_id bigint NOT NULL,
    poster_id bigint,
    body text NOT NULL,
    path text NOT NULL,
    line integer NOT NULL,
    is_old boolean DEFAULT false NOT NULL,
    commit_id text NOT NULL COLLATE pg_catalog."C",
    hunk text DEFAULT ''::text NOT NULL,
    is_outdated boolean DEFAULT false NOT NULL,
    resolver_id bigint,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT review_comment_body_present CHECK ((body <> ''::text)),
    CONSTRAINT review_comment_line_positive CHECK ((line > 0))
);

ALTER TABLE forge.review ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME forge.review_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE forge.secret (
    id bigint NOT NULL,
    owner_id bigint,
    repository_id bigint,
    name text NOT NULL COLLATE pg_catalog."C",
    description text NOT NULL,
    sealed bytea NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT secret_belongs CHECK ((num_nonnulls(owner_id, repository_id) = 1)),
    CONSTRAINT secret_name_syntax CHECK (((name ~ '^[A-Z_][A-Z0-9_]*$'::text) AND (char_length(name) <= 255)))
);

ALTER TABLE forge.secret ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME forge.secret_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE forge.site_picture (
    uuid uuid NOT NULL,
    blob text NOT NULL COLLATE pg_catalog."C",
    type text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp(3) with time zone NOT NULL,
    thumbnail_of uuid
);

CREATE TABLE forge.ssh_key (
    id bigint NOT NULL,
    account_id bigint NOT NULL,
    title text NOT NULL,
    content text NOT NULL,
    fingerprint text NOT NULL COLLATE pg_catalog."C",
    read_only boolean DEFAULT false NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    last_used_at timestamp(3) with time zone,
    CONSTRAINT ssh_key_title_present CHECK ((title <> ''::text))
);

ALTER TABLE forge.ssh_key ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME forge.ssh_key_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE forge.system_account (
    account_id bigint NOT NULL
);

CREATE TABLE forge.tag_protection (
    id bigint NOT NULL,
    repository_id bigint NOT NULL,
    name_pattern text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE forge.tag_protection_account (
    protection_id bigint NOT NULL,
    account_id bigint NOT NULL
);

ALTER TABLE forge.tag_protection ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME forge.tag_protection_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE forge.tag_protection_team (
    protection_id bigint NOT NULL,
    team_id bigint NOT NULL
);

CREATE TABLE forge.team (
    id bigint NOT NULL,
    organization_id bigint NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    key text GENERATED ALWAYS AS (lower(name)) STORED NOT NULL COLLATE pg_catalog."C",
    description text DEFAULT ''::text NOT NULL,
    permission text NOT NULL COLLATE pg_catalog."C",
    visibility text DEFAULT 'private'::text NOT NULL COLLATE pg_catalog."C",
    includes_all_repositories boolean DEFAULT false NOT NULL,
    can_create_repositories boolean DEFAULT false NOT NULL,
    units jsonb DEFAULT '{}'::jsonb NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT team_name_size CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255))),
    CONSTRAINT team_permission_known CHECK ((permission = ANY (ARRAY['none'::text, 'read'::text, 'write'::text, 'admin'::text, 'owner'::text]))),
    CONSTRAINT team_units_form CHECK ((jsonb_typeof(units) = 'object'::text)),
    CONSTRAINT team_visibility_known CHECK ((visibility = ANY (ARRAY['public'::text, 'limited'::text, 'private'::text])))
);

ALTER TABLE forge.team ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME forge.team_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE forge.team_member (
    team_id bigint NOT NULL,
    organization_id bigint NOT NULL,
    account_id bigint NOT NULL
);

CREATE TABLE forge.team_repository (
    team_id bigint NOT NULL,
    repository_id bigint NOT NULL
);

CREATE TABLE forge.topic (
    id bigint NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    repository_count bigint NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL
);

ALTER TABLE forge.topic ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME forge.topic_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE forge.totp (
    account_id bigint NOT NULL,
    secret bytea NOT NULL,
    last_step bigint DEFAULT '-1'::integer NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    attempt_step bigint DEFAULT '-1'::integer NOT NULL,
    CONSTRAINT totp_attempts_floor CHECK ((attempts >= 0)),
    CONSTRAINT totp_secret_size CHECK (((octet_length(secret) >= 16) AND (octet_length(secret) <= 1024)))
);

CREATE TABLE forge.web_session (
    hash text NOT NULL,
    account_id bigint NOT NULL,
    token_id bigint,
    password_hash text,
    created_at timestamp(3) with time zone NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    totp_enrolled_at timestamp(3) with time zone,
    id bigint NOT NULL,
    browser text,
    CONSTRAINT web_session_has_credential CHECK (((token_id IS NULL) = (password_hash IS NOT NULL))),
    CONSTRAINT web_session_hash_form CHECK ((hash ~ '^[0-9a-f]{64}$'::text))
);

ALTER TABLE forge.web_session ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME forge.web_session_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE forgehall.content_store (
    id text NOT NULL
);

CREATE TABLE forgehall.idempotency_key (
    id bigint NOT NULL,
    digest bytea NOT NULL,
    request bytea NOT NULL,
    sealed bytea,
    created_at timestamp(3) with time zone NOT NULL
);

ALTER TABLE forgehall.idempotency_key ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME forgehall.idempotency_key_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE forgehall.mail (
    id bigint NOT NULL,
    kind text NOT NULL COLLATE pg_catalog."C",
    recipient text NOT NULL,
    account_id bigint,
    state text DEFAULT 'waiting'::text NOT NULL COLLATE pg_catalog."C",
    attempts integer DEFAULT 0 NOT NULL,
    error text DEFAULT ''::text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    due_at timestamp(3) with time zone NOT NULL,
    finished_at timestamp(3) with time zone,
    about text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    secret_hash text COLLATE pg_catalog."C",
    CONSTRAINT mail_state_known CHECK ((state = ANY (ARRAY['waiting'::text, 'sent'::text, 'failed'::text])))
);

ALTER TABLE forgehall.mail ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME forgehall.mail_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE forgehall.migration (
    name text NOT NULL,
    applied_at timestamp(3) with time zone DEFAULT now() NOT NULL
);

CREATE TABLE forgehall.required_migration (
    name text NOT NULL
);

CREATE TABLE forgehall.secret_key (
    id text NOT NULL,
    added_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT secret_key_id_form CHECK ((id ~ '^[0-9a-f]{16}$'::text))
);

CREATE TABLE site.activity_entry (
    id bigint NOT NULL,
    description text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT activity_entry_description_present CHECK ((description <> ''::text))
);

ALTER TABLE site.activity_entry ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME site.activity_entry_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE site.media_item (
    id bigint NOT NULL,
    title text NOT NULL,
    media_type text NOT NULL,
    url text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    updated_at timestamp(3) with time zone,
    version integer DEFAULT 1 NOT NULL,
    picture uuid,
    CONSTRAINT media_item_title_present CHECK ((title <> ''::text)),
    CONSTRAINT media_item_type_known CHECK ((media_type = ANY (ARRAY['image'::text, 'video'::text]))),
    CONSTRAINT media_item_url_present CHECK ((url <> ''::text))
);

ALTER TABLE site.media_item ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME site.media_item_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE site.news_draft (
    id bigint NOT NULL,
    title text NOT NULL,
    content text NOT NULL,
    format text NOT NULL,
    publish_at timestamp(3) with time zone,
    version integer DEFAULT 1 NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT news_draft_format_known CHECK ((format = ANY (ARRAY['plain'::text, 'markdown'::text]))),
    CONSTRAINT news_draft_scheduled_complete CHECK (((publish_at IS NULL) OR ((title <> ''::text) AND (content <> ''::text))))
);

ALTER TABLE site.news_draft ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME site.news_draft_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE site.news_post (
    id bigint NOT NULL,
    title text NOT NULL,
    content text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    format text DEFAULT 'plain'::text NOT NULL,
    updated_at timestamp(3) with time zone,
    version integer DEFAULT 1 NOT NULL,
    CONSTRAINT news_post_content_present CHECK ((content <> ''::text)),
    CONSTRAINT news_post_title_present CHECK ((title <> ''::text))
);

ALTER TABLE site.news_post ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME site.news_post_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE site.presence_sample (
    at timestamp(3) with time zone NOT NULL,
    users integer NOT NULL,
    CONSTRAINT presence_sample_users_positive CHECK ((users >= 0))
);

CREATE TABLE site.removed_item (
    id bigint NOT NULL,
    title text NOT NULL,
    media_type text NOT NULL,
    url text NOT NULL,
    description text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone,
    version integer NOT NULL,
    removed_at timestamp(3) with time zone NOT NULL,
    picture uuid
);

CREATE TABLE site.removed_post (
    id bigint NOT NULL,
    title text NOT NULL,
    content text NOT NULL,
    format text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone,
    version integer NOT NULL,
    removed_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE site.sent_form (
    digest bytea NOT NULL,
    outcome json,
    sent_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE site.session (
    id bigint NOT NULL,
    visitor_id bigint NOT NULL,
    started_at timestamp(3) with time zone NOT NULL,
    ended_at timestamp(3) with time zone,
    CONSTRAINT session_ends_after_start CHECK ((ended_at >= started_at))
);

ALTER TABLE site.session ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME site.session_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE site.setting (
    key text NOT NULL COLLATE pg_catalog."C",
    value text NOT NULL,
    CONSTRAINT setting_key_known CHECK ((key = 'name'::text))
);

CREATE TABLE site.statistic (
    key text NOT NULL,
    value text NOT NULL,
    CONSTRAINT statistic_key_known CHECK ((key = ANY (ARRAY['build_pipeline'::text, 'build_number'::text, 'version'::text, 'reports_named'::text, 'reports_associated'::text, 'reports_logged'::text])))
);

CREATE TABLE site.visitor (
    id bigint NOT NULL,
    username text NOT NULL,
    joined_at timestamp(3) with time zone NOT NULL,
    last_seen_at timestamp(3) with time zone,
    CONSTRAINT visitor_username_size CHECK (((char_length(username) >= 1) AND (char_length(username) <= 255)))
);

CREATE TABLE site.visitor_count (
    slot smallint NOT NULL,
    visitors bigint NOT NULL
)
WITH (fillfactor='50');

ALTER TABLE site.visitor ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME site.visitor_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

ALTER TABLE ONLY forge.access_token
    ADD CONSTRAINT access_token_hash_unique UNIQUE (hash);

ALTER TABLE ONLY forge.access_token
    ADD CONSTRAINT access_token_pkey PRIMARY KEY (id);

ALTER TABLE ONLY forge.account_badge
    ADD CONSTRAINT account_badge_pkey PRIMARY KEY (id);

ALTER TABLE ONLY forge.account_badge
    ADD CONSTRAINT account_badge_unique UNIQUE (account_id, badge_id);

ALTER TABLE ONLY forge.account
    ADD CONSTRAINT account_name_unique UNIQUE (key);

ALTER TABLE ONLY forge.account
    ADD CONSTRAINT account_pkey PRIMARY KEY (id);

ALTER TABLE ONLY forge.account_tally
    ADD CONSTRAINT account_tally_pkey PRIMARY KEY (kind, source_id, is_active, is_admin, is_restricted, prohibit_login, has_totp, visibility, slot);

ALTER TABLE ONLY forge.action_annotation
    ADD CONSTRAINT action_annotation_pkey PRIMARY KEY (task_id, line);

ALTER TABLE ONLY forge.action_artifact_part
    ADD CONSTRAINT action_artifact_part_pkey PRIMARY KEY (artifact_id, path, block);

ALTER TABLE ONLY forge.action_artifact
    ADD CONSTRAINT action_artifact_pkey PRIMARY KEY (id);

ALTER TABLE ONLY forge.action_attempt
    ADD CONSTRAINT action_attempt_number_unique UNIQUE (run_id, number);

ALTER TABLE ONLY forge.action_attempt
    ADD CONSTRAINT action_attempt_pkey PRIMARY KEY (id);

ALTER TABLE ONLY forge.action_called_workflow
    ADD CONSTRAINT action_called_workflow_pkey PRIMARY KEY (run_id, number);

ALTER TABLE ONLY forge.action_disabled_workflow
    ADD CONSTRAINT action_disabled_workflow_pkey PRIMARY KEY (repository_id, workflow_file);

ALTER TABLE ONLY forge.action_job
    ADD CONSTRAINT action_job_number_unique UNIQUE (run_id, attempt, number);

ALTER TABLE ONLY forge.action_job
    ADD CONSTRAINT action_job_pkey PRIMARY KEY (id);

ALTER TABLE ONLY forge.action_listening
    ADD CONSTRAINT action_listening_pkey PRIMARY KEY (repository_id);

ALTER TABLE ONLY forge.action_log
    ADD CONSTRAINT action_log_pkey PRIMARY KEY (task_id, first_line);

ALTER TABLE ONLY forge.action_output
    ADD CONSTRAINT action_output_pkey PRIMARY KEY (task_id, key);

ALTER TABLE ONLY forge.action_run_counter
    ADD CONSTRAINT action_run_counter_pkey PRIMARY KEY (repository_id);

ALTER TABLE ONLY forge.action_run
    ADD CONSTRAINT action_run_number_unique UNIQUE (repository_id, number);

ALTER TABLE ONLY forge.action_run
    ADD CONSTRAINT action_run_pkey PRIMARY KEY (id);

ALTER TABLE ONLY forge.action_runner
    ADD CONSTRAINT action_runner_pkey PRIMARY KEY (id);

ALTER TABLE ONLY forge.action_runner_token
    ADD CONSTRAINT action_runner_token_hash_unique UNIQUE (token_hash);

ALTER TABLE ONLY forge.action_runner_token
    ADD CONSTRAINT action_runner_token_pkey PRIMARY KEY (id);

ALTER TABLE ONLY forge.action_runner_token
    ADD CONSTRAINT action_runner_token_unique UNIQUE (token);

ALTER TABLE ONLY forge.action_runner
    ADD CONSTRAINT action_runner_uuid_unique UNIQUE (uuid);

ALTER TABLE ONLY forge.action_schedule
    ADD CONSTRAINT action_schedule_pkey PRIMARY KEY (id);

ALTER TABLE ONLY forge.action_step
    ADD CONSTRAINT action_step_pkey PRIMARY KEY (task_id, number);

ALTER TABLE ONLY forge.action_summary
    ADD CONSTRAINT action_summary_pkey PRIMARY KEY (task_id, step);

ALTER TABLE ONLY forge.action_tally_change
    ADD CONSTRAINT action_tally_change_pkey PRIMARY KEY (id);

ALTER TABLE ONLY forge.action_tally
    ADD CONSTRAINT action_tally_pkey PRIMARY KEY (kind, repository_id, status, event);

ALTER TABLE ONLY forge.action_task
    ADD CONSTRAINT action_task_job_unique UNIQUE (job_id);

ALTER TABLE ONLY forge.action_task
    ADD CONSTRAINT action_task_pkey PRIMARY KEY (id);

ALTER TABLE ONLY forge.action_task_secret
    ADD CONSTRAINT action_task_secret_pkey PRIMARY KEY (task_id);

ALTER TABLE ONLY forge.action_task
    ADD CONSTRAINT action_task_token_unique UNIQUE (token_hash);

ALTER TABLE ONLY forge.action_tasks_version
    ADD CONSTRAINT action_tasks_version_pkey PRIMARY KEY (slot);

ALTER TABLE ONLY forge.action_trigger
    ADD CONSTRAINT action_trigger_pkey PRIMARY KEY (id);

ALTER TABLE ONLY forge.action_variable
    ADD CONSTRAINT action_variable_name_unique UNIQUE NULLS NOT DISTINCT (owner_id, repository_id, name);

ALTER TABLE ONLY forge.action_variable
    ADD CONSTRAINT action_variable_pkey PRIMARY KEY (id);

ALTER TABLE ONLY forge.attachment
    ADD CONSTRAINT attachment_pkey PRIMARY KEY (id);

ALTER TABLE ONLY forge.attachment
    ADD CONSTRAINT attachment_uuid_unique UNIQUE (uuid);

ALTER TABLE ONLY forge.audit
    ADD CONSTRAINT audit_pkey PRIMARY KEY (id);

ALTER TABLE ONLY forge.badge
    ADD CONSTRAINT badge_pkey PRIMARY KEY (id);

ALTER TABLE ONLY forge.badge
    ADD CONSTRAINT badge_slug_unique UNIQUE (slug);

ALTER TABLE ONLY forge.branch_protection_account
    ADD CONSTRAINT branch_protection_account_pkey PRIMARY KEY (protection_id, list, account_id);

ALTER TABLE ONLY forge.branch_protection
    ADD CONSTRAINT branch_protection_pkey PRIMARY KEY (id);

ALTER TABLE ONLY forge.branch_protection
    ADD CONSTRAINT branch_protection_rule_name_unique UNIQUE (repository_id, rule_name);

ALTER TABLE ONLY forge.branch_protection_team
    ADD CONSTRAINT branch_protection_team_pkey PRIMARY KEY (protection_id, list, team_id);

ALTER TABLE ONLY forge.commit_status
    ADD CONSTRAINT commit_status_pkey PRIMARY KEY (id);

ALTER TABLE ONLY forge.cron_task
    ADD CONSTRAINT cron_task_pkey PRIMARY KEY (name);

ALTER TABLE ONLY forge.deploy_key
    ADD CONSTRAINT deploy_key_fingerprint_unique UNIQUE (repository_id, fingerprint);

ALTER TABLE ONLY forge.deploy_key
    ADD CONSTRAINT deploy_key_pkey PRIMARY KEY (id);

ALTER TABLE ONLY forge.email_address
    ADD CONSTRAINT email_address_pkey PRIMARY KEY (id);

ALTER TABLE ONLY forge.email_address
    ADD CONSTRAINT email_address_unique UNIQUE (key);

ALTER TABLE ONLY forge.email_tally
    ADD CONSTRAINT email_tally_pkey PRIMARY KEY (slot);

ALTER TABLE ONLY forge.event
    ADD CONSTRAINT event_pkey PRIMARY KEY (id);

ALTER TABLE ONLY forge.follow
    ADD CONSTRAINT follow_pkey PRIMARY KEY (account_id, followed_id);

ALTER TABLE ONLY forge.gpg_key
    ADD CONSTRAINT gpg_key_pkey PRIMARY KEY (id);

ALTER TABLE ONLY forge.hook_attempt
    ADD CONSTRAINT hook_attempt_pkey PRIMARY KEY (delivery_id, number);

ALTER TABLE ONLY forge.hook_delivery
    ADD CONSTRAINT hook_delivery_pkey PRIMARY KEY (id);

ALTER TABLE ONLY forge.hook_delivery
    ADD CONSTRAINT hook_delivery_uuid_unique UNIQUE (uuid);

ALTER TABLE ONLY forge.hook
    ADD CONSTRAINT hook_pkey PRIMARY KEY (id);

ALTER TABLE ONLY forge.issue_assignee
    ADD CONSTRAINT issue_assignee_pkey PRIMARY KEY (issue_id, account_id);

ALTER TABLE ONLY forge.issue_comment
    ADD CONSTRAINT issue_comment_pkey PRIMARY KEY (id);

ALTER TABLE ONLY forge.issue_dependency
    ADD CONSTRAINT issue_dependency_pkey PRIMARY KEY (issue_id, dependency_id);

ALTER TABLE ONLY forge.issue_event
    ADD CONSTRAINT issue_event_pkey PRIMARY KEY (id);

ALTER TABLE ONLY forge.issue
    ADD CONSTRAINT issue_in_repository UNIQUE (id, repository_id);

ALTER TABLE ONLY forge.issue_label
    ADD CONSTRAINT issue_label_pkey PRIMARY KEY (issue_id, label_id);

ALTER TABLE ONLY forge.issue_mention
    ADD CONSTRAINT issue_mention_pkey PRIMARY KEY (issue_id, account_id);

ALTER TABLE ONLY forge.issue
    ADD CONSTRAINT issue_number_unique UNIQUE (repository_id, number) INCLUDE (closed_at);

ALTER TABLE ONLY forge.issue_organization_label
    ADD CONSTRAINT issue_organization_label_pkey PRIMARY KEY (issue_id, label_id);

ALTER TABLE ONLY forge.issue_pin
    ADD CONSTRAINT issue_pin_pkey PRIMARY KEY (issue_id);

ALTER TABLE ONLY forge.issue
    ADD CONSTRAINT issue_pkey PRIMARY KEY (id);

ALTER TABLE ONLY forge.issue_watch
    ADD CONSTRAINT issue_watch_pkey PRIMARY KEY (issue_id, account_id);

ALTER TABLE ONLY forge.mail_preference
    ADD CONSTRAINT mail_preference_pkey PRIMARY KEY (account_id);

ALTER TABLE ONLY forge.membership
    ADD CONSTRAINT membership_pkey PRIMARY KEY (organization_id, account_id);

ALTER TABLE ONLY forge.milestone
    ADD CONSTRAINT milestone_pkey PRIMARY KEY (id);

ALTER TABLE ONLY forge.name_redirect
    ADD CONSTRAINT name_redirect_pkey PRIMARY KEY (key);

ALTER TABLE ONLY forge.notification
    ADD CONSTRAINT notification_pkey PRIMARY KEY (id);

ALTER TABLE ONLY forge.organization_label
    ADD CONSTRAINT organization_label_pkey PRIMARY KEY (id);

ALTER TABLE ONLY forge.package_blob
    ADD CONSTRAINT package_blob_pkey PRIMARY KEY (sha256);

ALTER TABLE ONLY forge.package_file
    ADD CONSTRAINT package_file_pkey PRIMARY KEY (id);

ALTER TABLE ONLY forge.package_file
    ADD CONSTRAINT package_file_unique UNIQUE (version_id, key);

ALTER TABLE ONLY forge.package
    ADD CONSTRAINT package_name_unique UNIQUE (owner_id, type, key);

ALTER TABLE ONLY forge.package
    ADD CONSTRAINT package_pkey PRIMARY KEY (id);

ALTER TABLE ONLY forge.package
    ADD CONSTRAINT package_repeated UNIQUE (id, owner_id, type);

ALTER TABLE ONLY forge.package_tag
    ADD CONSTRAINT package_tag_pkey PRIMARY KEY (package_id, tag);

ALTER TABLE ONLY forge.package_tally
    ADD CONSTRAINT package_tally_pkey PRIMARY KEY (type, slot);

ALTER TABLE ONLY forge.package_version
    ADD CONSTRAINT package_version_of_package UNIQUE (id, package_id);

ALTER TABLE ONLY forge.package_version
    ADD CONSTRAINT package_version_pkey PRIMARY KEY (id);

ALTER TABLE ONLY forge.package_version
    ADD CONSTRAINT package_version_unique UNIQUE (package_id, key);

ALTER TABLE ONLY forge.password_link
    ADD CONSTRAINT password_link_hash_unique UNIQUE (hash);

ALTER TABLE ONLY forge.password_link
    ADD CONSTRAINT password_link_pkey PRIMARY KEY (account_id);

ALTER TABLE ONLY forge.password
    ADD CONSTRAINT password_pkey PRIMARY KEY (account_id);

ALTER TABLE ONLY forge.pull_auto_merge
    ADD CONSTRAINT pull_auto_merge_pkey PRIMARY KEY (issue_id);

ALTER TABLE ONLY forge.pull_merge
    ADD CONSTRAINT pull_merge_pkey PRIMARY KEY (issue_id);

ALTER TABLE ONLY forge.pull_request
    ADD CONSTRAINT pull_request_pkey PRIMARY KEY (issue_id);

ALTER TABLE ONLY forge.push_journal
    ADD CONSTRAINT push_journal_pkey PRIMARY KEY (repository_id, push, place);

ALTER TABLE ONLY forge.reaction
    ADD CONSTRAINT reaction_pkey PRIMARY KEY (id);

ALTER TABLE ONLY forge.recovery_code
    ADD CONSTRAINT recovery_code_pkey PRIMARY KEY (account_id, hash);

ALTER TABLE ONLY forge.release
    ADD CONSTRAINT release_pkey PRIMARY KEY (id);

ALTER TABLE ONLY forge.release
    ADD CONSTRAINT release_tag_unique UNIQUE (repository_id, key);

ALTER TABLE ONLY forge.removed_pull
    ADD CONSTRAINT removed_pull_pkey PRIMARY KEY (repository_id, number);

ALTER TABLE ONLY forge.repository_collaborator
    ADD CONSTRAINT repository_collaborator_pkey PRIMARY KEY (repository_id, account_id);

ALTER TABLE ONLY forge.repository
    ADD CONSTRAINT repository_folder_unique UNIQUE (folder_owner, folder_name);

ALTER TABLE ONLY forge.repository_label
    ADD CONSTRAINT repository_label_in_repository UNIQUE (id, repository_id);

ALTER TABLE ONLY forge.repository_label
    ADD CONSTRAINT repository_label_pkey PRIMARY KEY (id);

ALTER TABLE ONLY forge.repository
    ADD CONSTRAINT repository_name_unique UNIQUE (owner_id, key);

ALTER TABLE ONLY forge.repository
    ADD CONSTRAINT repository_pkey PRIMARY KEY (id);

ALTER TABLE ONLY forge.repository_redirect
    ADD CONSTRAINT repository_redirect_pkey PRIMARY KEY (owner_id, key);

ALTER TABLE ONLY forge.repository_star
    ADD CONSTRAINT repository_star_pkey PRIMARY KEY (repository_id, account_id);

ALTER TABLE ONLY forge.repository_transfer
    ADD CONSTRAINT repository_transfer_pkey PRIMARY KEY (repository_id);

ALTER TABLE ONLY forge.repository_unwatch
    ADD CONSTRAINT repository_unwatch_pkey PRIMARY KEY (repository_id, account_id);

ALTER TABLE ONLY forge.repository_watch
    ADD CONSTRAINT repository_watch_pkey PRIMARY KEY (repository_id, account_id);

ALTER TABLE ONLY forge.review_comment
    ADD CONSTRAINT review_comment_pkey PRIMARY KEY (id);

ALTER TABLE ONLY forge.review
    ADD CONSTRAINT review_pkey PRIMARY KEY (id);

ALTER TABLE ONLY forge.secret
    ADD CONSTRAINT secret_name_unique UNIQUE NULLS NOT DISTINCT (owner_id, repository_id, name);

ALTER TABLE ONLY forge.secret
    ADD CONSTRAINT secret_pkey PRIMARY KEY (id);

ALTER TABLE ONLY forge.site_picture
    ADD CONSTRAINT site_picture_pkey PRIMARY KEY (uuid);

ALTER TABLE ONLY forge.ssh_key
    ADD CONSTRAINT ssh_key_fingerprint_unique UNIQUE (fingerprint);

ALTER TABLE ONLY forge.ssh_key
    ADD CONSTRAINT ssh_key_pkey PRIMARY KEY (id);

ALTER TABLE ONLY forge.system_account
    ADD CONSTRAINT system_account_pkey PRIMARY KEY (account_id);

ALTER TABLE ONLY forge.tag_protection_account
    ADD CONSTRAINT tag_protection_account_pkey PRIMARY KEY (protection_id, account_id);

ALTER TABLE ONLY forge.tag_protection
    ADD CONSTRAINT tag_protection_name_pattern_unique UNIQUE (repository_id, name_pattern);

ALTER TABLE ONLY forge.tag_protection
    ADD CONSTRAINT tag_protection_pkey PRIMARY KEY (id);

ALTER TABLE ONLY forge.tag_protection_team
    ADD CONSTRAINT tag_protection_team_pkey PRIMARY KEY (protection_id, team_id);

ALTER TABLE ONLY forge.team
    ADD CONSTRAINT team_in_organization UNIQUE (id, organization_id);

ALTER TABLE ONLY forge.team_member
    ADD CONSTRAINT team_member_pkey PRIMARY KEY (team_id, account_id);

ALTER TABLE ONLY forge.team
    ADD CONSTRAINT team_name_unique UNIQUE (organization_id, key);

ALTER TABLE ONLY forge.team
    ADD CONSTRAINT team_pkey PRIMARY KEY (id);

ALTER TABLE ONLY forge.team_repository
    ADD CONSTRAINT team_repository_pkey PRIMARY KEY (team_id, repository_id);

ALTER TABLE ONLY forge.topic
    ADD CONSTRAINT topic_name_unique UNIQUE (name);

ALTER TABLE ONLY forge.topic
    ADD CONSTRAINT topic_pkey PRIMARY KEY (id);

ALTER TABLE ONLY forge.totp
    ADD CONSTRAINT totp_pkey PRIMARY KEY (account_id);

ALTER TABLE ONLY forge.web_session
    ADD CONSTRAINT web_session_pkey PRIMARY KEY (hash);

ALTER TABLE ONLY forgehall.content_store
    ADD CONSTRAINT content_store_pkey PRIMARY KEY (id);

ALTER TABLE ONLY forgehall.idempotency_key
    ADD CONSTRAINT idempotency_key_digest_unique UNIQUE (digest);

ALTER TABLE ONLY forgehall.idempotency_key
    ADD CONSTRAINT idempotency_key_pkey PRIMARY KEY (id);

ALTER TABLE ONLY forgehall.mail
    ADD CONSTRAINT mail_pkey PRIMARY KEY (id);

ALTER TABLE ONLY forgehall.migration
    ADD CONSTRAINT migration_pkey PRIMARY KEY (name);

ALTER TABLE ONLY forgehall.required_migration
    ADD CONSTRAINT required_migration_pkey PRIMARY KEY (name);

ALTER TABLE ONLY forgehall.secret_key
    ADD CONSTRAINT secret_key_pkey PRIMARY KEY (id);

ALTER TABLE ONLY site.activity_entry
    ADD CONSTRAINT activity_entry_pkey PRIMARY KEY (id);

ALTER TABLE ONLY site.media_item
    ADD CONSTRAINT media_item_pkey PRIMARY KEY (id);

ALTER TABLE ONLY site.news_draft
    ADD CONSTRAINT news_draft_pkey PRIMARY KEY (id);

ALTER TABLE ONLY site.news_post
    ADD CONSTRAINT news_post_pkey PRIMARY KEY (id);

ALTER TABLE ONLY site.presence_sample
    ADD CONSTRAINT presence_sample_pkey PRIMARY KEY (at);

ALTER TABLE ONLY site.removed_item
    ADD CONSTRAINT removed_item_pkey PRIMARY KEY (id);

ALTER TABLE ONLY site.removed_post
    ADD CONSTRAINT removed_post_pkey PRIMARY KEY (id);

ALTER TABLE ONLY site.sent_form
    ADD CONSTRAINT sent_form_pkey PRIMARY KEY (digest);

ALTER TABLE ONLY site.session
    ADD CONSTRAINT session_pkey PRIMARY KEY (id);

ALTER TABLE ONLY site.setting
    ADD CONSTRAINT setting_pkey PRIMARY KEY (key);

ALTER TABLE ONLY site.statistic
    ADD CONSTRAINT statistic_pkey PRIMARY KEY (key);

ALTER TABLE ONLY site.visitor_count
    ADD CONSTRAINT visitor_count_pkey PRIMARY KEY (slot);

ALTER TABLE ONLY site.visitor
    ADD CONSTRAINT visitor_pkey PRIMARY KEY (id);

ALTER TABLE ONLY site.visitor
    ADD CONSTRAINT visitor_username_unique UNIQUE (username);

CREATE UNIQUE INDEX access_token_name_unique ON forge.access_token USING btree (account_id, md5(name));

CREATE INDEX access_token_of_account ON forge.access_token USING btree (account_id, id DESC);

CREATE INDEX account_admins ON forge.account USING btree (key) WHERE is_admin;

CREATE INDEX account_badge_of_badge ON forge.account_badge USING btree (badge_id);

CREATE INDEX account_by_avatar ON forge.account USING btree (avatar) WHERE (avatar IS NOT NULL);

CREATE INDEX account_folded_grams ON forge.account USING gin (forge.grams(forge.fold(((full_name || chr(10)) || email)))) WITH (fastupdate=off) WHERE ((full_name || email) ~ '[^\x01-\x7f]'::text);

CREATE INDEX account_grams ON forge.account USING gin (forge.grams(((((key || chr(10)) || lower(full_name)) || chr(10)) || lower(email)))) WITH (fastupdate=off);

CREATE INDEX account_inactive ON forge.account USING btree (key) WHERE ((kind = 'person'::text) AND (NOT is_active));

CREATE INDEX account_login_name ON forge.account USING btree (login_name) WHERE (login_name <> ''::text);

CREATE INDEX account_not_public ON forge.account USING btree (visibility, key) WHERE ((kind = 'person'::text) AND (visibility <> 'public'::text));

CREATE INDEX account_organizations ON forge.account USING btree (key) INCLUDE (id, visibility) WHERE (kind = 'organization'::text);

CREATE INDEX account_people_by_creation ON forge.account USING btree (created_at, id) INCLUDE (is_active, is_admin, is_restricted, prohibit_login, has_totp, visibility, source_id) WHERE (kind = 'person'::text);

CREATE INDEX account_people_by_id ON forge.account USING btree (id) INCLUDE (is_active, is_admin, is_restricted, prohibit_login, has_totp, visibility, source_id) WHERE (kind = 'person'::text);

CREATE INDEX account_people_by_name ON forge.account USING btree (key) INCLUDE (id, is_active, is_admin, is_restricted, prohibit_login, has_totp, visibility, source_id) WHERE (kind = 'person'::text);

CREATE INDEX account_people_by_update ON forge.account USING btree (updated_at, id) INCLUDE (is_active, is_admin, is_restricted, prohibit_login, has_totp, visibility, source_id) WHERE (kind = 'person'::text);

CREATE INDEX account_prohibited ON forge.account USING btree (key) WHERE ((kind = 'person'::text) AND prohibit_login);

CREATE INDEX account_restricted ON forge.account USING btree (key) WHERE ((kind = 'person'::text) AND is_restricted);

CREATE INDEX account_with_totp ON forge.account USING btree (key) WHERE ((kind = 'person'::text) AND has_totp);

CREATE INDEX action_artifact_expiry ON forge.action_artifact USING btree (expires_at);

CREATE UNIQUE INDEX action_artifact_name_unique ON forge.action_artifact USING btree (run_id, attempt, name) WHERE ((size IS NOT NULL) OR (media_type IS NULL));

CREATE INDEX action_artifact_of_repository ON forge.action_artifact USING btree (repository_id, id) INCLUDE (received);

CREATE INDEX action_artifact_of_run ON forge.action_artifact USING btree (run_id, id);

CREATE INDEX action_artifact_of_task ON forge.action_artifact USING btree (task_id);

CREATE INDEX action_artifact_part_blob ON forge.action_artifact_part USING btree (blob);

CREATE INDEX action_attempt_in_group ON forge.action_attempt USING btree (concurrency_group, run_id) WHERE ((concurrency_group IS NOT NULL) AND ((status)::text <> ALL (ARRAY['success'::text, 'failure'::text, 'cancelled'::text, 'skipped'::text])));

CREATE INDEX action_attempt_of_actor ON forge.action_attempt USING btree (actor_id) WHERE (actor_id IS NOT NULL);

CREATE INDEX action_job_abandoned ON forge.action_job USING btree (updated_at) WHERE ((status)::text = ANY (ARRAY['queued'::text, 'blocked'::text]));

CREATE INDEX action_job_by_status ON forge.action_job USING btree (status, id);

CREATE INDEX action_job_in_group ON forge.action_job USING btree (repository_id, concurrency_group) WHERE ((concurrency_group IS NOT NULL) AND ((status)::text <> ALL (ARRAY['success'::text, 'failure'::text, 'cancelled'::text, 'skipped'::text])));

CREATE INDEX action_job_of_repository ON forge.action_job USING btree (repository_id, id);

CREATE INDEX action_job_of_repository_by_status ON forge.action_job USING btree (repository_id, status, id);

CREATE INDEX action_job_queue ON forge.action_job USING btree (forge.labels_key(runs_on), updated_at, id) WHERE ((status)::text = 'queued'::text);

CREATE INDEX action_job_queue_of_repository ON forge.action_job USING btree (repository_id, updated_at, id) WHERE ((status)::text = 'queued'::text);

CREATE INDEX action_job_unplanned ON forge.action_job USING btree (id) WHERE ((payload IS NULL) AND ((status)::text = 'queued'::text));

CREATE INDEX action_run_by_actor ON forge.action_run USING btree (actor_id, id DESC);

CREATE INDEX action_run_by_bot ON forge.action_run USING btree (id DESC) WHERE by_bot;

CREATE INDEX action_run_by_commit ON forge.action_run USING btree (commit_sha, id DESC);

CREATE INDEX action_run_by_event ON forge.action_run USING btree (event, id DESC);

CREATE INDEX action_run_by_ref ON forge.action_run USING btree ("left"(ref, 200), id DESC);

CREATE INDEX action_run_by_status ON forge.action_run USING btree (status, id DESC);

CREATE INDEX action_run_of_approver ON forge.action_run USING btree (approved_by) WHERE (approved_by IS NOT NULL);

CREATE INDEX action_run_of_repository ON forge.action_run USING btree (repository_id, id DESC);

CREATE INDEX action_run_of_repository_by_status ON forge.action_run USING btree (repository_id, status, id DESC);

CREATE INDEX action_run_old ON forge.action_run USING btree (stopped_at, id) WHERE (stopped_at IS NOT NULL);

CREATE INDEX action_runner_deleted ON forge.action_runner USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);

CREATE INDEX action_runner_of_owner ON forge.action_runner USING btree (owner_id) WHERE (owner_id IS NOT NULL);

CREATE INDEX action_runner_of_repository ON forge.action_runner USING btree (repository_id) WHERE (repository_id IS NOT NULL);

CREATE INDEX action_runner_token_in_clear ON forge.action_runner_token USING btree (id) WHERE (token IS NOT NULL);

CREATE INDEX action_runner_token_of_owner ON forge.action_runner_token USING btree (owner_id) WHERE (owner_id IS NOT NULL);

CREATE INDEX action_runner_token_of_repository ON forge.action_runner_token USING btree (repository_id) WHERE (repository_id IS NOT NULL);

CREATE UNIQUE INDEX action_runner_token_one_active ON forge.action_runner_token USING btree (COALESCE(owner_id, (0)::bigint), COALESCE(repository_id, (0)::bigint)) WHERE is_active;

CREATE INDEX action_schedule_due ON forge.action_schedule USING btree (next_at, id);

CREATE INDEX action_schedule_of_repository ON forge.action_schedule USING btree (repository_id, id);

CREATE INDEX action_task_of_runner ON forge.action_task USING btree (runner_id, id);

CREATE INDEX action_task_open ON forge.action_task USING btree (id) WHERE ((status)::text = ANY (ARRAY['in_progress'::text, 'cancelling'::text]));

CREATE INDEX action_task_unsealed ON forge.action_task USING btree (stopped_at) WHERE ((NOT log_sealed) AND (stopped_at IS NOT NULL));

CREATE INDEX action_task_with_log ON forge.action_task USING btree (stopped_at) WHERE ((NOT log_expired) AND (stopped_at IS NOT NULL));

CREATE INDEX action_trigger_due ON forge.action_trigger USING btree (due_at, id);

CREATE INDEX action_trigger_of_actor ON forge.action_trigger USING btree (actor_id) WHERE (actor_id IS NOT NULL);

CREATE INDEX action_trigger_of_repository ON forge.action_trigger USING btree (repository_id);

CREATE INDEX action_variable_of_everybody ON forge.action_variable USING btree (id) WHERE ((owner_id IS NULL) AND (repository_id IS NULL));

CREATE INDEX action_variable_of_owner ON forge.action_variable USING btree (owner_id, id) WHERE (owner_id IS NOT NULL);

CREATE INDEX action_variable_of_repository ON forge.action_variable USING btree (repository_id, id) WHERE (repository_id IS NOT NULL);

CREATE INDEX attachment_of_blob ON forge.attachment USING btree (blob);

CREATE INDEX attachment_of_comment ON forge.attachment USING btree (comment_id, id) WHERE (comment_id IS NOT NULL);

CREATE INDEX attachment_of_issue ON forge.attachment USING btree (issue_id, id) WHERE (issue_id IS NOT NULL);

CREATE INDEX attachment_of_release ON forge.attachment USING btree (release_id, id);

CREATE INDEX attachment_of_uploader ON forge.attachment USING btree (uploader_id) WHERE (uploader_id IS NOT NULL);

CREATE INDEX audit_by_moment ON forge.audit USING btree (at, id);

CREATE INDEX audit_of_action ON forge.audit USING btree (action, id DESC);

CREATE INDEX audit_of_actor ON forge.audit USING btree (lower(actor_name), id DESC);

CREATE INDEX audit_of_target ON forge.audit USING btree (lower(target_name), id DESC);

CREATE INDEX branch_protection_of_account ON forge.branch_protection_account USING btree (account_id);

CREATE INDEX branch_protection_of_team ON forge.branch_protection_team USING btree (team_id);

CREATE INDEX commit_status_of_commit ON forge.commit_status USING btree (repository_id, commit_sha, context, id DESC);

CREATE INDEX commit_status_of_creator ON forge.commit_status USING btree (creator_id) WHERE (creator_id IS NOT NULL);

CREATE INDEX deploy_key_by_fingerprint ON forge.deploy_key USING btree (fingerprint);

CREATE INDEX deploy_key_of_repository ON forge.deploy_key USING btree (repository_id, id);

CREATE UNIQUE INDEX deploy_key_title_unique ON forge.deploy_key USING btree (repository_id, md5(title));

CREATE INDEX email_address_grams ON forge.email_address USING gin (forge.grams(lower(address))) WITH (fastupdate=off);

CREATE INDEX email_address_listed ON forge.email_address USING btree (key) INCLUDE (id) WHERE is_listed;

CREATE INDEX email_address_of_account ON forge.email_address USING btree (account_id, id);

CREATE UNIQUE INDEX email_address_one_primary ON forge.email_address USING btree (account_id) WHERE is_primary;

CREATE INDEX event_due ON forge.event USING btree (due_at, id);

CREATE INDEX follow_of_followed ON forge.follow USING btree (followed_id, account_id);

CREATE INDEX gpg_key_by_key_id ON forge.gpg_key USING btree (account_id, key_id);

CREATE UNIQUE INDEX gpg_key_fingerprint_unique ON forge.gpg_key USING btree (fingerprint) WHERE (parent_id IS NULL);

CREATE INDEX gpg_key_of_account ON forge.gpg_key USING btree (account_id, id) WHERE (parent_id IS NULL);

CREATE INDEX gpg_key_of_parent ON forge.gpg_key USING btree (parent_id, id) WHERE (parent_id IS NOT NULL);

CREATE INDEX hook_attempt_in_clear ON forge.hook_attempt USING btree (delivery_id, number) WHERE (request_url IS NOT NULL);

CREATE INDEX hook_delivery_due ON forge.hook_delivery USING btree (due_at, id) WHERE (state = 'waiting'::text);

CREATE INDEX hook_delivery_of_hook ON forge.hook_delivery USING btree (hook_id, id DESC);

CREATE INDEX hook_delivery_old ON forge.hook_delivery USING btree (finished_at) WHERE (finished_at IS NOT NULL);

CREATE INDEX hook_delivery_turns ON forge.hook_delivery USING btree (owner_id, due_at, id) WHERE (state = 'waiting'::text);

CREATE INDEX hook_in_clear ON forge.hook USING btree (id) WHERE (url IS NOT NULL);

CREATE INDEX hook_of_owner ON forge.hook USING btree (owner_id, id) WHERE (owner_id IS NOT NULL);

CREATE INDEX hook_of_repository ON forge.hook USING btree (repository_id, id) WHERE (repository_id IS NOT NULL);

CREATE INDEX hook_of_site ON forge.hook USING btree (scope, id) WHERE (scope = ANY (ARRAY['system'::text, 'default'::text]));

CREATE INDEX issue_assignee_of_account ON forge.issue_assignee USING btree (account_id, issue_id);

CREATE INDEX issue_by_number ON forge.issue USING hash (number);

CREATE INDEX issue_by_poster ON forge.issue USING btree (poster_id, id) WHERE (poster_id IS NOT NULL);

CREATE INDEX issue_comment_of_issue ON forge.issue_comment USING btree (issue_id, id) INCLUDE (poster_id);

CREATE INDEX issue_comment_of_poster ON forge.issue_comment USING btree (poster_id) WHERE (poster_id IS NOT NULL);

CREATE INDEX issue_comment_of_repository ON forge.issue_comment USING btree (repository_id, id) INCLUDE (updated_at);

CREATE INDEX issue_comment_search ON forge.issue_comment USING gin (forge.search_vector(repository_id, forge.searchable(body))) WITH (gin_pending_list_limit='1024');

CREATE INDEX issue_dependency_of_dependency ON forge.issue_dependency USING btree (dependency_id, issue_id);

CREATE INDEX issue_event_of_issue ON forge.issue_event USING btree (issue_id, created_at, id);

CREATE INDEX issue_label_of_label ON forge.issue_label USING btree (label_id, repository_id);

CREATE INDEX issue_mention_of_account ON forge.issue_mention USING btree (account_id, issue_id);

CREATE INDEX issue_of_milestone ON forge.issue USING btree (milestone_id, id) WHERE (milestone_id IS NOT NULL);

CREATE INDEX issue_open ON forge.issue USING btree (repository_id, number) WHERE (closed_at IS NULL);

CREATE INDEX issue_open_pulls ON forge.issue USING btree (repository_id, number) WHERE ((closed_at IS NULL) AND is_pull);

CREATE INDEX issue_open_without_pulls ON forge.issue USING btree (repository_id, number) WHERE ((closed_at IS NULL) AND (NOT is_pull));

CREATE INDEX issue_organization_label_of_label ON forge.issue_organization_label USING btree (label_id, issue_id);

CREATE INDEX issue_pin_of_repository ON forge.issue_pin USING btree (repository_id, place, issue_id);

CREATE INDEX issue_pulls ON forge.issue USING btree (repository_id, number) INCLUDE (closed_at) WHERE is_pull;

CREATE INDEX issue_search ON forge.issue USING gin (forge.search_vector(repository_id, forge.searchable(((title || chr(10)) || body)))) WITH (gin_pending_list_limit='1024');

CREATE INDEX issue_watch_of_account ON forge.issue_watch USING btree (account_id);

CREATE INDEX issue_without_pulls ON forge.issue USING btree (repository_id, number) INCLUDE (closed_at) WHERE (NOT is_pull);

CREATE INDEX membership_of_account ON forge.membership USING btree (account_id, organization_id) INCLUDE (is_public);

CREATE INDEX membership_public ON forge.membership USING btree (organization_id, account_id) WHERE is_public;

CREATE INDEX milestone_by_title ON forge.milestone USING btree (title);

CREATE INDEX milestone_of_repository ON forge.milestone USING btree (repository_id, due_at NULLS FIRST, title COLLATE "C", id);

CREATE INDEX name_redirect_of_account ON forge.name_redirect USING btree (account_id);

CREATE UNIQUE INDEX notification_issue_unique ON forge.notification USING btree (issue_id, account_id) WHERE (issue_id IS NOT NULL);

CREATE INDEX notification_of_account ON forge.notification USING btree (account_id, updated_at DESC, id DESC) INCLUDE (status, source, repository_id);

CREATE INDEX notification_of_repository ON forge.notification USING btree (repository_id);

CREATE INDEX notification_open ON forge.notification USING btree (account_id, updated_at DESC, id DESC) INCLUDE (status, source, repository_id) WHERE (status = ANY (ARRAY['unread'::text, 'pinned'::text]));

CREATE INDEX organization_label_by_name ON forge.organization_label USING btree (md5(name));

CREATE INDEX organization_label_of_organization ON forge.organization_label USING btree (organization_id, id);

CREATE INDEX package_file_of_blob ON forge.package_file USING btree (blob);

CREATE INDEX package_grams ON forge.package USING gin (forge.grams(key)) WITH (fastupdate=off);

CREATE INDEX package_tag_of_version ON forge.package_tag USING btree (version_id, package_id);

CREATE INDEX package_version_by_creation ON forge.package_version USING btree (created_at DESC, id DESC);

CREATE INDEX package_version_by_type ON forge.package_version USING btree (type, created_at DESC, id DESC);

CREATE INDEX package_version_of_creator ON forge.package_version USING btree (creator_id);

CREATE INDEX package_version_of_owner ON forge.package_version USING btree (owner_id, created_at DESC, id DESC) INCLUDE (type);

CREATE INDEX pull_auto_merge_due ON forge.pull_auto_merge USING btree (due_at, issue_id) WHERE (due_at IS NOT NULL);

CREATE INDEX pull_auto_merge_of_account ON forge.pull_auto_merge USING btree (account_id);

CREATE INDEX pull_merge_by_start ON forge.pull_merge USING btree (begun_at, issue_id);

CREATE INDEX pull_merge_of_merger ON forge.pull_merge USING btree (merger_id) WHERE (merger_id IS NOT NULL);

CREATE INDEX pull_request_merged_commit ON forge.pull_request USING btree (repository_id, merged_commit) WHERE (merged_commit IS NOT NULL);

CREATE INDEX pull_request_of_base ON forge.pull_request USING btree (repository_id, base_branch, issue_id);

CREATE INDEX pull_request_of_head ON forge.pull_request USING btree (head_repository_id, head_branch, repository_id, base_branch, issue_id);

CREATE INDEX pull_request_of_merger ON forge.pull_request USING btree (merged_by) WHERE (merged_by IS NOT NULL);

CREATE INDEX pull_request_open_head ON forge.pull_request USING btree (head_repository_id, head_branch) WHERE is_open;

CREATE UNIQUE INDEX pull_request_open_pair ON forge.pull_request USING btree (repository_id, base_branch, head_repository_id, head_branch) WHERE is_open;

CREATE INDEX push_journal_by_age ON forge.push_journal USING btree (begun_at);

CREATE INDEX push_journal_of_account ON forge.push_journal USING btree (account_id);

CREATE INDEX reaction_of_account ON forge.reaction USING btree (account_id);

CREATE INDEX reaction_to_comment ON forge.reaction USING btree (comment_id, id) WHERE (comment_id IS NOT NULL);

CREATE UNIQUE INDEX reaction_to_comment_unique ON forge.reaction USING btree (comment_id, account_id, content) WHERE (comment_id IS NOT NULL);

CREATE INDEX reaction_to_issue ON forge.reaction USING btree (issue_id, id) WHERE (issue_id IS NOT NULL);

CREATE UNIQUE INDEX reaction_to_issue_unique ON forge.reaction USING btree (issue_id, account_id, content) WHERE (issue_id IS NOT NULL);

CREATE INDEX release_by_time ON forge.release USING btree (repository_id, created_at DESC, id DESC);

CREATE INDEX release_of_author ON forge.release USING btree (author_id) WHERE (author_id IS NOT NULL);

CREATE INDEX repository_by_avatar ON forge.repository USING btree (avatar) WHERE (avatar IS NOT NULL);

CREATE INDEX repository_by_creation ON forge.repository USING btree (created_at, id) WHERE (state = 'ready'::text);

CREATE INDEX repository_by_forks ON forge.repository USING btree (forks_count, id) WHERE (state = 'ready'::text);

CREATE INDEX repository_by_name ON forge.repository USING btree (key, id) WHERE (state = 'ready'::text);

CREATE INDEX repository_by_parent ON forge.repository USING btree (parent_id, id) WHERE (parent_id IS NOT NULL);

CREATE INDEX repository_by_size ON forge.repository USING btree (size, id) WHERE (state = 'ready'::text);

CREATE INDEX repository_by_stars ON forge.repository USING btree (stars_count, id) WHERE (state = 'ready'::text);

CREATE INDEX repository_by_update ON forge.repository USING btree (updated_at, id) WHERE (state = 'ready'::text);

CREATE INDEX repository_collaborator_of_account ON forge.repository_collaborator USING btree (account_id, repository_id);

CREATE INDEX repository_counting ON forge.repository USING btree (is_private, owner_visibility, is_template, is_archived) WHERE (state = 'ready'::text);

CREATE INDEX repository_grams ON forge.repository USING gin (forge.grams(key)) WITH (fastupdate=off) WHERE (state = 'ready'::text);

CREATE INDEX repository_label_by_name ON forge.repository_label USING btree (md5(name));

CREATE INDEX repository_label_of_repository ON forge.repository_label USING btree (repository_id, id);

CREATE INDEX repository_of_owner ON forge.repository USING btree (owner_id, updated_at DESC, id DESC) WHERE (state = 'ready'::text);

CREATE INDEX repository_redirect_of_repository ON forge.repository_redirect USING btree (repository_id);

CREATE INDEX repository_star_of_account ON forge.repository_star USING btree (account_id, repository_id);

CREATE INDEX repository_topics ON forge.repository USING gin (topics) WHERE (topics <> '{}'::text[]);

CREATE INDEX repository_transfer_of_doer ON forge.repository_transfer USING btree (doer_id);

CREATE INDEX repository_transfer_of_recipient ON forge.repository_transfer USING btree (recipient_id);

CREATE INDEX repository_unfinished ON forge.repository USING btree (created_at, id) WHERE (state <> 'ready'::text);

CREATE INDEX repository_unwatch_of_account ON forge.repository_unwatch USING btree (account_id);

CREATE INDEX repository_watch_of_account ON forge.repository_watch USING btree (account_id);

CREATE INDEX review_comment_of_poster ON forge.review_comment USING btree (poster_id) WHERE (poster_id IS NOT NULL);

CREATE INDEX review_comment_of_pull ON forge.review_comment USING btree (issue_id, path, line, id);

CREATE INDEX review_comment_of_resolver ON forge.review_comment USING btree (resolver_id) WHERE (resolver_id IS NOT NULL);

CREATE INDEX review_comment_of_review ON forge.review_comment USING btree (review_id, id);

CREATE INDEX review_of_pull ON forge.review USING btree (issue_id, id);

CREATE INDEX review_of_reviewer ON forge.review USING btree (reviewer_id, issue_id) WHERE (reviewer_id IS NOT NULL);

CREATE INDEX review_of_team ON forge.review USING btree (team_id) WHERE (team_id IS NOT NULL);

CREATE UNIQUE INDEX review_pending ON forge.review USING btree (issue_id, reviewer_id) WHERE (state = 'pending'::text);

CREATE UNIQUE INDEX review_request ON forge.review USING btree (issue_id, reviewer_id) WHERE ((state = 'request'::text) AND (reviewer_id IS NOT NULL));

CREATE UNIQUE INDEX review_team_request ON forge.review USING btree (issue_id, team_id) WHERE ((state = 'request'::text) AND (team_id IS NOT NULL));

CREATE INDEX secret_of_owner ON forge.secret USING btree (owner_id, id) WHERE (owner_id IS NOT NULL);

CREATE INDEX secret_of_repository ON forge.secret USING btree (repository_id, id) WHERE (repository_id IS NOT NULL);

CREATE INDEX site_picture_of_blob ON forge.site_picture USING btree (blob);

CREATE INDEX site_picture_of_picture ON forge.site_picture USING btree (thumbnail_of) WHERE (thumbnail_of IS NOT NULL);

CREATE INDEX ssh_key_of_account ON forge.ssh_key USING btree (account_id, id);

CREATE UNIQUE INDEX ssh_key_title_unique ON forge.ssh_key USING btree (account_id, md5(title));

CREATE INDEX tag_protection_of_account ON forge.tag_protection_account USING btree (account_id);

CREATE INDEX tag_protection_of_team ON forge.tag_protection_team USING btree (team_id);

CREATE INDEX team_member_in_organization ON forge.team_member USING btree (organization_id, account_id);

CREATE INDEX team_member_of_account ON forge.team_member USING btree (account_id, organization_id);

CREATE UNIQUE INDEX team_one_owners ON forge.team USING btree (organization_id) WHERE (permission = 'owner'::text);

CREATE INDEX team_repository_of_repository ON forge.team_repository USING btree (repository_id, team_id);

CREATE INDEX topic_by_count ON forge.topic USING btree (repository_count DESC, name);

CREATE INDEX web_session_expiring ON forge.web_session USING btree (expires_at);

CREATE INDEX web_session_of_account ON forge.web_session USING btree (account_id);

CREATE INDEX web_session_of_token ON forge.web_session USING btree (token_id) WHERE (token_id IS NOT NULL);

CREATE UNIQUE INDEX content_store_single ON forgehall.content_store USING btree ((true));

CREATE INDEX idempotency_key_created_at_idx ON forgehall.idempotency_key USING btree (created_at);

CREATE INDEX mail_by_end ON forgehall.mail USING btree (finished_at, id) WHERE (finished_at IS NOT NULL);

CREATE INDEX mail_due ON forgehall.mail USING btree (due_at, id) WHERE (state = 'waiting'::text);

CREATE INDEX mail_failed ON forgehall.mail USING btree (finished_at) WHERE (state = 'failed'::text);

CREATE INDEX mail_of_account ON forgehall.mail USING btree (account_id) WHERE (account_id IS NOT NULL);

CREATE UNIQUE INDEX mail_secret_unique ON forgehall.mail USING btree (secret_hash) WHERE (secret_hash IS NOT NULL);

CREATE INDEX mail_sent_to ON forgehall.mail USING btree (recipient, finished_at) WHERE (state = 'sent'::text);

CREATE UNIQUE INDEX mail_waiting_unique ON forgehall.mail USING btree (kind, recipient, about) WHERE (state = 'waiting'::text);

CREATE INDEX activity_entry_newest ON site.activity_entry USING btree (created_at DESC, id DESC);

CREATE INDEX media_item_newest ON site.media_item USING btree (created_at DESC, id DESC);

CREATE INDEX media_item_of_picture ON site.media_item USING btree (picture) WHERE (picture IS NOT NULL);

CREATE INDEX news_draft_newest ON site.news_draft USING btree (updated_at DESC, id DESC);

CREATE INDEX news_draft_scheduled ON site.news_draft USING btree (publish_at, id) WHERE (publish_at IS NOT NULL);

CREATE INDEX news_post_newest ON site.news_post USING btree (created_at DESC, id DESC);

CREATE INDEX removed_item_newest ON site.removed_item USING btree (removed_at DESC, id DESC);

CREATE INDEX removed_item_of_picture ON site.removed_item USING btree (picture) WHERE (picture IS NOT NULL);

CREATE INDEX removed_post_newest ON site.removed_post USING btree (removed_at DESC, id DESC);

CREATE INDEX sent_form_sent_at ON site.sent_form USING btree (sent_at);

CREATE INDEX session_of_visitor ON site.session USING btree (visitor_id);

CREATE INDEX session_open ON site.session USING btree (started_at DESC, id DESC) WHERE (ended_at IS NULL);

CREATE INDEX visitor_newest ON site.visitor USING btree (joined_at DESC, id DESC);

CREATE TRIGGER account_barred AFTER UPDATE OF is_active, prohibit_login, must_change_password ON forge.account FOR EACH ROW WHEN (((old.is_active AND (NOT new.is_active)) OR (new.prohibit_login AND (NOT old.prohibit_login)) OR (new.must_change_password AND (NOT old.must_change_password)))) EXECUTE FUNCTION forge.end_web_sessions();

CREATE TRIGGER account_kind_changed AFTER UPDATE OF kind ON forge.account FOR EACH ROW WHEN ((old.kind <> new.kind)) EXECUTE FUNCTION forge.list_addresses();

CREATE TRIGGER account_tally_delete AFTER DELETE ON forge.account REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forge.tally_accounts();

CREATE TRIGGER account_tally_insert AFTER INSERT ON forge.account REFERENCING NEW TABLE AS come FOR EACH STATEMENT EXECUTE FUNCTION forge.tally_accounts();

CREATE TRIGGER account_tally_update AFTER UPDATE ON forge.account REFERENCING OLD TABLE AS gone NEW TABLE AS come FOR EACH STATEMENT EXECUTE FUNCTION forge.tally_accounts();

CREATE TRIGGER account_visibility_changed AFTER UPDATE OF visibility ON forge.account FOR EACH ROW WHEN ((old.visibility <> new.visibility)) EXECUTE FUNCTION forge.spread_visibility();

CREATE TRIGGER action_job_ready_insert AFTER INSERT ON forge.action_job REFERENCING NEW TABLE AS come FOR EACH STATEMENT EXECUTE FUNCTION forge.jobs_became_ready();

CREATE TRIGGER action_job_ready_update AFTER UPDATE ON forge.action_job REFERENCING OLD TABLE AS gone NEW TABLE AS come FOR EACH STATEMENT EXECUTE FUNCTION forge.jobs_became_ready();

CREATE TRIGGER action_job_tally_delete AFTER DELETE ON forge.action_job REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forge.note_jobs();

CREATE TRIGGER action_job_tally_insert AFTER INSERT ON forge.action_job REFERENCING NEW TABLE AS come FOR EACH STATEMENT EXECUTE FUNCTION forge.note_jobs();

CREATE TRIGGER action_job_tally_update AFTER UPDATE ON forge.action_job REFERENCING OLD TABLE AS gone NEW TABLE AS come FOR EACH STATEMENT EXECUTE FUNCTION forge.note_jobs();

CREATE TRIGGER action_job_told_insert AFTER INSERT ON forge.action_job REFERENCING NEW TABLE AS come FOR EACH STATEMENT EXECUTE FUNCTION forge.tell_of_jobs();

CREATE TRIGGER action_job_told_update AFTER UPDATE ON forge.action_job REFERENCING OLD TABLE AS gone NEW TABLE AS come FOR EACH STATEMENT EXECUTE FUNCTION forge.tell_of_jobs();

CREATE TRIGGER action_jobs_moved AFTER UPDATE OF owner_id, settings ON forge.repository FOR EACH ROW WHEN (((old.owner_id IS DISTINCT FROM new.owner_id) OR (old.settings IS DISTINCT FROM new.settings))) EXECUTE FUNCTION forge.jobs_moved();

CREATE TRIGGER action_run_tally_delete AFTER DELETE ON forge.action_run REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forge.note_runs();

CREATE TRIGGER action_run_tally_insert AFTER INSERT ON forge.action_run REFERENCING NEW TABLE AS come FOR EACH STATEMENT EXECUTE FUNCTION forge.note_runs();

CREATE TRIGGER action_run_tally_update AFTER UPDATE ON forge.action_run REFERENCING OLD TABLE AS gone NEW TABLE AS come FOR EACH STATEMENT EXECUTE FUNCTION forge.note_runs();

CREATE TRIGGER action_run_told_insert AFTER INSERT ON forge.action_run FOR EACH ROW EXECUTE FUNCTION forge.tell_of_run();

CREATE TRIGGER action_run_told_update AFTER UPDATE OF status ON forge.action_run FOR EACH ROW WHEN (((old.status)::text <> (new.status)::text)) EXECUTE FUNCTION forge.tell_of_run();

CREATE TRIGGER action_runner_token_hashed BEFORE INSERT ON forge.action_runner_token FOR EACH ROW WHEN ((new.token IS NOT NULL)) EXECUTE FUNCTION forge.hash_registration_token();

CREATE TRIGGER deploy_key_apart BEFORE INSERT ON forge.deploy_key FOR EACH ROW EXECUTE FUNCTION forge.keep_keys_apart();

CREATE TRIGGER email_tally_delete AFTER DELETE ON forge.email_address REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forge.tally_addresses();

CREATE TRIGGER email_tally_insert AFTER INSERT ON forge.email_address REFERENCING NEW TABLE AS come FOR EACH STATEMENT EXECUTE FUNCTION forge.tally_addresses();

CREATE TRIGGER email_tally_update AFTER UPDATE ON forge.email_address REFERENCING OLD TABLE AS gone NEW TABLE AS come FOR EACH STATEMENT EXECUTE FUNCTION forge.tally_addresses();

CREATE TRIGGER follow_delete AFTER DELETE ON forge.follow REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION forge.count_follows();

CREATE TRIGGER follow_insert AFTER INSERT ON forge.follow REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION forge.count_follows();

CREATE TRIGGER issue_comment_count AFTER INSERT OR DELETE ON forge.issue_comment FOR EACH ROW EXECUTE FUNCTION forge.count_comments();

CREATE TRIGGER issue_comment_place BEFORE INSERT ON forge.issue_comment FOR EACH ROW WHEN ((new.repository_id IS NULL)) EXECUTE FUNCTION forge.place_comment();

CREATE TRIGGER issue_number BEFORE INSERT ON forge.issue FOR EACH ROW EXECUTE FUNCTION forge.number_issue();

CREATE TRIGGER issue_pull_state AFTER UPDATE OF closed_at ON forge.issue FOR EACH ROW WHEN ((new.is_pull AND ((old.closed_at IS NULL) <> (new.closed_at IS NULL)))) EXECUTE FUNCTION forge.repeat_pull_state();

CREATE TRIGGER issue_removal AFTER DELETE ON forge.issue FOR EACH ROW WHEN ((old.closed_at IS NULL)) EXECUTE FUNCTION forge.count_open_issues();

CREATE TRIGGER issue_state AFTER UPDATE OF closed_at ON forge.issue FOR EACH ROW WHEN (((old.closed_at IS NULL) <> (new.closed_at IS NULL))) EXECUTE FUNCTION forge.count_open_issues();

CREATE TRIGGER issue_tally_delete AFTER DELETE ON forge.issue FOR EACH ROW WHEN ((old.milestone_id IS NOT NULL)) EXECUTE FUNCTION forge.count_milestone_issues();

CREATE TRIGGER issue_tally_insert AFTER INSERT ON forge.issue FOR EACH ROW WHEN ((new.milestone_id IS NOT NULL)) EXECUTE FUNCTION forge.count_milestone_issues();

CREATE TRIGGER issue_tally_update AFTER UPDATE OF milestone_id, closed_at ON forge.issue FOR EACH ROW WHEN (((old.milestone_id IS DISTINCT FROM new.milestone_id) OR ((new.milestone_id IS NOT NULL) AND ((old.closed_at IS NULL) <> (new.closed_at IS NULL))))) EXECUTE FUNCTION forge.count_milestone_issues();

CREATE TRIGGER package_tally_delete AFTER DELETE ON forge.package_version REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION forge.tally_packages();

CREATE TRIGGER package_tally_insert AFTER INSERT ON forge.package_version REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION forge.tally_packages();

CREATE TRIGGER release_counted AFTER INSERT OR DELETE ON forge.release FOR EACH ROW EXECUTE FUNCTION forge.count_releases();

CREATE TRIGGER release_recounted AFTER UPDATE ON forge.release FOR EACH ROW WHEN ((old.is_draft <> new.is_draft)) EXECUTE FUNCTION forge.count_releases();

CREATE TRIGGER repository_forks_counted AFTER UPDATE OF state ON forge.repository FOR EACH ROW WHEN (((old.state = 'ready'::text) <> (new.state = 'ready'::text))) EXECUTE FUNCTION forge.count_forks();

CREATE TRIGGER repository_forks_hidden AFTER UPDATE OF is_private ON forge.repository FOR EACH ROW WHEN ((new.is_private AND (NOT old.is_private))) EXECUTE FUNCTION forge.hide_forks();

CREATE TRIGGER repository_owner_labels AFTER UPDATE OF owner_id ON forge.repository FOR EACH ROW WHEN ((old.owner_id IS DISTINCT FROM new.owner_id)) EXECUTE FUNCTION forge.remove_labels_of_former_owner();

CREATE TRIGGER repository_owner_visibility AFTER UPDATE OF owner_id ON forge.repository FOR EACH ROW WHEN (((new.owner_id IS NOT NULL) AND (old.owner_id IS DISTINCT FROM new.owner_id))) EXECUTE FUNCTION forge.take_over_visibility();

CREATE TRIGGER repository_star_delete AFTER DELETE ON forge.repository_star REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION forge.count_stars();

CREATE TRIGGER repository_star_insert AFTER INSERT ON forge.repository_star REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION forge.count_stars();

CREATE TRIGGER repository_topics AFTER UPDATE OF topics, is_private, state, owner_visibility ON forge.repository FOR EACH ROW WHEN (((old.topics <> '{}'::text[]) OR (new.topics <> '{}'::text[]))) EXECUTE FUNCTION forge.count_topics();

CREATE TRIGGER repository_visibility BEFORE INSERT ON forge.repository FOR EACH ROW WHEN ((new.owner_id IS NOT NULL)) EXECUTE FUNCTION forge.repeat_visibility();

CREATE TRIGGER repository_watch_delete AFTER DELETE ON forge.repository_watch REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION forge.count_watchers();

CREATE TRIGGER repository_watch_insert AFTER INSERT ON forge.repository_watch REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION forge.count_watchers();

CREATE TRIGGER ssh_key_apart BEFORE INSERT ON forge.ssh_key FOR EACH ROW EXECUTE FUNCTION forge.keep_keys_apart();

CREATE TRIGGER totp_enrolled AFTER INSERT OR DELETE OR UPDATE OF created_at ON forge.totp FOR EACH ROW EXECUTE FUNCTION forge.end_web_sessions_of_totp();

CREATE TRIGGER totp_marked AFTER INSERT OR DELETE ON forge.totp FOR EACH ROW EXECUTE FUNCTION forge.mark_totp();

CREATE TRIGGER activity_entry_announced AFTER INSERT OR DELETE OR UPDATE ON site.activity_entry FOR EACH STATEMENT EXECUTE FUNCTION site.announce_change();

CREATE TRIGGER media_item_announced AFTER INSERT OR DELETE ON site.media_item FOR EACH STATEMENT EXECUTE FUNCTION site.announce_change();

CREATE TRIGGER media_item_correction_announced AFTER UPDATE ON site.media_item FOR EACH STATEMENT EXECUTE FUNCTION site.announce_change();

CREATE TRIGGER media_item_picture_forgotten AFTER DELETE ON site.media_item FOR EACH ROW WHEN ((old.picture IS NOT NULL)) EXECUTE FUNCTION site.forget_picture();

CREATE TRIGGER news_post_announced AFTER INSERT OR DELETE ON site.news_post FOR EACH STATEMENT EXECUTE FUNCTION site.announce_change();

CREATE TRIGGER news_post_correction_announced AFTER UPDATE ON site.news_post FOR EACH STATEMENT EXECUTE FUNCTION site.announce_change();

CREATE TRIGGER presence_sample_announced AFTER INSERT OR DELETE OR UPDATE ON site.presence_sample FOR EACH STATEMENT EXECUTE FUNCTION site.announce_change();

CREATE TRIGGER removed_item_picture_forgotten AFTER DELETE ON site.removed_item FOR EACH ROW WHEN ((old.picture IS NOT NULL)) EXECUTE FUNCTION site.forget_picture();

CREATE TRIGGER session_announced AFTER INSERT OR DELETE ON site.session FOR EACH STATEMENT EXECUTE FUNCTION site.announce_change();

CREATE TRIGGER session_end_announced AFTER UPDATE ON site.session FOR EACH ROW EXECUTE FUNCTION site.announce_change();

CREATE TRIGGER statistic_announced AFTER INSERT OR DELETE OR UPDATE ON site.statistic FOR EACH STATEMENT EXECUTE FUNCTION site.announce_change();

CREATE TRIGGER visitor_count_down AFTER DELETE ON site.visitor REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION site.count_visitors();

CREATE TRIGGER visitor_count_none AFTER TRUNCATE ON site.visitor FOR EACH STATEMENT EXECUTE FUNCTION site.forget_visitors();

CREATE TRIGGER visitor_count_up AFTER INSERT ON site.visitor REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION site.count_visitors();

ALTER TABLE ONLY forge.access_token
    ADD CONSTRAINT access_token_account_known FOREIGN KEY (account_id) REFERENCES forge.account(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.account
    ADD CONSTRAINT account_avatar_fkey FOREIGN KEY (avatar) REFERENCES forge.package_blob(sha256);

ALTER TABLE ONLY forge.account_badge
    ADD CONSTRAINT account_badge_account_known FOREIGN KEY (account_id) REFERENCES forge.account(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.account_badge
    ADD CONSTRAINT account_badge_badge_known FOREIGN KEY (badge_id) REFERENCES forge.badge(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.action_annotation
    ADD CONSTRAINT action_annotation_task_known FOREIGN KEY (task_id) REFERENCES forge.action_task(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.action_artifact_part
    ADD CONSTRAINT action_artifact_part_content_known FOREIGN KEY (blob) REFERENCES forge.package_blob(sha256);

ALTER TABLE ONLY forge.action_artifact_part
    ADD CONSTRAINT action_artifact_part_of FOREIGN KEY (artifact_id) REFERENCES forge.action_artifact(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.action_artifact
    ADD CONSTRAINT action_artifact_repository_known FOREIGN KEY (repository_id) REFERENCES forge.repository(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.action_artifact
    ADD CONSTRAINT action_artifact_run_known FOREIGN KEY (run_id) REFERENCES forge.action_run(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.action_artifact
    ADD CONSTRAINT action_artifact_task_known FOREIGN KEY (task_id) REFERENCES forge.action_task(id) ON DELETE SET NULL;

ALTER TABLE ONLY forge.action_attempt
    ADD CONSTRAINT action_attempt_actor_known FOREIGN KEY (actor_id) REFERENCES forge.account(id) ON DELETE SET NULL;

ALTER TABLE ONLY forge.action_attempt
    ADD CONSTRAINT action_attempt_run_known FOREIGN KEY (run_id) REFERENCES forge.action_run(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.action_called_workflow
    ADD CONSTRAINT action_called_workflow_run_known FOREIGN KEY (run_id) REFERENCES forge.action_run(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.action_disabled_workflow
    ADD CONSTRAINT action_disabled_workflow_repository_known FOREIGN KEY (repository_id) REFERENCES forge.repository(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.action_job
    ADD CONSTRAINT action_job_attempt_known FOREIGN KEY (run_id, attempt) REFERENCES forge.action_attempt(run_id, number) ON DELETE CASCADE;

ALTER TABLE ONLY forge.action_job
    ADD CONSTRAINT action_job_repository_known FOREIGN KEY (repository_id) REFERENCES forge.repository(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.action_job
    ADD CONSTRAINT action_job_run_known FOREIGN KEY (run_id) REFERENCES forge.action_run(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.action_listening
    ADD CONSTRAINT action_listening_repository_known FOREIGN KEY (repository_id) REFERENCES forge.repository(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.action_log
    ADD CONSTRAINT action_log_task_known FOREIGN KEY (task_id) REFERENCES forge.action_task(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.action_output
    ADD CONSTRAINT action_output_task_known FOREIGN KEY (task_id) REFERENCES forge.action_task(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.action_run
    ADD CONSTRAINT action_run_actor_known FOREIGN KEY (actor_id) REFERENCES forge.account(id) ON DELETE SET NULL;

ALTER TABLE ONLY forge.action_run
    ADD CONSTRAINT action_run_approver_known FOREIGN KEY (approved_by) REFERENCES forge.account(id) ON DELETE SET NULL;

ALTER TABLE ONLY forge.action_run_counter
    ADD CONSTRAINT action_run_counter_repository_known FOREIGN KEY (repository_id) REFERENCES forge.repository(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.action_run
    ADD CONSTRAINT action_run_repository_known FOREIGN KEY (repository_id) REFERENCES forge.repository(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.action_runner
    ADD CONSTRAINT action_runner_owner_known FOREIGN KEY (owner_id) REFERENCES forge.account(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.action_runner
    ADD CONSTRAINT action_runner_repository_known FOREIGN KEY (repository_id) REFERENCES forge.repository(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.action_runner_token
    ADD CONSTRAINT action_runner_token_owner_known FOREIGN KEY (owner_id) REFERENCES forge.account(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.action_runner_token
    ADD CONSTRAINT action_runner_token_repository_known FOREIGN KEY (repository_id) REFERENCES forge.repository(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.action_schedule
    ADD CONSTRAINT action_schedule_repository_known FOREIGN KEY (repository_id) REFERENCES forge.repository(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.action_step
    ADD CONSTRAINT action_step_task_known FOREIGN KEY (task_id) REFERENCES forge.action_task(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.action_summary
    ADD CONSTRAINT action_summary_task_known FOREIGN KEY (task_id) REFERENCES forge.action_task(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.action_task
    ADD CONSTRAINT action_task_job_known FOREIGN KEY (job_id) REFERENCES forge.action_job(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.action_task_secret
    ADD CONSTRAINT action_task_secret_task_known FOREIGN KEY (task_id) REFERENCES forge.action_task(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.action_trigger
    ADD CONSTRAINT action_trigger_actor_known FOREIGN KEY (actor_id) REFERENCES forge.account(id) ON DELETE SET NULL;

ALTER TABLE ONLY forge.action_trigger
    ADD CONSTRAINT action_trigger_repository_known FOREIGN KEY (repository_id) REFERENCES forge.repository(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.action_variable
    ADD CONSTRAINT action_variable_owner_known FOREIGN KEY (owner_id) REFERENCES forge.account(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.action_variable
    ADD CONSTRAINT action_variable_repository_known FOREIGN KEY (repository_id) REFERENCES forge.repository(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.attachment
    ADD CONSTRAINT attachment_blob_known FOREIGN KEY (blob) REFERENCES forge.package_blob(sha256);

ALTER TABLE ONLY forge.attachment
    ADD CONSTRAINT attachment_comment_known FOREIGN KEY (comment_id) REFERENCES forge.issue_comment(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.attachment
    ADD CONSTRAINT attachment_issue_known FOREIGN KEY (issue_id) REFERENCES forge.issue(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.attachment
    ADD CONSTRAINT attachment_release_known FOREIGN KEY (release_id) REFERENCES forge.release(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.attachment
    ADD CONSTRAINT attachment_uploader_known FOREIGN KEY (uploader_id) REFERENCES forge.account(id) ON DELETE SET NULL;

ALTER TABLE ONLY forge.branch_protection_account
    ADD CONSTRAINT branch_protection_account_account_known FOREIGN KEY (account_id) REFERENCES forge.account(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.branch_protection_account
    ADD CONSTRAINT branch_protection_account_protection_known FOREIGN KEY (protection_id) REFERENCES forge.branch_protection(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.branch_protection
    ADD CONSTRAINT branch_protection_repository_known FOREIGN KEY (repository_id) REFERENCES forge.repository(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.branch_protection_team
    ADD CONSTRAINT branch_protection_team_protection_known FOREIGN KEY (protection_id) REFERENCES forge.branch_protection(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.branch_protection_team
    ADD CONSTRAINT branch_protection_team_team_known FOREIGN KEY (team_id) REFERENCES forge.team(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.commit_status
    ADD CONSTRAINT commit_status_creator_known FOREIGN KEY (creator_id) REFERENCES forge.account(id) ON DELETE SET NULL;

ALTER TABLE ONLY forge.commit_status
    ADD CONSTRAINT commit_status_repository_known FOREIGN KEY (repository_id) REFERENCES forge.repository(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.deploy_key
    ADD CONSTRAINT deploy_key_repository_known FOREIGN KEY (repository_id) REFERENCES forge.repository(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.email_address
    ADD CONSTRAINT email_address_account_known FOREIGN KEY (account_id) REFERENCES forge.account(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.follow
    ADD CONSTRAINT follow_account_known FOREIGN KEY (account_id) REFERENCES forge.account(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.follow
    ADD CONSTRAINT follow_followed_known FOREIGN KEY (followed_id) REFERENCES forge.account(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.gpg_key
    ADD CONSTRAINT gpg_key_account_known FOREIGN KEY (account_id) REFERENCES forge.account(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.gpg_key
    ADD CONSTRAINT gpg_key_parent_known FOREIGN KEY (parent_id) REFERENCES forge.gpg_key(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.hook_attempt
    ADD CONSTRAINT hook_attempt_delivery_known FOREIGN KEY (delivery_id) REFERENCES forge.hook_delivery(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.hook_delivery
    ADD CONSTRAINT hook_delivery_hook_known FOREIGN KEY (hook_id) REFERENCES forge.hook(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.hook
    ADD CONSTRAINT hook_owner_known FOREIGN KEY (owner_id) REFERENCES forge.account(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.hook
    ADD CONSTRAINT hook_repository_known FOREIGN KEY (repository_id) REFERENCES forge.repository(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.issue_assignee
    ADD CONSTRAINT issue_assignee_account_known FOREIGN KEY (account_id) REFERENCES forge.account(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.issue_assignee
    ADD CONSTRAINT issue_assignee_issue_known FOREIGN KEY (issue_id) REFERENCES forge.issue(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.issue_comment
    ADD CONSTRAINT issue_comment_issue_known FOREIGN KEY (issue_id) REFERENCES forge.issue(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.issue_comment
    ADD CONSTRAINT issue_comment_poster_known FOREIGN KEY (poster_id) REFERENCES forge.account(id) ON DELETE SET NULL;

ALTER TABLE ONLY forge.issue_dependency
    ADD CONSTRAINT issue_dependency_dependency_known FOREIGN KEY (dependency_id) REFERENCES forge.issue(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.issue_dependency
    ADD CONSTRAINT issue_dependency_issue_known FOREIGN KEY (issue_id) REFERENCES forge.issue(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.issue_event
    ADD CONSTRAINT issue_event_issue_known FOREIGN KEY (issue_id) REFERENCES forge.issue(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.issue_label
    ADD CONSTRAINT issue_label_issue_known FOREIGN KEY (issue_id, repository_id) REFERENCES forge.issue(id, repository_id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.issue_label
    ADD CONSTRAINT issue_label_label_known FOREIGN KEY (label_id, repository_id) REFERENCES forge.repository_label(id, repository_id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.issue_mention
    ADD CONSTRAINT issue_mention_account_known FOREIGN KEY (account_id) REFERENCES forge.account(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.issue_mention
    ADD CONSTRAINT issue_mention_issue_known FOREIGN KEY (issue_id) REFERENCES forge.issue(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.issue
    ADD CONSTRAINT issue_milestone_known FOREIGN KEY (milestone_id) REFERENCES forge.milestone(id) ON DELETE SET NULL;

ALTER TABLE ONLY forge.issue_organization_label
    ADD CONSTRAINT issue_organization_label_issue_known FOREIGN KEY (issue_id) REFERENCES forge.issue(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.issue_organization_label
    ADD CONSTRAINT issue_organization_label_label_known FOREIGN KEY (label_id) REFERENCES forge.organization_label(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.issue_pin
    ADD CONSTRAINT issue_pin_issue_known FOREIGN KEY (issue_id, repository_id) REFERENCES forge.issue(id, repository_id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.issue
    ADD CONSTRAINT issue_poster_known FOREIGN KEY (poster_id) REFERENCES forge.account(id) ON DELETE SET NULL;

ALTER TABLE ONLY forge.issue
    ADD CONSTRAINT issue_repository_known FOREIGN KEY (repository_id) REFERENCES forge.repository(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.issue_watch
    ADD CONSTRAINT issue_watch_account_known FOREIGN KEY (account_id) REFERENCES forge.account(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.issue_watch
    ADD CONSTRAINT issue_watch_issue_known FOREIGN KEY (issue_id) REFERENCES forge.issue(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.mail_preference
    ADD CONSTRAINT mail_preference_account_known FOREIGN KEY (account_id) REFERENCES forge.account(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.membership
    ADD CONSTRAINT membership_account_known FOREIGN KEY (account_id) REFERENCES forge.account(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.membership
    ADD CONSTRAINT membership_organization_known FOREIGN KEY (organization_id) REFERENCES forge.account(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.milestone
    ADD CONSTRAINT milestone_repository_known FOREIGN KEY (repository_id) REFERENCES forge.repository(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.name_redirect
    ADD CONSTRAINT name_redirect_account_known FOREIGN KEY (account_id) REFERENCES forge.account(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.notification
    ADD CONSTRAINT notification_account_known FOREIGN KEY (account_id) REFERENCES forge.account(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.notification
    ADD CONSTRAINT notification_issue_known FOREIGN KEY (issue_id) REFERENCES forge.issue(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.notification
    ADD CONSTRAINT notification_repository_known FOREIGN KEY (repository_id) REFERENCES forge.repository(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.organization_label
    ADD CONSTRAINT organization_label_organization_known FOREIGN KEY (organization_id) REFERENCES forge.account(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.package_file
    ADD CONSTRAINT package_file_blob_known FOREIGN KEY (blob) REFERENCES forge.package_blob(sha256);

ALTER TABLE ONLY forge.package_file
    ADD CONSTRAINT package_file_version_known FOREIGN KEY (version_id) REFERENCES forge.package_version(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.package
    ADD CONSTRAINT package_owner_known FOREIGN KEY (owner_id) REFERENCES forge.account(id);

ALTER TABLE ONLY forge.package_tag
    ADD CONSTRAINT package_tag_package_known FOREIGN KEY (package_id) REFERENCES forge.package(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.package_tag
    ADD CONSTRAINT package_tag_version_known FOREIGN KEY (version_id, package_id) REFERENCES forge.package_version(id, package_id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.package_version
    ADD CONSTRAINT package_version_creator_known FOREIGN KEY (creator_id) REFERENCES forge.account(id) ON DELETE SET NULL;

ALTER TABLE ONLY forge.package_version
    ADD CONSTRAINT package_version_package_known FOREIGN KEY (package_id, owner_id, type) REFERENCES forge.package(id, owner_id, type) ON DELETE CASCADE;

ALTER TABLE ONLY forge.password
    ADD CONSTRAINT password_account_known FOREIGN KEY (account_id) REFERENCES forge.account(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.password_link
    ADD CONSTRAINT password_link_account_known FOREIGN KEY (account_id) REFERENCES forge.account(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.pull_auto_merge
    ADD CONSTRAINT pull_auto_merge_account_known FOREIGN KEY (account_id) REFERENCES forge.account(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.pull_auto_merge
    ADD CONSTRAINT pull_auto_merge_pull_known FOREIGN KEY (issue_id) REFERENCES forge.pull_request(issue_id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.pull_merge
    ADD CONSTRAINT pull_merge_merger_known FOREIGN KEY (merger_id) REFERENCES forge.account(id) ON DELETE SET NULL;

ALTER TABLE ONLY forge.pull_merge
    ADD CONSTRAINT pull_merge_pull_known FOREIGN KEY (issue_id) REFERENCES forge.pull_request(issue_id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.pull_request
    ADD CONSTRAINT pull_request_head_repository_known FOREIGN KEY (head_repository_id) REFERENCES forge.repository(id) ON DELETE SET NULL;

ALTER TABLE ONLY forge.pull_request
    ADD CONSTRAINT pull_request_issue_known FOREIGN KEY (issue_id) REFERENCES forge.issue(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.pull_request
    ADD CONSTRAINT pull_request_merger_known FOREIGN KEY (merged_by) REFERENCES forge.account(id) ON DELETE SET NULL;

ALTER TABLE ONLY forge.pull_request
    ADD CONSTRAINT pull_request_repository_known FOREIGN KEY (repository_id) REFERENCES forge.repository(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.push_journal
    ADD CONSTRAINT push_journal_account_known FOREIGN KEY (account_id) REFERENCES forge.account(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.push_journal
    ADD CONSTRAINT push_journal_repository_known FOREIGN KEY (repository_id) REFERENCES forge.repository(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.reaction
    ADD CONSTRAINT reaction_account_known FOREIGN KEY (account_id) REFERENCES forge.account(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.reaction
    ADD CONSTRAINT reaction_comment_known FOREIGN KEY (comment_id) REFERENCES forge.issue_comment(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.reaction
    ADD CONSTRAINT reaction_issue_known FOREIGN KEY (issue_id) REFERENCES forge.issue(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.recovery_code
    ADD CONSTRAINT recovery_code_enrolment_known FOREIGN KEY (account_id) REFERENCES forge.totp(account_id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.release
    ADD CONSTRAINT release_author_known FOREIGN KEY (author_id) REFERENCES forge.account(id) ON DELETE SET NULL;

ALTER TABLE ONLY forge.release
    ADD CONSTRAINT release_repository_known FOREIGN KEY (repository_id) REFERENCES forge.repository(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.removed_pull
    ADD CONSTRAINT removed_pull_repository_known FOREIGN KEY (repository_id) REFERENCES forge.repository(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.repository
    ADD CONSTRAINT repository_avatar_fkey FOREIGN KEY (avatar) REFERENCES forge.package_blob(sha256);

ALTER TABLE ONLY forge.repository_collaborator
    ADD CONSTRAINT repository_collaborator_account_known FOREIGN KEY (account_id) REFERENCES forge.account(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.repository_collaborator
    ADD CONSTRAINT repository_collaborator_repository_known FOREIGN KEY (repository_id) REFERENCES forge.repository(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.repository_label
    ADD CONSTRAINT repository_label_repository_known FOREIGN KEY (repository_id) REFERENCES forge.repository(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.repository
    ADD CONSTRAINT repository_owner_known FOREIGN KEY (owner_id) REFERENCES forge.account(id);

ALTER TABLE ONLY forge.repository
    ADD CONSTRAINT repository_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES forge.repository(id) ON DELETE SET NULL;

ALTER TABLE ONLY forge.repository_redirect
    ADD CONSTRAINT repository_redirect_owner_known FOREIGN KEY (owner_id) REFERENCES forge.account(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.repository_redirect
    ADD CONSTRAINT repository_redirect_repository_known FOREIGN KEY (repository_id) REFERENCES forge.repository(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.repository_star
    ADD CONSTRAINT repository_star_account_known FOREIGN KEY (account_id) REFERENCES forge.account(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.repository_star
    ADD CONSTRAINT repository_star_repository_known FOREIGN KEY (repository_id) REFERENCES forge.repository(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.repository_transfer
    ADD CONSTRAINT repository_transfer_doer_known FOREIGN KEY (doer_id) REFERENCES forge.account(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.repository_transfer
    ADD CONSTRAINT repository_transfer_recipient_known FOREIGN KEY (recipient_id) REFERENCES forge.account(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.repository_transfer
    ADD CONSTRAINT repository_transfer_repository_known FOREIGN KEY (repository_id) REFERENCES forge.repository(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.repository_unwatch
    ADD CONSTRAINT repository_unwatch_account_known FOREIGN KEY (account_id) REFERENCES forge.account(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.repository_unwatch
    ADD CONSTRAINT repository_unwatch_repository_known FOREIGN KEY (repository_id) REFERENCES forge.repository(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.repository_watch
    ADD CONSTRAINT repository_watch_account_known FOREIGN KEY (account_id) REFERENCES forge.account(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.repository_watch
    ADD CONSTRAINT repository_watch_repository_known FOREIGN KEY (repository_id) REFERENCES forge.repository(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.review_comment
    ADD CONSTRAINT review_comment_poster_known FOREIGN KEY (poster_id) REFERENCES forge.account(id) ON DELETE SET NULL;

ALTER TABLE ONLY forge.review_comment
    ADD CONSTRAINT review_comment_pull_known FOREIGN KEY (issue_id) REFERENCES forge.pull_request(issue_id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.review_comment
    ADD CONSTRAINT review_comment_resolver_known FOREIGN KEY (resolver_id) REFERENCES forge.account(id) ON DELETE SET NULL;

ALTER TABLE ONLY forge.review_comment
    ADD CONSTRAINT review_comment_review_known FOREIGN KEY (review_id) REFERENCES forge.review(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.review
    ADD CONSTRAINT review_pull_known FOREIGN KEY (issue_id) REFERENCES forge.pull_request(issue_id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.review
    ADD CONSTRAINT review_reviewer_known FOREIGN KEY (reviewer_id) REFERENCES forge.account(id) ON DELETE SET NULL;

ALTER TABLE ONLY forge.review
    ADD CONSTRAINT review_team_known FOREIGN KEY (team_id) REFERENCES forge.team(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.secret
    ADD CONSTRAINT secret_owner_known FOREIGN KEY (owner_id) REFERENCES forge.account(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.secret
    ADD CONSTRAINT secret_repository_known FOREIGN KEY (repository_id) REFERENCES forge.repository(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.site_picture
    ADD CONSTRAINT site_picture_blob_known FOREIGN KEY (blob) REFERENCES forge.package_blob(sha256);

ALTER TABLE ONLY forge.site_picture
    ADD CONSTRAINT site_picture_thumbnail_of_known FOREIGN KEY (thumbnail_of) REFERENCES forge.site_picture(uuid) ON DELETE CASCADE;

ALTER TABLE ONLY forge.ssh_key
    ADD CONSTRAINT ssh_key_account_known FOREIGN KEY (account_id) REFERENCES forge.account(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.system_account
    ADD CONSTRAINT system_account_account_known FOREIGN KEY (account_id) REFERENCES forge.account(id);

ALTER TABLE ONLY forge.tag_protection_account
    ADD CONSTRAINT tag_protection_account_account_known FOREIGN KEY (account_id) REFERENCES forge.account(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.tag_protection_account
    ADD CONSTRAINT tag_protection_account_protection_known FOREIGN KEY (protection_id) REFERENCES forge.tag_protection(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.tag_protection
    ADD CONSTRAINT tag_protection_repository_known FOREIGN KEY (repository_id) REFERENCES forge.repository(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.tag_protection_team
    ADD CONSTRAINT tag_protection_team_protection_known FOREIGN KEY (protection_id) REFERENCES forge.tag_protection(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.tag_protection_team
    ADD CONSTRAINT tag_protection_team_team_known FOREIGN KEY (team_id) REFERENCES forge.team(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.team_member
    ADD CONSTRAINT team_member_is_member FOREIGN KEY (organization_id, account_id) REFERENCES forge.membership(organization_id, account_id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.team_member
    ADD CONSTRAINT team_member_team_known FOREIGN KEY (team_id, organization_id) REFERENCES forge.team(id, organization_id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.team
    ADD CONSTRAINT team_organization_known FOREIGN KEY (organization_id) REFERENCES forge.account(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.team_repository
    ADD CONSTRAINT team_repository_repository_known FOREIGN KEY (repository_id) REFERENCES forge.repository(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.team_repository
    ADD CONSTRAINT team_repository_team_known FOREIGN KEY (team_id) REFERENCES forge.team(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.totp
    ADD CONSTRAINT totp_account_known FOREIGN KEY (account_id) REFERENCES forge.account(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.web_session
    ADD CONSTRAINT web_session_account_known FOREIGN KEY (account_id) REFERENCES forge.account(id) ON DELETE CASCADE;

ALTER TABLE ONLY forge.web_session
    ADD CONSTRAINT web_session_token_known FOREIGN KEY (token_id) REFERENCES forge.access_token(id) ON DELETE CASCADE;

ALTER TABLE ONLY forgehall.mail
    ADD CONSTRAINT mail_account_known FOREIGN KEY (account_id) REFERENCES forge.account(id) ON DELETE CASCADE;

ALTER TABLE ONLY site.session
    ADD CONSTRAINT session_visitor_known FOREIGN KEY (visitor_id) REFERENCES site.visitor(id) ON DELETE CASCADE;
