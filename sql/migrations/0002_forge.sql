-- The Forge Management API: accounts, organizations, repositories, issues, webhooks, packages, Actions.

-- Functions are defined beside what they are about, and may read tables that come later.
set local check_function_bodies = off;

create schema forge;

create type forge.account_state as (
  kind text,
  source_id bigint,
  is_active boolean,
  is_admin boolean,
  is_restricted boolean,
  prohibit_login boolean,
  has_totp boolean,
  visibility text
);

-- The states of runs, attempts, jobs, tasks and steps, under the names of the API. requested: waits for other jobs of its
-- attempt. blocked: waits for its concurrency group, or for an approval. queued: ready for a runner. success, failure,
-- cancelled and skipped are final.
create domain forge.action_status as text collate "C" constraint action_status_known check (value in (
    'requested', 'blocked', 'queued', 'in_progress', 'cancelling', 'success', 'failure', 'cancelled', 'skipped'));

-- Pushes of one repository overlap: what the later one has read from the disk may be stored first, and the earlier one
-- must not put its own over it. So whoever looks at the disk first draws a number here, and only a higher number than the
-- last one is stored. Every push draws after its refs have moved, so the highest number has seen all of them.
create sequence forge.repository_look;

-- All runs of three characters of a text, for searches inside texts: a needle can only be where all its runs are.
-- This is what pg_trgm does, with the array operators that every PostgreSQL has. Null for texts shorter than three.
create function forge.grams(haystack text) returns text[] language sql immutable strict parallel safe as $$
  select array_agg(substr(haystack, at, 3)) from generate_series(1, char_length(haystack) - 2) as at
$$;

-- Labels as one short key: as they are they may be longer than a key of an index. Immutable, since texts are printed
-- everywhere alike.
create function forge.labels_key(labels text[]) returns text language sql immutable strict parallel safe as $$
  select md5(labels::text)
$$;

-- A text as searches compare it: composed, and in lower case. The rules of ASCII are four times as fast as those of Unicode,
-- and enough for a text of ASCII letters alone.
create function forge.fold(written text) returns text language sql immutable strict parallel safe as $$
  select case when octet_length(written) = char_length(written) then lower(written collate "C")
    else translate(lower(normalize(written, nfc) collate "und-x-icu"), 'ς', 'σ') collate "C" end
$$;

-- What searches read of a long text: its beginning, folded. Texts of any length could fill the index.
create function forge.searchable(written text) returns text language sql immutable strict parallel safe as $$
  select forge.fold(left(written, 65536))
$$;

-- The same as forge.grams, for texts longer than names: the time grows with the length, not with its square. Three times the
-- text is cut into pieces of three characters, from its first, second and third character on.
create function forge.text_grams(haystack text) returns text[] language sql immutable strict parallel safe as $$
  select string_to_array(
    regexp_replace(haystack, '(...)', E'\\1\x01', 'g') || E'\x01'
    || regexp_replace(substr(haystack, 2), '(...)', E'\\1\x01', 'g') || E'\x01'
    || regexp_replace(substr(haystack, 3), '(...)', E'\\1\x01', 'g'), E'\x01')
$$;

-- What an index finds a text of a repository by: all its runs of three characters, those of one or two at its end, and the
-- id of the repository after a character that is in no run (forge.text_grams cuts texts at it). So each character begins a
-- run, and an index of vectors finds terms of one or two characters by the beginning of runs, which one of arrays cannot.
-- A vector has at most 1 MB; texts have 65,536 characters, so only those that folding makes longer are cut.
create function forge.search_vector(repository bigint, written text) returns tsvector
language sql immutable strict parallel safe as $$
  select array_to_tsvector(
    array_append(array_remove(forge.text_grams(left(written, 87000)), ''), chr(1) || repository::text)
  )
$$;

-- The runs that a pattern of LIKE asks for; its wildcards stand for anything, so runs end at them.
create function forge.grams_of_pattern(pattern text) returns text[] language sql immutable strict parallel safe as $$
  select array_agg(gram)
  from string_to_table(translate(pattern, '%', '_'), '_') as run, unnest(forge.grams(run)) as gram
$$;

-- People, bots and organizations in one table, because they share one space of names and of ids.
create table forge.account (
  id bigint generated always as identity constraint account_pkey primary key,
  kind text collate "C" not null constraint account_kind_known check (kind in ('person', 'bot', 'organization')),
  -- As it is shown. The syntax is checked here too, since names become paths and addresses. No greatest length:
  -- a rename may pass the 40 characters of a creation.
  name text collate "C" not null constraint account_name_syntax check (name ~ '^[A-Za-z0-9]+([-._][A-Za-z0-9]+)*$'),
  -- As it is compared.
  key text collate "C" not null generated always as (lower(name)) stored,
  full_name text collate "C" not null default '',
  -- Of an organization its contact. Of a person the primary address, repeated from email_address in the same
  -- transaction, so that lists and searches of accounts need no second table.
  email text collate "C" not null default '',
  location text not null default '',
  website text not null default '',
  description text not null default '',
  language text not null default '',
  visibility text collate "C" not null default 'public'
    constraint account_visibility_known check (visibility in ('public', 'limited', 'private')),
  -- Shown to nobody but the account itself and administrators.
  hides_email boolean not null default false,
  -- States. An account that is not active, or prohibited, can prove who it is and is refused all the same.
  is_active boolean not null default true,
  is_admin boolean not null default false,
  is_restricted boolean not null default false,
  prohibit_login boolean not null default false,
  must_change_password boolean not null default false,
  -- Whether one-time codes are enrolled: kept by a trigger, so that lists can filter by it.
  has_totp boolean not null default false,
  -- Login source: 0 is this forge itself. The name is what an outside directory calls the account.
  source_id bigint not null default 0 constraint account_source_not_negative check (source_id >= 0),
  login_name text collate "C" not null default '',
  -- Rights. -1 repositories: as many as the forge allows by default.
  allow_git_hook boolean not null default false,
  allow_import_local boolean not null default false,
  allow_create_organization boolean not null default true,
  max_repo_creation integer not null default -1
    constraint account_max_repo_creation_floor check (max_repo_creation >= -1),
  -- Of organizations: administrators of a repository may choose its teams.
  repo_admin_change_team_access boolean not null default false,
  followers_count bigint not null default 0,
  following_count bigint not null default 0,
  starred_repos_count bigint not null default 0,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  last_login_at timestamptz(3),
  -- What users set for programs that show the forge to them. The server keeps it and heeds none of it.
  theme text not null default '',
  diff_view_style text not null default '',
  hides_activity boolean not null default false,
  -- The pictures that users send for accounts and repositories. Contents are those of packages: equal ones are stored once.
  avatar text collate "C",
  -- The media type, as the bytes have it.
  avatar_type text collate "C",
  constraint account_name_unique unique (key),
  -- An organization cannot sign in, so it cannot administer.
  constraint account_admin_signs_in check (not is_admin or kind <> 'organization')
);

-- The list of people, once for each way to sort it. What the list filters by is included, so that a page deep in a
-- million rows, or a filter that few rows pass, is found in the index alone.
create index account_people_by_name on forge.account (key)
  include (id, is_active, is_admin, is_restricted, prohibit_login, has_totp, visibility, source_id)
  where kind = 'person';

create index account_people_by_creation on forge.account (created_at, id)
  include (is_active, is_admin, is_restricted, prohibit_login, has_totp, visibility, source_id)
  where kind = 'person';

create index account_people_by_update on forge.account (updated_at, id)
  include (is_active, is_admin, is_restricted, prohibit_login, has_totp, visibility, source_id)
  where kind = 'person';

create index account_people_by_id on forge.account (id)
  include (is_active, is_admin, is_restricted, prohibit_login, has_totp, visibility, source_id)
  where kind = 'person';

-- States that are rare: their rows are found without passing all others. The first also answers whether an
-- administrator is the last one.
create index account_admins on forge.account (key) where is_admin;

create index account_inactive on forge.account (key) where kind = 'person' and not is_active;

create index account_restricted on forge.account (key) where kind = 'person' and is_restricted;

create index account_prohibited on forge.account (key) where kind = 'person' and prohibit_login;

create index account_with_totp on forge.account (key) where kind = 'person' and has_totp;

create index account_not_public on forge.account (visibility, key) where kind = 'person' and visibility <> 'public';

-- People of an outside directory, by what it calls them.
create index account_login_name on forge.account (login_name) where login_name <> '';

-- The lists of organizations.
create index account_organizations on forge.account (key) include (id, visibility) where kind = 'organization';

-- Searches inside names and primary addresses. Without a list of pending entries: a search then never reads what
-- others have piled up.
create index account_grams on forge.account
  using gin (forge.grams(key || chr(10) || lower(full_name) || chr(10) || lower(email))) with (fastupdate = off);

-- Searches for letters beyond ASCII inside full names and primary addresses. Only accounts that have such letters are in
-- the index; all other searches use account_grams.
create index account_folded_grams on forge.account
  using gin (forge.grams(forge.fold(full_name || chr(10) || email))) with (fastupdate = off)
  where full_name || email ~ '[^\x01-\x7f]';

-- Whether a content is used, and the type of one that is asked for.
create index account_by_avatar on forge.account (avatar) where avatar is not null;

-- Ids of up to so many accounts whose name, full name or address matches a pattern of LIKE in lower case that holds
-- three characters in a row. The planner would rather read the whole table when a needle is frequent, and compute all
-- runs of every row; here it may not. Who gets the greatest number has a needle that is too frequent to be worth an
-- index, and reads the table. The backslash is a character like any other.
create function forge.accounts_like(pattern text, most integer) returns setof bigint language sql stable rows 100
set enable_seqscan = off set jit = off as $$
  select id
  from forge.account
  where forge.grams(key || chr(10) || lower(full_name) || chr(10) || lower(email)) @> forge.grams_of_pattern(pattern)
    and (key like pattern escape '' or lower(full_name) like pattern escape '' or lower(email) like pattern escape '')
  limit most
$$;

-- How many accounts there are of each kind and state: kept, because counting a million rows costs more than a page
-- of them. A total under any filter is the sum of a few rows. Sixteen slots, so that writers rarely meet.
create table forge.account_tally (
  kind text collate "C" not null,
  source_id bigint not null,
  is_active boolean not null,
  is_admin boolean not null,
  is_restricted boolean not null,
  prohibit_login boolean not null,
  has_totp boolean not null,
  visibility text collate "C" not null,
  slot smallint not null,
  accounts bigint not null,
  constraint account_tally_pkey primary key
    (kind, source_id, is_active, is_admin, is_restricted, prohibit_login, has_totp, visibility, slot)
) with (fillfactor = 50);

-- Adds a difference to the count of each state. One order for all writers, so that none waits for another in a circle.
create function forge.add_to_tally(states forge.account_state[], differences bigint[]) returns void
language sql as $$
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

create function forge.tally_accounts() returns trigger language plpgsql as $$
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

create trigger account_tally_insert after insert on forge.account
referencing new table as come for each statement execute function forge.tally_accounts();

create trigger account_tally_delete after delete on forge.account
referencing old table as gone for each statement execute function forge.tally_accounts();

create trigger account_tally_update after update on forge.account
referencing old table as gone new table as come for each statement execute function forge.tally_accounts();

-- Names that accounts had before: requests under them are sent on. A redirect gives way to an account of that name.
create table forge.name_redirect (
  key text collate "C" constraint name_redirect_pkey primary key,
  account_id bigint not null constraint name_redirect_account_known references forge.account (id) on delete cascade,
  created_at timestamptz(3) not null
);

-- For the removal of an account.
create index name_redirect_of_account on forge.name_redirect (account_id);

-- What passwords are checked against: `$scrypt$…`, parameters and salt inside. Apart from the account, so that nothing
-- that reads accounts can show it. A bot keeps the one it had as a person, unused.
create table forge.password (
  account_id bigint constraint password_pkey primary key
    constraint password_account_known references forge.account (id) on delete cascade,
  record text not null constraint password_record_form check (record like '$scrypt$%'),
  changed_at timestamptz(3) not null
);

-- Addresses of people and bots.
create table forge.email_address (
  id bigint generated always as identity constraint email_address_pkey primary key,
  account_id bigint not null constraint email_address_account_known references forge.account (id) on delete cascade,
  -- As it was given.
  address text collate "C" not null,
  -- As it is compared: lower case, the domain in ASCII. Unique over all accounts, also while not activated.
  key text collate "C" not null constraint email_address_key_size check (char_length(key) between 3 and 320),
  is_primary boolean not null,
  is_activated boolean not null,
  -- Whether the owner is a person, whom lists of addresses show; kept by triggers.
  is_listed boolean not null default true,
  created_at timestamptz(3) not null,
  constraint email_address_unique unique (key)
);

-- An account has at most one primary address.
create unique index email_address_one_primary on forge.email_address (account_id) where is_primary;

create index email_address_of_account on forge.email_address (account_id, id);

-- The list of addresses, and the place of a page in it.
create index email_address_listed on forge.email_address (key) include (id) where is_listed;

-- Searches inside addresses, as for names above.
create index email_address_grams on forge.email_address using gin (forge.grams(lower(address)))
  with (fastupdate = off);

create function forge.addresses_like(pattern text, most integer) returns setof bigint language sql stable rows 100
set enable_seqscan = off set jit = off as $$
  select id
  from forge.email_address
  where forge.grams(lower(address)) @> forge.grams_of_pattern(pattern)
    and lower(address) like pattern escape ''
  limit most
$$;

-- How many addresses the list has; kept, for the same reason as the tally of accounts.
create table forge.email_tally (
  slot smallint constraint email_tally_pkey primary key,
  addresses bigint not null
) with (fillfactor = 50);

create function forge.tally_addresses() returns trigger language plpgsql as $$
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

create trigger email_tally_insert after insert on forge.email_address
referencing new table as come for each statement execute function forge.tally_addresses();

create trigger email_tally_delete after delete on forge.email_address
referencing old table as gone for each statement execute function forge.tally_addresses();

create trigger email_tally_update after update on forge.email_address
referencing old table as gone new table as come for each statement execute function forge.tally_addresses();

-- A person who becomes a bot leaves the list of addresses, and comes back with the next change.
create function forge.list_addresses() returns trigger language plpgsql as $$
begin
  update forge.email_address set is_listed = (new.kind = 'person') where account_id = new.id;
  return null;
end
$$;

create trigger account_kind_changed after update of kind on forge.account
for each row when (old.kind <> new.kind) execute function forge.list_addresses();

-- Personal tokens. Only a hash is kept; 160 random bits need no salt.
create table forge.access_token (
  id bigint generated always as identity constraint access_token_pkey primary key,
  account_id bigint not null constraint access_token_account_known references forge.account (id) on delete cascade,
  name text not null constraint access_token_name_present check (name <> ''),
  hash text collate "C" not null constraint access_token_hash_form check (hash ~ '^[0-9a-f]{64}$'),
  last_eight text not null,
  -- In normal form: `read:user,write:organization`, `all`, `public-only,all`.
  scopes text not null constraint access_token_scopes_present check (scopes <> ''),
  created_at timestamptz(3) not null,
  -- To about a minute.
  last_used_at timestamptz(3),
  -- When an access token ends by itself; null: never.
  expires_at timestamptz(3),
  constraint access_token_hash_unique unique (hash)
);

-- The list of an account, newest first. Names are unique in it; the index on a hash of the name has room for any.
create index access_token_of_account on forge.access_token (account_id, id desc);

create unique index access_token_name_unique on forge.access_token (account_id, md5(name));

-- One-time codes. The secret is sealed under SECRET_KEY (db/encryption/secrets.ts). The last accepted time step is kept: a code and those before it are good only once.
create table forge.totp (
  account_id bigint constraint totp_pkey primary key
    constraint totp_account_known references forge.account (id) on delete cascade,
  secret bytea not null constraint totp_secret_size check (octet_length(secret) between 16 and 1024),
  last_step bigint not null default -1,
  created_at timestamptz(3) not null,
  -- Attempts since the last right code.
  attempts integer not null default 0 constraint totp_attempts_floor check (attempts >= 0),
  -- The time step of the last attempt; -1: there was none.
  attempt_step bigint not null default -1
);

create function forge.mark_totp() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    update forge.account set has_totp = true where id = new.account_id;
  else
    update forge.account set has_totp = false where id = old.account_id;
  end if;
  return null;
end
$$;

create trigger totp_marked after insert or delete on forge.totp
for each row execute function forge.mark_totp();

-- SSH keys of people, in normal form: `type base64 comment`.
create table forge.ssh_key (
  id bigint generated always as identity constraint ssh_key_pkey primary key,
  account_id bigint not null constraint ssh_key_account_known references forge.account (id) on delete cascade,
  title text not null constraint ssh_key_title_present check (title <> ''),
  content text not null,
  -- `SHA256:` and base64. A key names its owner when it is used, so it can have only one.
  fingerprint text collate "C" not null,
  read_only boolean not null default false,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3),
  constraint ssh_key_fingerprint_unique unique (fingerprint)
);

create index ssh_key_of_account on forge.ssh_key (account_id, id);

-- Titles have no greatest length, and an index entry has: hence the hash.
create unique index ssh_key_title_unique on forge.ssh_key (account_id, md5(title));

create table forge.badge (
  id bigint generated always as identity constraint badge_pkey primary key,
  slug text collate "C" not null
    constraint badge_slug_syntax check (slug ~ '^[A-Za-z0-9]+([-._][A-Za-z0-9]+)*$' and char_length(slug) <= 255),
  description text not null default '',
  image_url text not null default '',
  constraint badge_slug_unique unique (slug)
);

create table forge.account_badge (
  -- The order in which badges were given is the order of the list.
  id bigint generated always as identity constraint account_badge_pkey primary key,
  account_id bigint not null constraint account_badge_account_known references forge.account (id) on delete cascade,
  badge_id bigint not null constraint account_badge_badge_known references forge.badge (id) on delete cascade,
  constraint account_badge_unique unique (account_id, badge_id)
);

create index account_badge_of_badge on forge.account_badge (badge_id);

-- Teams of organizations. Whoever is in the team with permission "owner" owns the organization.
create table forge.team (
  id bigint generated always as identity constraint team_pkey primary key,
  organization_id bigint not null
    constraint team_organization_known references forge.account (id) on delete cascade,
  name text collate "C" not null constraint team_name_size check (char_length(name) between 1 and 255),
  key text collate "C" not null generated always as (lower(name)) stored,
  description text not null default '',
  permission text collate "C" not null
    constraint team_permission_known check (permission in ('none', 'read', 'write', 'admin', 'owner')),
  visibility text collate "C" not null default 'private'
    constraint team_visibility_known check (visibility in ('public', 'limited', 'private')),
  includes_all_repositories boolean not null default false,
  can_create_repositories boolean not null default false,
  -- What its members may do with each part of a repository: {"repo.code": "write", …}.
  units jsonb not null default '{}' constraint team_units_form check (jsonb_typeof(units) = 'object'),
  created_at timestamptz(3) not null,
  constraint team_name_unique unique (organization_id, key),
  -- For the reference of team_member, which repeats the organization.
  constraint team_in_organization unique (id, organization_id)
);

create unique index team_one_owners on forge.team (organization_id) where permission = 'owner';

-- Membership of an organization: there is a row for whoever is in at least one of its teams.
create table forge.membership (
  organization_id bigint not null
    constraint membership_organization_known references forge.account (id) on delete cascade,
  account_id bigint not null constraint membership_account_known references forge.account (id) on delete cascade,
  -- Whether others see it.
  is_public boolean not null default false,
  constraint membership_pkey primary key (organization_id, account_id)
);

create index membership_of_account on forge.membership (account_id, organization_id) include (is_public);

-- Of an organization with many members few let others see that they are: a list of those few, and their number, must
-- not pass all the rest.
create index membership_public on forge.membership (organization_id, account_id) where is_public;

create table forge.team_member (
  team_id bigint not null,
  organization_id bigint not null,
  account_id bigint not null,
  constraint team_member_pkey primary key (team_id, account_id),
  constraint team_member_team_known foreign key (team_id, organization_id)
    references forge.team (id, organization_id) on delete cascade,
  -- Nobody is in a team of an organization without being its member.
  constraint team_member_is_member foreign key (organization_id, account_id)
    references forge.membership (organization_id, account_id) on delete cascade
);

-- The teams of a member, for permission and for the removal of a membership.
create index team_member_of_account on forge.team_member (account_id, organization_id);

create index team_member_in_organization on forge.team_member (organization_id, account_id);

-- What was done by whom: written in the transaction of the deed, never changed. No references, because it outlives
-- what it tells of; names are kept as they were.
create table forge.audit (
  id bigint generated always as identity constraint audit_pkey primary key,
  at timestamptz(3) not null,
  -- Null: the command line, or the program itself.
  actor_id bigint,
  actor_name text collate "C" not null,
  -- Whom an administrator acted as.
  acting_as text collate "C",
  action text collate "C" not null constraint audit_action_syntax check (action ~ '^[a-z_]+\.[a-z_]+$'),
  target_kind text collate "C" not null,
  target_id bigint,
  target_name text collate "C" not null,
  -- Where the request came from; empty for the command line.
  address text collate "C" not null,
  -- The request's id in the log.
  request_id text collate "C",
  -- What was changed, without secrets.
  details jsonb not null default '{}' constraint audit_details_form check (jsonb_typeof(details) = 'object')
);

-- The trail is read backwards, from the newest entry, under one filter or none; names are compared in lower case.
create index audit_of_actor on forge.audit (lower(actor_name), id desc);

create index audit_of_target on forge.audit (lower(target_name), id desc);

create index audit_of_action on forge.audit (action, id desc);

create index audit_by_moment on forge.audit (at, id);

-- What happens after a commit: the outbox of events, webhooks, and what became of each delivery.
--
-- Bodies and payloads are json and not jsonb, because the order of keys and the exact text are part of what is signed.

-- The outbox. A row is written in the transaction that caused it, and removed in the transaction that made deliveries
-- (and whatever else listens) of it: an event is spread exactly once, or still stands here.
create table forge.event (
  id bigint generated always as identity constraint event_pkey primary key,
  kind text not null constraint event_kind_present check (kind <> ''),
  payload json not null,
  created_at timestamptz(3) not null,
  -- When it may be spread; moved on when spreading failed, which is a fault of the program.
  due_at timestamptz(3) not null,
  failures integer not null default 0,
  last_error text,
  -- `X-Request-Id` of the request that an event and a delivery follow from, so that one request can be followed to the
  -- receivers of webhooks. Null where no single request caused it.
  request_id text
);

-- The drain takes what is due in order of arrival.
create index event_due on forge.event (due_at, id);

create table forge.hook (
  -- "by default" and not "always": what is sealed names its row, so the id is drawn before the row is written.
  id bigint generated by default as identity constraint hook_pkey primary key,
  -- system: hears every repository and owner. default: never fires, is copied into each new repository.
  scope text not null constraint hook_scope_known
    check (scope in ('system', 'default', 'organization', 'user', 'repository')),
  -- The organization or user, or the repository, whose hook this is. The references come with the repositories.
  owner_id bigint,
  repository_id bigint,
  name text not null default '',
  type text not null constraint hook_type_known check (type in (
    'gitea', 'gogs', 'slack', 'discord', 'dingtalk', 'telegram', 'msteams', 'feishu', 'matrix', 'wechatwork',
    'packagist')),
  url text constraint hook_url_present check (url <> ''),
  content_type text not null constraint hook_content_type_known check (content_type in ('json', 'form')),
  method text not null default 'POST' constraint hook_method_known check (method in ('POST', 'GET')),
  -- What chat types say beside the text: channel, username, icon_url, color.
  options json not null default '{}',
  -- Hears every event, also of kinds that are yet to come; then events is empty.
  all_events boolean not null default false,
  events text[] not null,
  branch_filter text not null default '',
  active boolean not null,
  -- Both encrypted (db/encryption/secrets.ts): key id, nonce, tag and text. Null where none was given.
  secret bytea,
  authorization_header bytea,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  -- Key id, nonce, tag and text (db/encryption/secrets.ts).
  address bytea,
  constraint hook_belongs check (
    case scope
      when 'repository' then repository_id is not null and owner_id is null
      when 'organization' then owner_id is not null and repository_id is null
      when 'user' then owner_id is not null and repository_id is null
      else owner_id is null and repository_id is null
    end),
  -- With an account go the webhooks that hear all of its repositories.
  constraint hook_owner_known foreign key (owner_id) references forge.account (id) on delete cascade,
  constraint hook_address_present check (num_nonnulls(address, url) > 0)
);

-- One index for each question: the hooks of a repository, of an owner, of the whole site; lists are in order of id.
create index hook_of_repository on forge.hook (repository_id, id) where repository_id is not null;

create index hook_of_owner on forge.hook (owner_id, id) where owner_id is not null;

create index hook_of_site on forge.hook (scope, id) where scope in ('system', 'default');

-- What is left in clear. Nothing, so a start finds that out without reading the tables.
create index hook_in_clear on forge.hook (id) where url is not null;

-- One event on its way to one hook, from the first attempt to the last.
create table forge.hook_delivery (
  id bigint generated always as identity constraint hook_delivery_pkey primary key,
  -- What receivers see, the same in every attempt, so that they can tell a second arrival from a second event.
  uuid uuid not null constraint hook_delivery_uuid_unique unique,
  hook_id bigint not null constraint hook_delivery_hook_known references forge.hook (id) on delete cascade,
  -- The coarse and the fine name: pull_request and pull_request_label.
  event text not null,
  event_type text not null,
  -- Frozen when the event happened: the text that is sent and signed.
  body text not null,
  -- The delivery that somebody asked to have sent again. No reference: that one may be cleaned up before this one.
  redelivery_of bigint,
  state text not null default 'waiting' constraint hook_delivery_state_known
    check (state in ('waiting', 'succeeded', 'failed')),
  attempts integer not null default 0,
  -- When the next attempt is due. While an attempt is under way: when it is taken to be lost with its process.
  due_at timestamptz(3) not null,
  -- Who makes the attempt; null while nobody does.
  claim uuid,
  created_at timestamptz(3) not null,
  finished_at timestamptz(3),
  request_id text,
  -- Deliveries of webhooks take turns by the account that owns the webhook, or its repository, so that one owner's queue does
  -- not delay another's. 0: the site.
  owner_id bigint not null default 0,
  constraint hook_delivery_finished check ((state = 'waiting') = (finished_at is null))
);

-- What is to be sent. Partial, so that it stays as small as the queue.
create index hook_delivery_due on forge.hook_delivery (due_at, id) where state = 'waiting';

-- The history of a hook, newest first; also for the removal of a hook.
create index hook_delivery_of_hook on forge.hook_delivery (hook_id, id desc);

-- What is old enough to be removed.
create index hook_delivery_old on forge.hook_delivery (finished_at) where finished_at is not null;

-- Finds the next deliveries of each owner without reading those of the others.
create index hook_delivery_turns on forge.hook_delivery (owner_id, due_at, id) where state = 'waiting';

create table forge.hook_attempt (
  delivery_id bigint not null constraint hook_attempt_delivery_known
    references forge.hook_delivery (id) on delete cascade,
  -- 1 for the first.
  number integer not null,
  started_at timestamptz(3) not null,
  duration_ms integer not null constraint hook_attempt_duration_positive check (duration_ms >= 0),
  request_method text not null,
  request_url text,
  -- As sent, but for the authorization, which is masked.
  request_headers json not null,
  -- Null together when no response came.
  status integer,
  response_headers json,
  -- The first part of it, as text.
  response_body text,
  -- What went wrong, in words; null when a response came, whatever it said.
  error text,
  address bytea,
  constraint hook_attempt_pkey primary key (delivery_id, number)
);

create index hook_attempt_in_clear on forge.hook_attempt (delivery_id, number) where request_url is not null;

-- Repositories: the rows beside the bare repositories on disk (git/repository/repositories.ts).
create table forge.repository (
  id bigint generated always as identity constraint repository_pkey primary key,
  -- Null only while what belonged to a deleted account is still being removed from the disk. Not cascading: an account
  -- that owns repositories is not deleted.
  owner_id bigint constraint repository_owner_known references forge.account (id),
  -- As it is shown.
  name text collate "C" not null constraint repository_name_syntax check (name ~ '^[A-Za-z0-9_.-]{1,100}$'),
  -- As it is compared.
  key text collate "C" not null generated always as (lower(name)) stored,
  -- Where it lies on the disk: <folder_owner>/<folder_name>.git. After a rename the row is right at once, and these
  -- follow when the directory has been moved.
  folder_owner text collate "C" not null,
  folder_name text collate "C" not null,
  -- making: the name is taken, the directory is being made, nobody sees it. removing: gone for everybody, its directory
  -- not yet. What a crash leaves in one of the two is brought to its end at start.
  state text collate "C" not null default 'making'
    constraint repository_state_known check (state in ('making', 'ready', 'removing')),
  description text not null default '',
  website text not null default '',
  is_private boolean not null,
  is_template boolean not null default false,
  is_archived boolean not null default false,
  is_empty boolean not null default true,
  default_branch text collate "C" not null,
  object_format text collate "C" not null
    constraint repository_object_format_known check (object_format in ('sha1', 'sha256')),
  -- Bytes on disk, as of the last push.
  size bigint not null default 0 constraint repository_size_not_negative check (size >= 0),
  branch_count bigint not null default 0,
  -- Whoever creates a repository watches it.
  watchers_count bigint not null default 0,
  -- Names of licence templates that it was created with.
  licenses text[] not null default '{}',
  -- Switches of features and merging that differ from the defaults: {"has_wiki": false, …}.
  settings jsonb not null default '{}' constraint repository_settings_form check (jsonb_typeof(settings) = 'object'),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  archived_at timestamptz(3),
  -- Who may see a public repository depends on its owner. Repeated here, so that lists and their totals need no look at the
  -- accounts, of which there may be as many.
  owner_visibility text collate "C" not null default 'private',
  -- Kept beside the repository, because pages of repositories show them: how many of its issues are open, and the last
  -- number that was given. Whoever gives a number holds the row until it commits, so that none is given twice and none is
  -- left out.
  last_issue bigint not null default 0,
  open_issues bigint not null default 0
    constraint repository_open_issues_not_negative check (open_issues >= 0),
  -- The number of the look at the disk that size, is_empty and branch_count come from.
  look bigint not null default 0,
  -- Topics of repositories, and reactions to issues and comments.
  -- The topics of a repository stand in its row, because every answer that shows a repository shows them: sorted, in lower
  -- case, none twice.
  topics text[] collate "C" not null default '{}',
  -- Every repository is shown with the number of its releases that are no drafts.
  release_count bigint not null default 0,
  -- Searches sort by it. Accounts have such a number from the beginning.
  stars_count bigint not null default 0,
  avatar text collate "C",
  avatar_type text collate "C",
  constraint repository_owner_present check (owner_id is not null or state = 'removing'),
  -- The directory belongs to one row, whatever its owner is called by now. First, so that it is the name that is told.
  constraint repository_name_unique unique (owner_id, key),
  constraint repository_folder_unique unique (folder_owner, folder_name)
);

alter table forge.hook add
  constraint hook_repository_known foreign key (repository_id) references forge.repository (id) on delete cascade;

-- The lists of an owner, last changed first, and the searches over all, once for each way to sort them.
create index repository_of_owner on forge.repository (owner_id, updated_at desc, id desc) where state = 'ready';

create index repository_by_name on forge.repository (key, id) where state = 'ready';

create index repository_by_update on forge.repository (updated_at, id) where state = 'ready';

create index repository_by_creation on forge.repository (created_at, id) where state = 'ready';

create index repository_by_size on forge.repository (size, id) where state = 'ready';

-- What is to be brought to its end.
create index repository_unfinished on forge.repository (created_at, id) where state <> 'ready';

-- Searches inside names of repositories.
create index repository_grams on forge.repository
  using gin (forge.grams(key)) with (fastupdate = off) where state = 'ready';

-- How many there are under any filter, and the few that are public where most are not. Equal entries are stored once.
create index repository_counting on forge.repository (is_private, owner_visibility, is_template, is_archived)
where state = 'ready';

-- Finds the repositories that have a topic. Most repositories have none and stay out of it.
create index repository_topics on forge.repository using gin (topics) where topics <> '{}';

create index repository_by_stars on forge.repository (stars_count, id) where state = 'ready';

create index repository_by_avatar on forge.repository (avatar) where avatar is not null;

-- Names that repositories of an owner had before. One gives way to a repository of that name.
create table forge.repository_redirect (
  owner_id bigint not null constraint repository_redirect_owner_known references forge.account (id) on delete cascade,
  key text collate "C" not null,
  repository_id bigint not null
    constraint repository_redirect_repository_known references forge.repository (id) on delete cascade,
  constraint repository_redirect_pkey primary key (owner_id, key)
);

create index repository_redirect_of_repository on forge.repository_redirect (repository_id);

-- People who may do something in a repository by themselves, whatever they are to its owner.
create table forge.repository_collaborator (
  repository_id bigint not null
    constraint repository_collaborator_repository_known references forge.repository (id) on delete cascade,
  account_id bigint not null
    constraint repository_collaborator_account_known references forge.account (id) on delete cascade,
  permission text collate "C" not null
    constraint repository_collaborator_permission_known check (permission in ('read', 'write', 'admin')),
  constraint repository_collaborator_pkey primary key (repository_id, account_id)
);

create index repository_collaborator_of_account on forge.repository_collaborator (account_id, repository_id);

-- Labels that issues of a repository may have.
create table forge.repository_label (
  id bigint generated always as identity constraint repository_label_pkey primary key,
  repository_id bigint not null
    constraint repository_label_repository_known references forge.repository (id) on delete cascade,
  name text not null constraint repository_label_name_present check (name <> ''),
  color text collate "C" not null constraint repository_label_color_form check (color ~ '^[0-9a-f]{6}$'),
  description text not null default '',
  exclusive boolean not null default false,
  exclusive_order integer not null default 0,
  -- Not offered any more, but kept on the issues that have it.
  is_archived boolean not null default false,
  -- For the reference of issue_label, which repeats the repository.
  constraint repository_label_in_repository unique (id, repository_id)
);

create index repository_label_of_repository on forge.repository_label (repository_id, id);

-- Searches name labels and milestones of any repository.
create index repository_label_by_name on forge.repository_label (md5(name));

-- What is known of the tasks with a schedule (background/cron/schedule.ts): one row for each, shared by all processes.
create table forge.cron_task (
  name text collate "C" constraint cron_task_pkey primary key,
  -- The schedule that next_at was worked out from: when the program comes with another one, it is worked out anew.
  schedule text not null constraint cron_task_schedule_present check (schedule <> ''),
  -- Null: runs only when somebody asks for it.
  next_at timestamptz(3),
  -- The last start, by whatever cause, and how many there were.
  prev_at timestamptz(3),
  exec_times bigint not null default 0 constraint cron_task_exec_times_not_negative check (exec_times >= 0),
  -- Who runs it, and until when that is believed without a sign of life; null while nobody does.
  claim uuid,
  held_until timestamptz(3),
  -- What became of the last run that came to an end, and what it said of itself.
  finished_at timestamptz(3),
  outcome text collate "C" constraint cron_task_outcome_known
    check (outcome in ('succeeded', 'failed', 'interrupted')),
  message text not null default '',
  duration_ms bigint,
  constraint cron_task_held check ((claim is null) = (held_until is null)),
  constraint cron_task_finished check (
    (finished_at is null) = (outcome is null) and (finished_at is null) = (duration_ms is null))
);

-- Ids of up to so many repositories whose name matches a pattern of LIKE in lower case that holds three characters in a
-- row; as forge.accounts_like, the greatest number means that there may be others.
create function forge.repositories_like(pattern text, most integer) returns setof bigint language sql stable rows 100
set enable_seqscan = off set jit = off as $$
  select id
  from forge.repository
  where state = 'ready' and forge.grams(key) @> forge.grams_of_pattern(pattern) and key like pattern escape ''
  limit most
$$;

-- The lock is shared with other new repositories and not with a change of the visibility: one waits for the other, and
-- then sees what it did.
create function forge.repeat_visibility() returns trigger language plpgsql as $$
declare
  found_visibility text;
begin
  select visibility into found_visibility from forge.account where id = new.owner_id for share;
  new.owner_visibility = coalesce(found_visibility, 'private');
  return new;
end
$$;

create trigger repository_visibility before insert on forge.repository
for each row when (new.owner_id is not null) execute function forge.repeat_visibility();

create function forge.spread_visibility() returns trigger language plpgsql as $$
begin
  update forge.repository set owner_visibility = new.visibility where owner_id = new.id;
  return null;
end
$$;

create trigger account_visibility_changed after update of visibility on forge.account
for each row when (old.visibility <> new.visibility) execute function forge.spread_visibility();

-- Packages: the rows beside the files of package registries, which lie in DATA_DIR/packages under their SHA-256.
create table forge.package (
  id bigint generated always as identity constraint package_pkey primary key,
  -- Not cascading: an account that owns packages is not deleted.
  owner_id bigint not null constraint package_owner_known references forge.account (id),
  -- The registry. Which there are is the program's affair, so that a new one needs no step of the schema.
  type text collate "C" not null constraint package_type_syntax check (type ~ '^[a-z]{1,32}$'),
  -- As it is shown.
  name text collate "C" not null constraint package_name_length check (char_length(name) between 1 and 255),
  -- As it is compared.
  key text collate "C" not null generated always as (lower(name)) stored,
  created_at timestamptz(3) not null,
  constraint package_name_unique unique (owner_id, type, key),
  -- What versions repeat of their package, so that it stays what it is here.
  constraint package_repeated unique (id, owner_id, type)
);

-- Searches inside names.
create index package_grams on forge.package using gin (forge.grams(key)) with (fastupdate = off);

-- Ids of up to so many packages whose name matches a pattern of LIKE in lower case that holds three characters in a row;
-- as forge.accounts_like, the greatest number means that there may be others. Few rows are announced, so that what belongs
-- to them is looked up one by one: `most` bounds that, whatever the size of the tables.
create function forge.packages_like(pattern text, most integer) returns setof bigint language sql stable rows 10
set enable_seqscan = off set jit = off as $$
  select id
  from forge.package
  where forge.grams(key) @> forge.grams_of_pattern(pattern) and key like pattern escape ''
  limit most
$$;

-- A package has at least one version: it is removed with the last one, in the same transaction.
create table forge.package_version (
  id bigint generated always as identity constraint package_version_pkey primary key,
  package_id bigint not null,
  -- Repeated, so that the lists of an owner and of a type are found in one index, in their order.
  owner_id bigint not null,
  type text collate "C" not null,
  creator_id bigint constraint package_version_creator_known references forge.account (id) on delete set null,
  version text collate "C" not null
    constraint package_version_length check (char_length(version) between 1 and 256),
  key text collate "C" not null generated always as (lower(version)) stored,
  -- What the registry of its type keeps of it: the manifest of an npm package. Text in the order in which it came.
  metadata json,
  created_at timestamptz(3) not null,
  constraint package_version_package_known foreign key (package_id, owner_id, type)
    references forge.package (id, owner_id, type) on delete cascade,
  constraint package_version_unique unique (package_id, key),
  constraint package_version_of_package unique (id, package_id)
);

-- The lists: of all, of a registry, of an owner; newest first.
create index package_version_by_creation on forge.package_version (created_at desc, id desc);

create index package_version_by_type on forge.package_version (type, created_at desc, id desc);

create index package_version_of_owner on forge.package_version (owner_id, created_at desc, id desc) include (type);

-- For the deletion of an account.
create index package_version_of_creator on forge.package_version (creator_id);

-- How many versions there are in each registry: kept, because counting a million rows costs more than a page of them.
-- Sixteen slots, so that writers rarely meet.
create table forge.package_tally (
  type text collate "C" not null,
  slot smallint not null,
  versions bigint not null,
  constraint package_tally_pkey primary key (type, slot)
) with (fillfactor = 50);

create function forge.tally_packages() returns trigger language plpgsql as $$
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

create trigger package_tally_insert after insert on forge.package_version
referencing new table as changed for each statement execute function forge.tally_packages();

create trigger package_tally_delete after delete on forge.package_version
referencing old table as changed for each statement execute function forge.tally_packages();

-- A file on the disk, which every file of a package with the same content shares. It is there before its row is: the row
-- is written first and commits last, after the file has its name.
create table forge.package_blob (
  sha256 text collate "C" constraint package_blob_pkey primary key
    constraint package_blob_sha256_form check (sha256 ~ '^[0-9a-f]{64}$'),
  sha512 text collate "C" not null,
  sha1 text collate "C" not null,
  md5 text collate "C" not null,
  -- Bytes.
  size bigint not null constraint package_blob_size_not_negative check (size >= 0),
  created_at timestamptz(3) not null
);

alter table forge.account add
  constraint account_avatar_fkey foreign key (avatar) references forge.package_blob (sha256);

alter table forge.repository add
  constraint repository_avatar_fkey foreign key (avatar) references forge.package_blob (sha256);

create table forge.package_file (
  id bigint generated always as identity constraint package_file_pkey primary key,
  version_id bigint not null
    constraint package_file_version_known references forge.package_version (id) on delete cascade,
  name text collate "C" not null constraint package_file_name_length check (char_length(name) between 1 and 255),
  key text collate "C" not null generated always as (lower(name)) stored,
  -- Not cascading: a blob that is in use is not removed.
  blob text collate "C" not null constraint package_file_blob_known references forge.package_blob (sha256),
  created_at timestamptz(3) not null,
  constraint package_file_unique unique (version_id, key)
);

-- Whether anything still uses a blob.
create index package_file_of_blob on forge.package_file (blob);

-- Names for versions that may change what they mean, as the dist-tags of npm.
create table forge.package_tag (
  package_id bigint not null constraint package_tag_package_known references forge.package (id) on delete cascade,
  tag text collate "C" not null constraint package_tag_length check (char_length(tag) between 1 and 255),
  version_id bigint not null,
  constraint package_tag_pkey primary key (package_id, tag),
  constraint package_tag_version_known foreign key (version_id, package_id)
    references forge.package_version (id, package_id) on delete cascade
);

create index package_tag_of_version on forge.package_tag (version_id, package_id);

-- Repositories that teams have one by one. A team of the owners, or one that includes all, has every repository of its
-- organization without a row here.
create table forge.team_repository (
  team_id bigint not null constraint team_repository_team_known references forge.team (id) on delete cascade,
  -- Counts only while the organization of the team owns it.
  repository_id bigint not null
    constraint team_repository_repository_known references forge.repository (id) on delete cascade,
  constraint team_repository_pkey primary key (team_id, repository_id)
);

-- The teams of a repository, and its removal.
create index team_repository_of_repository on forge.team_repository (repository_id, team_id);

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
  -- The branch or tag that an issue is about, as clients wrote it; nothing here reads it. "" for none.
  ref text not null default '' constraint issue_ref_size check (char_length(ref) <= 255),
  -- An issue has at most one milestone, of its own repository: the server looks it up there before it stores it.
  milestone_id bigint,
  -- Null: it has no end.
  due_at timestamptz(3),
  -- Only those who may write to the issues can comment on it and react to it.
  is_locked boolean not null default false,
  -- Counts and pages under a state are found in the index alone.
  constraint issue_number_unique unique (repository_id, number) include (closed_at),
  constraint issue_in_repository unique (id, repository_id)
);

create index issue_open on forge.issue (repository_id, number) where closed_at is null;

create index issue_of_poster on forge.issue (poster_id) where poster_id is not null;

-- The issues of a milestone: for lists under it, and when it is deleted.
create index issue_of_milestone on forge.issue (milestone_id, id) where milestone_id is not null;

-- A number is searched for in the issues of all repositories. A sorted index would tempt the planner to read issues of all
-- repositories for the oldest ones of one.
create index issue_by_number on forge.issue using hash (number);

-- The newest issues of somebody come first.
create index issue_by_poster on forge.issue (poster_id, id) where poster_id is not null;

-- Searches inside issues and comments. A search reads the whole list of new entries, so the list is short.
create index issue_search on forge.issue
  using gin (forge.search_vector(repository_id, forge.searchable(title || chr(10) || body)))
  with (gin_pending_list_limit = 1024);

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
  updated_at timestamptz(3) not null,
  -- Searches of the issues of one repository read its comments, and so does the list of all its comments. Null nowhere: a
  -- trigger writes it.
  repository_id bigint
);

-- The comments of an issue in order, its newest one, and who has taken part in it.
create index issue_comment_of_issue on forge.issue_comment (issue_id, id) include (poster_id);

create index issue_comment_of_poster on forge.issue_comment (poster_id) where poster_id is not null;

-- The comments of a repository, oldest first, and their number, from the index alone.
create index issue_comment_of_repository on forge.issue_comment (repository_id, id) include (updated_at);

create index issue_comment_search on forge.issue_comment
  using gin (forge.search_vector(repository_id, forge.searchable(body))) with (gin_pending_list_limit = 1024);

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

-- One statement can now change the watchers of many repositories, when somebody joins a team. It locks their rows in the
-- order of their ids, as all others do, so that two such statements do not wait for each other.
create function forge.count_watchers() returns trigger language plpgsql as $$
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

create trigger repository_watch_insert after insert on forge.repository_watch
referencing new table as changed for each statement execute function forge.count_watchers();

create trigger repository_watch_delete after delete on forge.repository_watch
referencing old table as changed for each statement execute function forge.count_watchers();

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

-- Nobody deletes it.
create table forge.system_account (
  account_id bigint constraint system_account_pkey primary key
    constraint system_account_account_known references forge.account (id)
);

-- The last number that a run of a repository had: runs are numbered per repository, without gaps or repeats.
create table forge.action_run_counter (
  repository_id bigint constraint action_run_counter_pkey primary key
    constraint action_run_counter_repository_known references forge.repository (id) on delete cascade,
  last_number bigint not null
);

-- Actions: workflow runs, their jobs, and the runners that work on them.
--
-- A run has attempts (the first one and each repetition), an attempt has jobs, and a job that a runner has taken has a
-- task. Runs, attempts and jobs are what the workflow says; tasks, steps, logs and outputs are what a runner reports.
-- All of it goes with its repository. Its owner is not stored: lists of an organization follow a repository that moves.

-- One start of one workflow file by one event. What its newest attempt is stands here too, so that lists need no
-- second table.
create table forge.action_run (
  id bigint generated always as identity constraint action_run_pkey primary key,
  repository_id bigint not null
    constraint action_run_repository_known references forge.repository (id) on delete cascade,
  number bigint not null,
  -- Relative to the folder of workflows: ci.yml.
  workflow_file text collate "C" not null,
  -- The `name` of the workflow; empty when it has none.
  workflow_name text not null default '',
  title text not null constraint action_run_title_size check (char_length(title) <= 255),
  -- Who caused the first attempt; null: the account is gone, or nobody did (by_bot).
  actor_id bigint constraint action_run_actor_known references forge.account (id) on delete set null,
  -- Caused by this forge itself: schedules.
  by_bot boolean not null default false,
  -- The word that the API prints: push, schedule, workflow_dispatch.
  event text collate "C" not null,
  -- What `github.event` is in its jobs; its text, since the order of keys is seen.
  payload json not null,
  -- refs/heads/main
  ref text collate "C" not null,
  commit_sha text collate "C" not null,
  is_fork_pr boolean not null default false,
  -- A run that waits for somebody's approval has blocked jobs.
  needs_approval boolean not null default false,
  status forge.action_status not null,
  -- Number of the newest attempt.
  attempt integer not null default 1 constraint action_run_attempt_positive check (attempt >= 1),
  started_at timestamptz(3),
  stopped_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  -- A job may start workflows with its token, and these may do the same. How many such starts came before a run bounds
  -- the chain, which could go on for ever otherwise.
  dispatch_depth integer not null default 0
  constraint action_run_dispatch_depth_positive check (dispatch_depth >= 0),
  -- The inputs of a run with the types that its workflow declares, for the expressions that are evaluated while it runs: the
  -- event has them as texts. Null: the run has none, or an early release started it.
  inputs json,
  constraint action_run_number_unique unique (repository_id, number)
);

-- The lists of runs, newest first, under each filter of the API; those of a repository and of an owner's repositories
-- start with it. A ref may be longer than a key of an index: compare its first 200 characters as well as the whole.
create index action_run_by_status on forge.action_run (status, id desc);

create index action_run_by_event on forge.action_run (event, id desc);

create index action_run_by_ref on forge.action_run (left(ref, 200), id desc);

create index action_run_by_commit on forge.action_run (commit_sha, id desc);

create index action_run_by_actor on forge.action_run (actor_id, id desc);

create index action_run_of_repository on forge.action_run (repository_id, id desc);

create index action_run_of_repository_by_status on forge.action_run (repository_id, status, id desc);

-- What has grown old enough to be removed.
create index action_run_old on forge.action_run (stopped_at, id) where stopped_at is not null;

-- What Actions began by itself, for lists under the name of its bot.
create index action_run_by_bot on forge.action_run (id desc) where by_bot;

create table forge.action_attempt (
  id bigint generated always as identity constraint action_attempt_pkey primary key,
  run_id bigint not null constraint action_attempt_run_known references forge.action_run (id) on delete cascade,
  -- 1 for the first.
  number integer not null,
  -- Who asked for this attempt; null as in the run.
  actor_id bigint constraint action_attempt_actor_known references forge.account (id) on delete set null,
  by_bot boolean not null default false,
  -- `concurrency` of the workflow, evaluated; null: none. One attempt of a group runs at a time in a repository.
  concurrency_group text collate "C" constraint action_attempt_group_size check (char_length(concurrency_group) <= 255),
  concurrency_cancels boolean not null default false,
  status forge.action_status not null,
  started_at timestamptz(3),
  stopped_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  -- What follows from workflows: attempts that wait for their group, what hooks hear of runs and jobs, and the statuses of
  -- commits.
  -- A new attempt may not begin before its concurrency group lets it. Its jobs are blocked; those of an attempt that has
  -- begun can be blocked too, each by a group of its own.
  is_held boolean not null default false,
  constraint action_attempt_number_unique unique (run_id, number)
);

create index action_attempt_of_actor on forge.action_attempt (actor_id) where actor_id is not null;

-- Who holds a concurrency group, or waits for it: what is not final.
create index action_attempt_in_group on forge.action_attempt (concurrency_group, run_id)
  where concurrency_group is not null and status not in ('success', 'failure', 'cancelled', 'skipped');

-- One job of one attempt: each combination of a matrix is a row.
create table forge.action_job (
  id bigint generated always as identity constraint action_job_pkey primary key,
  run_id bigint not null constraint action_job_run_known references forge.action_run (id) on delete cascade,
  attempt integer not null,
  -- Its place in the workflow, from 1.
  number integer not null,
  -- That of the run, for lists and for runners that serve one repository or owner.
  repository_id bigint not null
    constraint action_job_repository_known references forge.repository (id) on delete cascade,
  name text not null constraint action_job_name_size check (char_length(name) <= 255),
  -- The key under `jobs`; the combinations of a matrix share it.
  key text collate "C" not null,
  -- Keys of the jobs whose end it waits for.
  needs text[] not null default '{}',
  -- Labels that its runner must have, all of them.
  runs_on text[] not null default '{}',
  -- A workflow of this one job, for the runner (YAML); null where no runner is to see it.
  payload bytea,
  -- Names of its steps, in order, as they are shown.
  step_names text[] not null default '{}',
  -- `if`, unevaluated; empty: none.
  condition text not null default '',
  -- The combination of the matrix; null: none.
  matrix json,
  continue_on_error boolean not null default false,
  -- `concurrency` of the job: as it is written, and evaluated.
  concurrency_source text,
  concurrency_group text collate "C" constraint action_job_group_size check (char_length(concurrency_group) <= 255),
  concurrency_cancels boolean not null default false,
  -- What the workflow grants the task's token: {"contents": "read"}. Null: nothing was said.
  permissions json,
  -- What this forge has to say of the job, line by line: why it failed before a runner saw it. Its log, when it has no task.
  message text not null default '',
  -- The job of an earlier attempt whose result a partial repetition keeps. Kept without a reference.
  source_job_id bigint,
  status forge.action_status not null,
  started_at timestamptz(3),
  stopped_at timestamptz(3),
  created_at timestamptz(3) not null,
  -- Since when it has its state: the job that has been queued longest is the next to be taken.
  updated_at timestamptz(3) not null,
  -- The jobs that a matrix makes are bound to each other: by `fail-fast`, and by `max-parallel`. Both are said when the run
  -- is planned; jobs of runs that were planned before stay as free as they were.
  -- Whether the failure of another job of the same key, in the same attempt, ends this one.
  fails_fast boolean not null default false,
  -- How many jobs of the same key may be under way at a time; null: all of them.
  max_parallel integer
  constraint action_job_max_parallel_positive check (max_parallel > 0),
  -- What the server knows about jobs that their runner does not end: how long a job may take, and why it was ended.
  -- `timeout-minutes`, rounded up. Null: the workflow says nothing that the server can evaluate. Runners before 2.0 do not
  -- end a job after that time, so the server does.
  timeout_minutes integer
  constraint action_job_timeout_positive check (timeout_minutes > 0),
  constraint action_job_attempt_known foreign key (run_id, attempt)
    references forge.action_attempt (run_id, number) on delete cascade,
  constraint action_job_number_unique unique (run_id, attempt, number)
);

-- The lists of jobs, oldest first or newest first; those of a repository and of an owner's repositories start with it.
create index action_job_by_status on forge.action_job (status, id);

create index action_job_of_repository on forge.action_job (repository_id, id);

create index action_job_of_repository_by_status on forge.action_job (repository_id, status, id);

-- Who holds a concurrency group, or waits for it.
create index action_job_in_group on forge.action_job (repository_id, concurrency_group)
  where concurrency_group is not null and status not in ('success', 'failure', 'cancelled', 'skipped');

create index action_job_queue on forge.action_job (forge.labels_key(runs_on), updated_at, id) where status = 'queued';

create index action_job_queue_of_repository on forge.action_job (repository_id, updated_at, id) where status = 'queued';

create index action_job_abandoned on forge.action_job (updated_at) where status in ('queued', 'blocked');

-- Programs that take jobs. A runner serves everybody, the repositories of one owner, or one repository.
create table forge.action_runner (
  id bigint generated always as identity constraint action_runner_pkey primary key,
  uuid uuid not null constraint action_runner_uuid_unique unique,
  name text not null constraint action_runner_name_size check (char_length(name) between 1 and 255),
  version text not null default '' constraint action_runner_version_size check (char_length(version) <= 64),
  owner_id bigint constraint action_runner_owner_known references forge.account (id) on delete cascade,
  repository_id bigint
    constraint action_runner_repository_known references forge.repository (id) on delete cascade,
  -- SHA-256 of a token of 160 random bits: nothing slower is needed, and it is asked several times a second.
  token_hash bytea not null constraint action_runner_token_size check (octet_length(token_hash) = 32),
  -- Names without the schema behind the colon, which is the runner's own affair.
  labels text[] not null default '{}',
  -- Takes one job in its life.
  ephemeral boolean not null default false,
  disabled boolean not null default false,
  -- Understands that a job is to be cancelled and ends it in order.
  cancels boolean not null default false,
  -- Last call of any kind, and last report about a job; null: none yet.
  last_online timestamptz(3),
  last_active timestamptz(3),
  -- Gone for everybody. The row stays a little, because a runner that is done may still owe lines of its log.
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint action_runner_one_scope check (owner_id is null or repository_id is null)
) with (fillfactor = 70);

-- Runners of an owner and of a repository. Lists are in order of last contact, which changes all the time: an index of it
-- would be written with each sign of life, and the runners of a site are few enough to be sorted.
create index action_runner_of_owner on forge.action_runner (owner_id) where owner_id is not null;

create index action_runner_of_repository on forge.action_runner (repository_id) where repository_id is not null;

create index action_runner_deleted on forge.action_runner (deleted_at) where deleted_at is not null;

-- With what runners register themselves: any number of them, for the scope of the token.
create table forge.action_runner_token (
  id bigint generated always as identity constraint action_runner_token_pkey primary key,
  -- In clear, because it is shown again to whoever may ask for it.
  token text collate "C" constraint action_runner_token_form check (char_length(token) between 32 and 255),
  owner_id bigint constraint action_runner_token_owner_known references forge.account (id) on delete cascade,
  repository_id bigint
    constraint action_runner_token_repository_known references forge.repository (id) on delete cascade,
  is_active boolean not null default true,
  created_at timestamptz(3) not null,
  -- SHA-256 of the token.
  token_hash bytea constraint action_runner_token_size_of_hash check (octet_length(token_hash) = 32) not null,
  -- Key id, nonce, tag and text (db/encryption/secrets.ts).
  sealed bytea,
  constraint action_runner_token_unique unique (token),
  constraint action_runner_token_one_scope check (owner_id is null or repository_id is null),
  constraint action_runner_token_present check (num_nonnulls(sealed, token) > 0),
  constraint action_runner_token_hash_unique unique (token_hash)
);

-- A scope has one active token, however many ask for it at once.
create unique index action_runner_token_one_active
  on forge.action_runner_token (coalesce(owner_id, 0), coalesce(repository_id, 0)) where is_active;

create index action_runner_token_of_owner on forge.action_runner_token (owner_id) where owner_id is not null;

create index action_runner_token_of_repository on forge.action_runner_token (repository_id)
  where repository_id is not null;

-- What is left in clear. Nothing, so a start finds that out without reading the table.
create index action_runner_token_in_clear on forge.action_runner_token (id) where token is not null;

-- A job in the hands of a runner. Given back, it is removed; otherwise it stays with its job.
create table forge.action_task (
  -- Never used again, since runners know tasks by it.
  id bigint generated always as identity constraint action_task_pkey primary key,
  job_id bigint not null constraint action_task_job_unique unique
    constraint action_task_job_known references forge.action_job (id) on delete cascade,
  -- Without a reference: who did a job is told when the runner is long gone.
  runner_id bigint not null,
  runner_name text not null,
  -- SHA-256 of the token that the job's own calls are made with.
  token_hash bytea not null constraint action_task_token_size check (octet_length(token_hash) = 32),
  status forge.action_status not null,
  started_at timestamptz(3) not null,
  stopped_at timestamptz(3),
  -- Lines that were accepted; it never goes down. Bytes that are kept.
  log_lines bigint not null default 0,
  log_bytes bigint not null default 0,
  -- No more lines are taken.
  log_sealed boolean not null default false,
  -- The lines were removed because of their age.
  log_expired boolean not null default false,
  created_at timestamptz(3) not null,
  -- The last sign of life of the runner about it.
  updated_at timestamptz(3) not null,
  -- The sentence that the log of a task ends with when the server ended it. It is not a line of the log itself, because
  -- runners count lines, and a late runner would take the line for one of its own. Empty: the runner ended the task.
  end_note text not null default '',
  constraint action_task_token_unique unique (token_hash),
  constraint action_task_status_of_task check (status not in ('requested', 'blocked', 'queued')),
  constraint action_task_stopped check ((stopped_at is null) = (status in ('in_progress', 'cancelling')))
) with (fillfactor = 70);

create index action_task_of_runner on forge.action_task (runner_id, id);

-- Whose log waits for its seal, and whose is old enough to be removed.
create index action_task_unsealed on forge.action_task (stopped_at) where not log_sealed and stopped_at is not null;

create index action_task_with_log on forge.action_task (stopped_at) where not log_expired and stopped_at is not null;

create index action_task_open on forge.action_task (id) where status in ('in_progress', 'cancelling');

create table forge.action_step (
  task_id bigint not null constraint action_step_task_known references forge.action_task (id) on delete cascade,
  -- From 0, as the API prints it.
  number integer not null,
  name text not null constraint action_step_name_size check (char_length(name) <= 255),
  status forge.action_status not null default 'queued',
  -- Its lines in the log of the task: the first one, and how many.
  log_index bigint not null default 0,
  log_length bigint not null default 0,
  started_at timestamptz(3),
  stopped_at timestamptz(3),
  constraint action_step_pkey primary key (task_id, number)
);

-- Lines of the log as they came, several to a row. Lines are counted from 0 over the whole task; a piece begins where the
-- one before it ended, and the key refuses a second one for the same lines.
create table forge.action_log (
  task_id bigint not null constraint action_log_task_known references forge.action_task (id) on delete cascade,
  first_line bigint not null,
  lines integer not null constraint action_log_lines_positive check (lines > 0),
  -- Each line with its moment before it and a line feed behind it; secrets are masked.
  content text not null,
  constraint action_log_pkey primary key (task_id, first_line)
);

create table forge.action_output (
  task_id bigint not null constraint action_output_task_known references forge.action_task (id) on delete cascade,
  -- At most 255 and 1,048,576 bytes; an output that is longer is known by its name and has no value.
  key text collate "C" not null constraint action_output_key_size check (octet_length(key) <= 255),
  value text constraint action_output_value_size check (octet_length(value) <= 1048576),
  constraint action_output_pkey primary key (task_id, key)
);

-- A number that grows whenever a runner that found nothing may find something now. It is a sum over rows, so that
-- transactions that make jobs do not wait for each other.
create table forge.action_tasks_version (
  slot smallint constraint action_tasks_version_pkey primary key,
  version bigint not null
) with (fillfactor = 50);

create function forge.bump_tasks_version() returns void language sql as $$
  insert into forge.action_tasks_version as kept (slot, version)
  values (pg_backend_pid() % 16, 1)
  on conflict on constraint action_tasks_version_pkey do update set version = kept.version + 1
$$;

-- Whoever writes jobs cannot forget it: it is done for each statement after which a job is ready that was not before.
create function forge.jobs_became_ready() returns trigger language plpgsql as $$
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

create trigger action_job_ready_insert after insert on forge.action_job
referencing new table as come for each statement execute function forge.jobs_became_ready();

create trigger action_job_ready_update after update on forge.action_job
referencing old table as gone new table as come for each statement execute function forge.jobs_became_ready();

-- Waiting jobs come to other runners when their repository comes to another owner, or switches Actions on.
create function forge.jobs_moved() returns trigger language plpgsql as $$
begin
  perform forge.bump_tasks_version();
  return null;
end
$$;

create trigger action_jobs_moved after update of owner_id, settings on forge.repository
for each row when (old.owner_id is distinct from new.owner_id or old.settings is distinct from new.settings)
execute function forge.jobs_moved();

-- Events that are still to be looked at for workflows. Written in the transaction that caused them, removed in the
-- transaction that made runs of them.
create table forge.action_trigger (
  id bigint generated always as identity constraint action_trigger_pkey primary key,
  repository_id bigint not null
    constraint action_trigger_repository_known references forge.repository (id) on delete cascade,
  -- push, workflow_dispatch, schedule
  kind text collate "C" not null constraint action_trigger_kind_present check (kind <> ''),
  ref text collate "C" not null,
  -- Commits that the ref pointed to; null where there is none.
  before text collate "C",
  after text collate "C",
  actor_id bigint constraint action_trigger_actor_known references forge.account (id) on delete set null,
  by_bot boolean not null default false,
  -- What `github.event` will be.
  payload json not null,
  created_at timestamptz(3) not null,
  -- When it may be looked at; moved on when that failed.
  due_at timestamptz(3) not null,
  failures integer not null default 0,
  last_error text,
  -- The process that has the trigger. It moves due_at on while it works, so that others know within a minute when it has
  -- died; so due_at cannot be the mark.
  claim uuid
);

create index action_trigger_due on forge.action_trigger (due_at, id);

create index action_trigger_of_repository on forge.action_trigger (repository_id);

create index action_trigger_of_actor on forge.action_trigger (actor_id) where actor_id is not null;

-- The moments at which workflows of default branches start by themselves; written anew with each push to such a branch.
create table forge.action_schedule (
  id bigint generated always as identity constraint action_schedule_pkey primary key,
  repository_id bigint not null
    constraint action_schedule_repository_known references forge.repository (id) on delete cascade,
  workflow_file text collate "C" not null,
  ref text collate "C" not null,
  commit_sha text collate "C" not null,
  -- As it is written in the workflow.
  cron text collate "C" not null,
  next_at timestamptz(3) not null,
  previous_at timestamptz(3),
  created_at timestamptz(3) not null
);

create index action_schedule_due on forge.action_schedule (next_at, id);

create index action_schedule_of_repository on forge.action_schedule (repository_id, id);

-- Workflows that somebody has switched off in a repository.
create table forge.action_disabled_workflow (
  repository_id bigint not null
    constraint action_disabled_workflow_repository_known references forge.repository (id) on delete cascade,
  workflow_file text collate "C" not null,
  constraint action_disabled_workflow_pkey primary key (repository_id, workflow_file)
);

-- Secrets and variables: what jobs of Actions are given beside their workflow.
--
-- Both belong to an account (a user or an organization) and reach jobs in all its repositories, or to one repository.
-- Their names are in upper case; null is a value here, so that one constraint says "once in each scope".
create table forge.secret (
  -- "by default" and not "always": what is sealed names its row, so the id is drawn before the row is written.
  id bigint generated by default as identity constraint secret_pkey primary key,
  owner_id bigint constraint secret_owner_known references forge.account (id) on delete cascade,
  repository_id bigint constraint secret_repository_known references forge.repository (id) on delete cascade,
  name text collate "C" not null
    constraint secret_name_syntax check (name ~ '^[A-Z_][A-Z0-9_]*$' and char_length(name) <= 255),
  description text not null,
  -- Encrypted (db/encryption/secrets.ts): key id, nonce, tag and text.
  sealed bytea not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  -- There are no secrets for everybody: whoever can make a repository could print them.
  constraint secret_belongs check (num_nonnulls(owner_id, repository_id) = 1),
  constraint secret_name_unique unique nulls not distinct (owner_id, repository_id, name)
);

-- The lists, in order of id; also for the removal of an account or a repository.
create index secret_of_owner on forge.secret (owner_id, id) where owner_id is not null;

create index secret_of_repository on forge.secret (repository_id, id) where repository_id is not null;

create table forge.action_variable (
  id bigint generated always as identity constraint action_variable_pkey primary key,
  owner_id bigint constraint action_variable_owner_known references forge.account (id) on delete cascade,
  repository_id bigint constraint action_variable_repository_known
    references forge.repository (id) on delete cascade,
  name text collate "C" not null
    constraint action_variable_name_syntax check (name ~ '^[A-Z_][A-Z0-9_]*$' and char_length(name) <= 255),
  value text not null constraint action_variable_value_size check (char_length(value) <= 65536),
  description text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  -- Neither: for the jobs of everybody.
  constraint action_variable_belongs check (num_nonnulls(owner_id, repository_id) <= 1),
  constraint action_variable_name_unique unique nulls not distinct (owner_id, repository_id, name)
);

create index action_variable_of_owner on forge.action_variable (owner_id, id) where owner_id is not null;

create index action_variable_of_repository on forge.action_variable (repository_id, id)
  where repository_id is not null;

create index action_variable_of_everybody on forge.action_variable (id)
  where owner_id is null and repository_id is null;

-- Queues an event with the jobs that a statement has made or changed the state of.
create function forge.tell_of_jobs() returns trigger language plpgsql as $$
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

create trigger action_job_told_insert after insert on forge.action_job
referencing new table as come for each statement execute function forge.tell_of_jobs();

create trigger action_job_told_update after update on forge.action_job
referencing old table as gone new table as come for each statement execute function forge.tell_of_jobs();

create function forge.tell_of_run() returns trigger language plpgsql as $$
begin
  insert into forge.event (kind, payload, created_at, due_at)
  values ('run.changed', json_build_object('run', new.id, 'attempt', new.attempt, 'status', new.status), new.updated_at,
    new.updated_at);
  return null;
end
$$;

create trigger action_run_told_insert after insert on forge.action_run
for each row execute function forge.tell_of_run();

create trigger action_run_told_update after update of status on forge.action_run
for each row when (old.status <> new.status) execute function forge.tell_of_run();

-- What was said of a commit. The newest row of each context counts.
create table forge.commit_status (
  id bigint generated always as identity constraint commit_status_pkey primary key,
  repository_id bigint not null
    constraint commit_status_repository_known references forge.repository (id) on delete cascade,
  commit_sha text collate "C" not null,
  context text not null constraint commit_status_context_size check (char_length(context) between 1 and 500),
  state text collate "C" not null
    constraint commit_status_state_known check (state in ('pending', 'success', 'error', 'failure', 'warning', 'skipped')),
  description text not null default '',
  target_url text not null default '',
  -- Null: the account is gone, or nobody said it (by_bot).
  creator_id bigint constraint commit_status_creator_known references forge.account (id) on delete set null,
  by_bot boolean not null default false,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);

create index commit_status_of_commit on forge.commit_status (repository_id, commit_sha, context, id desc);

create index commit_status_of_creator on forge.commit_status (creator_id) where creator_id is not null;

-- How many runs and jobs there are in each state: kept, because counting a million rows costs more than a page of them.
--
-- Every claim and every end of a job changes two of these numbers, in transactions that go on to lock a run. If they
-- updated the numbers, they would wait for each other, and two of them in a circle. So they only add rows that say by how
-- much a number has changed, which nobody waits for; now and then one of them folds these rows into the numbers. A total
-- is the number and what has not been folded into it yet.
create table forge.action_tally (
  kind text collate "C" not null constraint action_tally_kind_known check (kind in ('job', 'run')),
  -- 0: all repositories together. Without a reference, since the rows of a repository go before their numbers do.
  repository_id bigint not null,
  status forge.action_status not null,
  -- Of runs; jobs have none of their own.
  event text collate "C" not null default '',
  amount bigint not null,
  constraint action_tally_pkey primary key (kind, repository_id, status, event)
) with (fillfactor = 50);

create table forge.action_tally_change (
  id bigint generated always as identity constraint action_tally_change_pkey primary key,
  kind text collate "C" not null,
  repository_id bigint not null,
  status forge.action_status not null,
  event text collate "C" not null default '',
  difference bigint not null
);

-- Folds what has piled up. Whoever comes while somebody else is at it has nothing to do, so nobody ever waits here; what
-- is not committed yet is left for later.
create function forge.fold_action_tally() returns void language plpgsql as $$
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

-- One change in fifty folds: often enough for some hundred rows to lie there at most, however busy the forge is.
create function forge.fold_action_tally_sometimes() returns void language plpgsql as $$
begin
  if random() < 0.02 then
    perform forge.fold_action_tally();
  end if;
end
$$;

create function forge.note_jobs() returns trigger language plpgsql as $$
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

create trigger action_job_tally_insert after insert on forge.action_job
referencing new table as come for each statement execute function forge.note_jobs();

create trigger action_job_tally_delete after delete on forge.action_job
referencing old table as gone for each statement execute function forge.note_jobs();

create trigger action_job_tally_update after update on forge.action_job
referencing old table as gone new table as come for each statement execute function forge.note_jobs();

create function forge.note_runs() returns trigger language plpgsql as $$
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

create trigger action_run_tally_insert after insert on forge.action_run
referencing new table as come for each statement execute function forge.note_runs();

create trigger action_run_tally_delete after delete on forge.action_run
referencing old table as gone for each statement execute function forge.note_runs();

create trigger action_run_tally_update after update on forge.action_run
referencing old table as gone new table as come for each statement execute function forge.note_runs();

-- What pushes have asked for and nobody has told of yet: written before git may move a ref, removed by the transaction
-- that writes the events. What a crash left is held against the disk, and told then. A row for each ref, so that whoever
-- removes one tells of it, and nobody else. Hardly more rows than there are pushes under way.
create table forge.push_journal (
  repository_id bigint not null
    constraint push_journal_repository_known references forge.repository (id) on delete cascade,
  push uuid not null,
  -- In the order of the client.
  place bigint not null,
  account_id bigint not null
    constraint push_journal_account_known references forge.account (id) on delete cascade,
  ref text collate "C" not null,
  before text collate "C" not null,
  after text collate "C" not null,
  begun_at timestamptz(3) not null,
  -- Who tells of a moved ref removed what other pushes wanted from it at the same place, because that could not come to pass
  -- any more. It can, when the ref is moved back before the other push has come to its end. So such a row stays, marked:
  -- the disk proves nothing about it any more, but git's own word, which its process hears, does.
  is_overtaken boolean not null default false,
  -- `X-Request-Id` of the request that pushed: a push that another request, or another process after a crash, publishes has the
  -- id of its own request in its events.
  request_id text,
  -- Without the ref, which may be longer than an index bears in a repository of somebody else's making.
  constraint push_journal_pkey primary key (repository_id, push, place)
);

create index push_journal_of_account on forge.push_journal (account_id);

-- What is left behind, the oldest first.
create index push_journal_by_age on forge.push_journal (begun_at);

create function forge.hash_registration_token() returns trigger
language plpgsql
as $$
begin
  new.token_hash := sha256(convert_to(new.token, 'UTF8'));
  return new;
end
$$;

create trigger action_runner_token_hashed
before insert on forge.action_runner_token
for each row
when (new.token is not null)
execute function forge.hash_registration_token();

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

-- Members of teams watch the repositories that their teams have, without being asked.

-- Accounts that stopped watching a repository, or never wanted to: they do not begin to watch it automatically. Their own
-- wish to watch it again removes the row.
create table forge.repository_unwatch (
  repository_id bigint not null
    constraint repository_unwatch_repository_known references forge.repository (id) on delete cascade,
  account_id bigint not null
    constraint repository_unwatch_account_known references forge.account (id) on delete cascade,
  constraint repository_unwatch_pkey primary key (repository_id, account_id)
);

create index repository_unwatch_of_account on forge.repository_unwatch (account_id);

-- Whom the texts of an issue and of its comments mention, so that lists can be narrowed to issues that mention somebody.
-- A mention is kept for as long as the issue: a comment that is edited or deleted takes none away.
create table forge.issue_mention (
  issue_id bigint not null constraint issue_mention_issue_known references forge.issue (id) on delete cascade,
  account_id bigint not null
    constraint issue_mention_account_known references forge.account (id) on delete cascade,
  constraint issue_mention_pkey primary key (issue_id, account_id)
);

-- The issues that mention an account, and the mentions that go with an account.
create index issue_mention_of_account on forge.issue_mention (account_id, issue_id);

-- Sessions of administrators in browsers, for the page that manages the site. The cookie holds a random secret; the table
-- holds its hash alone, so that nobody who reads the table can take over a session.
create table forge.web_session (
  hash text
    constraint web_session_pkey primary key
    constraint web_session_hash_form check (hash ~ '^[0-9a-f]{64}$'),
  account_id bigint not null constraint web_session_account_known references forge.account (id) on delete cascade,
  -- The token that was presented; a session ends with its token. Null: a password was.
  token_id bigint constraint web_session_token_known references forge.access_token (id) on delete cascade,
  -- A hash of the password's record: a session ends when the password changes.
  password_hash text constraint web_session_has_credential check ((token_id is null) = (password_hash is not null)),
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  -- When the account was enrolled for one-time codes as the session began; null: it was not. A session ends when that changes:
  -- whoever enrols an account wants a code from everybody.
  totp_enrolled_at timestamptz(3),
  -- The name of a session in addresses and forms, which says nothing of its secret.
  id bigint generated always as identity,
  -- Browser and system in words, `Firefox on Linux`; null: an early release made the session.
  browser text
);

-- For the removal of accounts and tokens, and of sessions that have expired.
create index web_session_of_account on forge.web_session (account_id);

create index web_session_of_token on forge.web_session (token_id) where token_id is not null;

create index web_session_expiring on forge.web_session (expires_at);

-- Sessions end for good when something about their account changes, whoever changes it (a request, a command, an operator's
-- statement): a session must not live again when its account may sign in again.
create function forge.end_web_sessions() returns trigger language plpgsql as $$
begin
  delete from forge.web_session where account_id = new.id;
  return null;
end
$$;

create trigger account_barred after update of is_active, prohibit_login, must_change_password on forge.account
  for each row when (
    (old.is_active and not new.is_active)
    or (new.prohibit_login and not old.prohibit_login)
    or (new.must_change_password and not old.must_change_password))
  execute function forge.end_web_sessions();

-- Nor when the account is released from one-time codes; the column above ends a session that began at the same moment. Another
-- key for the secret (`secret rekey`) is no other enrolment.
create function forge.end_web_sessions_of_totp() returns trigger language plpgsql as $$
begin
  delete from forge.web_session where account_id = coalesce(new.account_id, old.account_id);
  return null;
end
$$;

create trigger totp_enrolled after insert or delete or update of created_at on forge.totp
  for each row execute function forge.end_web_sessions_of_totp();

-- The secrets that a task received, as they were then: they are masked in its log and dropped from its outputs, also after one
-- was changed or deleted, after the repository got another owner, and in another process. Removed an hour after the task.
create table forge.action_task_secret (
  task_id bigint
    constraint action_task_secret_pkey primary key
    constraint action_task_secret_task_known references forge.action_task (id) on delete cascade,
  -- A JSON array of the values.
  sealed bytea not null
);

-- The same as forge.accounts_like, for a pattern that forge.fold has made and that has a letter beyond ASCII.
create function forge.accounts_like_folded(pattern text, most integer) returns setof bigint language sql stable rows 100
set enable_seqscan = off set jit = off as $$
  select id
  from forge.account
  where full_name || email ~ '[^\x01-\x7f]'
    and forge.grams(forge.fold(full_name || chr(10) || email)) @> forge.grams_of_pattern(pattern)
    and (forge.fold(full_name) like pattern escape '' or forge.fold(email) like pattern escape '')
  limit most
$$;

-- Milestones: what issues of a repository are to be done together, and until when.
create table forge.milestone (
  id bigint generated always as identity constraint milestone_pkey primary key,
  repository_id bigint not null
    constraint milestone_repository_known references forge.repository (id) on delete cascade,
  title text not null constraint milestone_title_size check (char_length(title) <= 255),
  description text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  -- Null: it has no end.
  due_at timestamptz(3),
  -- Null: it is open.
  closed_at timestamptz(3),
  -- Counted by triggers on forge.issue, because every answer with an issue of the milestone shows them.
  open_issues bigint not null default 0 constraint milestone_open_issues_not_negative check (open_issues >= 0),
  closed_issues bigint not null default 0 constraint milestone_closed_issues_not_negative check (closed_issues >= 0)
);

alter table forge.issue add
  constraint issue_milestone_known foreign key (milestone_id) references forge.milestone (id) on delete set null;

-- The order of the list.
create index milestone_of_repository on forge.milestone (repository_id, due_at nulls first, title collate "C", id);

create index milestone_by_title on forge.milestone (title);

create function forge.count_milestone_issues() returns trigger language plpgsql as $$
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

-- Triggers run in the order of their names: these come after issue_number, issue_removal and issue_state, so that every
-- transaction locks the row of the repository before those of milestones.
create trigger issue_tally_insert after insert on forge.issue
for each row when (new.milestone_id is not null) execute function forge.count_milestone_issues();

create trigger issue_tally_update after update of milestone_id, closed_at on forge.issue
for each row when (
  old.milestone_id is distinct from new.milestone_id
  or (new.milestone_id is not null and (old.closed_at is null) <> (new.closed_at is null))
) execute function forge.count_milestone_issues();

create trigger issue_tally_delete after delete on forge.issue
for each row when (old.milestone_id is not null) execute function forge.count_milestone_issues();

-- Releases. A release has a name of a tag, which a draft need not have in git yet; tags without a release have no row.
create table forge.release (
  id bigint generated always as identity constraint release_pkey primary key,
  repository_id bigint not null
    constraint release_repository_known references forge.repository (id) on delete cascade,
  -- Git allows longer ones, which no file system takes.
  tag_name text collate "C" not null
    constraint release_tag_name_length check (char_length(tag_name) between 1 and 255),
  key text collate "C" generated always as (lower(tag_name)) stored not null,
  -- As it was sent: where the tag is made if it is missing.
  target text collate "C" not null,
  name text collate "C" not null constraint release_name_length check (char_length(name) <= 255),
  body text not null,
  is_draft boolean not null,
  is_prerelease boolean not null,
  author_id bigint constraint release_author_known references forge.account (id) on delete set null,
  -- When its tag was made, which may be long before it was released; lists are in this order.
  created_at timestamptz(3) not null,
  -- One release for a tag, in any case, as clients of Gitea expect.
  constraint release_tag_unique unique (repository_id, key)
);

-- Lists of releases.
create index release_by_time on forge.release (repository_id, created_at desc, id desc);

-- Deleting an account looks for its releases.
create index release_of_author on forge.release (author_id) where author_id is not null;

-- Files of releases, issues and comments: each file belongs to exactly one of these. Contents are those of packages: equal
-- ones are stored once, and the foreign key keeps the clean-up from removing contents that are used here.
create table forge.attachment (
  id bigint generated always as identity constraint attachment_pkey primary key,
  -- Names it in the address of its download.
  uuid uuid not null constraint attachment_uuid_unique unique,
  release_id bigint constraint attachment_release_known references forge.release (id) on delete cascade,
  name text collate "C" not null constraint attachment_name_length check (char_length(name) between 1 and 255),
  blob text collate "C" not null constraint attachment_blob_known references forge.package_blob (sha256),
  uploader_id bigint constraint attachment_uploader_known references forge.account (id) on delete set null,
  download_count bigint not null default 0,
  created_at timestamptz(3) not null,
  issue_id bigint constraint attachment_issue_known references forge.issue (id) on delete cascade,
  comment_id bigint constraint attachment_comment_known references forge.issue_comment (id) on delete cascade
);

create index attachment_of_release on forge.attachment (release_id, id);

-- Whether a content is used.
create index attachment_of_blob on forge.attachment (blob);

create index attachment_of_uploader on forge.attachment (uploader_id) where uploader_id is not null;

-- Every answer with an issue or a comment shows their files.
create index attachment_of_issue on forge.attachment (issue_id, id) where issue_id is not null;

create index attachment_of_comment on forge.attachment (comment_id, id) where comment_id is not null;

create function forge.count_releases() returns trigger language plpgsql as $$
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

create trigger release_counted after insert or delete on forge.release
for each row execute function forge.count_releases();

create trigger release_recounted after update on forge.release
for each row when (old.is_draft <> new.is_draft) execute function forge.count_releases();

-- Labels of an organization, which the issues of all its repositories may have.
create table forge.organization_label (
  -- From the sequence of forge.repository_label: requests name labels of both kinds by their ids alone.
  id bigint not null default nextval('forge.repository_label_id_seq')
    constraint organization_label_pkey primary key,
  organization_id bigint not null
    constraint organization_label_organization_known references forge.account (id) on delete cascade,
  name text not null constraint organization_label_name_present check (name <> ''),
  color text collate "C" not null constraint organization_label_color_form check (color ~ '^[0-9a-f]{6}$'),
  description text not null default '',
  exclusive boolean not null default false,
  exclusive_order integer not null default 0,
  is_archived boolean not null default false
);

create index organization_label_of_organization on forge.organization_label (organization_id, id);

create index organization_label_by_name on forge.organization_label (md5(name));

-- An issue has labels of the organization that owns its repository: who adds one locks the repository against a change
-- of its owner, and the trigger below removes them when it has another one.
create table forge.issue_organization_label (
  issue_id bigint not null
    constraint issue_organization_label_issue_known references forge.issue (id) on delete cascade,
  label_id bigint not null
    constraint issue_organization_label_label_known references forge.organization_label (id) on delete cascade,
  constraint issue_organization_label_pkey primary key (issue_id, label_id)
);

create index issue_organization_label_of_label on forge.issue_organization_label (label_id, issue_id);

create function forge.remove_labels_of_former_owner() returns trigger language plpgsql as $$
begin
  delete from forge.issue_organization_label
  where issue_id in (select id from forge.issue where repository_id = new.id);
  return null;
end
$$;

create trigger repository_owner_labels after update of owner_id on forge.repository
for each row when (old.owner_id is distinct from new.owner_id)
execute function forge.remove_labels_of_former_owner();

-- The pinned issues of a repository, which lists show before all others. Whoever changes them locks the repository, so that
-- there are never too many and two do not have one place.
create table forge.issue_pin (
  issue_id bigint constraint issue_pin_pkey primary key,
  repository_id bigint not null,
  -- Their order, from 1; places of issues that were deleted stay free.
  place integer not null,
  constraint issue_pin_issue_known foreign key (issue_id, repository_id)
    references forge.issue (id, repository_id) on delete cascade
);

create index issue_pin_of_repository on forge.issue_pin (repository_id, place, issue_id);

-- Stars: which accounts like which repositories.
create table forge.repository_star (
  repository_id bigint not null
    constraint repository_star_repository_known references forge.repository (id) on delete cascade,
  account_id bigint not null
    constraint repository_star_account_known references forge.account (id) on delete cascade,
  created_at timestamptz(3) not null,
  constraint repository_star_pkey primary key (repository_id, account_id)
);

-- What an account has starred; also for the deletion of accounts.
create index repository_star_of_account on forge.repository_star (account_id, repository_id);

-- Counts the stars of repositories and of accounts. The rows are locked in the order of their ids, repositories first, as
-- all others lock them, so that two such statements do not wait for each other.
create function forge.count_stars() returns trigger language plpgsql as $$
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

create trigger repository_star_insert after insert on forge.repository_star
referencing new table as changed for each statement execute function forge.count_stars();

create trigger repository_star_delete after delete on forge.repository_star
referencing old table as changed for each statement execute function forge.count_stars();

-- Deploy keys: SSH keys of a repository, in normal form.
create table forge.deploy_key (
  id bigint generated always as identity constraint deploy_key_pkey primary key,
  repository_id bigint not null
    constraint deploy_key_repository_known references forge.repository (id) on delete cascade,
  -- The same for the same key in several repositories: the id of the first of these rows.
  key_id bigint not null,
  title text not null constraint deploy_key_title_present check (title <> ''),
  content text not null,
  -- `SHA256:` and base64.
  fingerprint text collate "C" not null,
  is_read_only boolean not null,
  created_at timestamptz(3) not null,
  constraint deploy_key_fingerprint_unique unique (repository_id, fingerprint)
);

create index deploy_key_of_repository on forge.deploy_key (repository_id, id);

-- For the same key in other repositories, and for keys of users.
create index deploy_key_by_fingerprint on forge.deploy_key (fingerprint);

-- Titles have no greatest length, and an index entry has: hence the hash.
create unique index deploy_key_title_unique on forge.deploy_key (repository_id, md5(title));

-- A key says who uses it, so it belongs to a user or to repositories, never to both. One key is added at a time: the
-- second of two transactions sees the key of the first. Each statement of this function reads what was committed before it.
create function forge.keep_keys_apart() returns trigger language plpgsql as $$
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

create trigger ssh_key_apart before insert on forge.ssh_key
for each row execute function forge.keep_keys_apart();

create trigger deploy_key_apart before insert on forge.deploy_key
for each row execute function forge.keep_keys_apart();

-- Which issues wait for which others, also those of other repositories.
create table forge.issue_dependency (
  issue_id bigint not null
    constraint issue_dependency_issue_known references forge.issue (id) on delete cascade,
  -- What it waits for: while that is open, the issue cannot be closed.
  dependency_id bigint not null
    constraint issue_dependency_dependency_known references forge.issue (id) on delete cascade,
  created_at timestamptz(3) not null,
  constraint issue_dependency_pkey primary key (issue_id, dependency_id),
  constraint issue_dependency_not_itself check (issue_id <> dependency_id)
);

-- What waits for an issue.
create index issue_dependency_of_dependency on forge.issue_dependency (dependency_id, issue_id);

-- Rules that say who may change which branches and tags of a repository.

-- Of the rules whose name matches a branch, the first one counts: by priority, names before globs, older ones first.
create table forge.branch_protection (
  id bigint generated always as identity constraint branch_protection_pkey primary key,
  repository_id bigint not null
    constraint branch_protection_repository_known references forge.repository (id) on delete cascade,
  -- The name of a branch, or a glob.
  rule_name text collate "C" not null,
  priority bigint not null,
  enable_push boolean not null,
  enable_push_whitelist boolean not null,
  push_whitelist_deploy_keys boolean not null,
  enable_force_push boolean not null,
  enable_force_push_allowlist boolean not null,
  force_push_allowlist_deploy_keys boolean not null,
  enable_merge_whitelist boolean not null,
  enable_bypass_allowlist boolean not null,
  enable_status_check boolean not null,
  status_check_contexts text[] not null,
  required_approvals bigint not null,
  enable_approvals_whitelist boolean not null,
  block_on_rejected_reviews boolean not null,
  block_on_official_review_requests boolean not null,
  block_on_outdated_branch boolean not null,
  dismiss_stale_approvals boolean not null,
  ignore_stale_approvals boolean not null,
  require_signed_commits boolean not null,
  block_admin_merge_override boolean not null,
  -- Globs, separated by semicolons.
  protected_file_patterns text not null,
  unprotected_file_patterns text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  -- Paths of the API name a rule by it. Also finds the rules of a repository.
  constraint branch_protection_rule_name_unique unique (repository_id, rule_name)
);

-- The accounts on the lists of a rule.
create table forge.branch_protection_account (
  protection_id bigint not null
    constraint branch_protection_account_protection_known references forge.branch_protection (id) on delete cascade,
  list text collate "C" not null
    constraint branch_protection_account_list_known check (list in ('push', 'force_push', 'merge', 'bypass', 'approvals')),
  account_id bigint not null
    constraint branch_protection_account_account_known references forge.account (id) on delete cascade,
  constraint branch_protection_account_pkey primary key (protection_id, list, account_id)
);

create index branch_protection_of_account on forge.branch_protection_account (account_id);

-- The teams on the lists of a rule. Those of a former owner stay and count for nothing.
create table forge.branch_protection_team (
  protection_id bigint not null
    constraint branch_protection_team_protection_known references forge.branch_protection (id) on delete cascade,
  list text collate "C" not null
    constraint branch_protection_team_list_known check (list in ('push', 'force_push', 'merge', 'bypass', 'approvals')),
  team_id bigint not null
    constraint branch_protection_team_team_known references forge.team (id) on delete cascade,
  constraint branch_protection_team_pkey primary key (protection_id, list, team_id)
);

create index branch_protection_of_team on forge.branch_protection_team (team_id);

-- Only those on the lists of one of the rules that match a tag may create, move or delete it.
create table forge.tag_protection (
  id bigint generated always as identity constraint tag_protection_pkey primary key,
  repository_id bigint not null
    constraint tag_protection_repository_known references forge.repository (id) on delete cascade,
  -- A glob, or a regular expression between slashes.
  name_pattern text collate "C" not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  -- Also finds the rules of a repository.
  constraint tag_protection_name_pattern_unique unique (repository_id, name_pattern)
);

create table forge.tag_protection_account (
  protection_id bigint not null
    constraint tag_protection_account_protection_known references forge.tag_protection (id) on delete cascade,
  account_id bigint not null
    constraint tag_protection_account_account_known references forge.account (id) on delete cascade,
  constraint tag_protection_account_pkey primary key (protection_id, account_id)
);

create index tag_protection_of_account on forge.tag_protection_account (account_id);

create table forge.tag_protection_team (
  protection_id bigint not null
    constraint tag_protection_team_protection_known references forge.tag_protection (id) on delete cascade,
  team_id bigint not null
    constraint tag_protection_team_team_known references forge.team (id) on delete cascade,
  constraint tag_protection_team_pkey primary key (protection_id, team_id)
);

create index tag_protection_of_team on forge.tag_protection_team (team_id);

-- What happened to issues, besides comments: their timelines show both together.
create table forge.issue_event (
  -- From the sequence of comments: a timeline shows both kinds, and clients tell its entries apart by their ids.
  id bigint not null default nextval('forge.issue_comment_id_seq') constraint issue_event_pkey primary key,
  issue_id bigint not null constraint issue_event_issue_known references forge.issue (id) on delete cascade,
  -- The name of the kind in the API.
  type text collate "C" not null constraint issue_event_type_size check (char_length(type) between 1 and 50),
  -- Ids of accounts, labels, milestones and issues are no references: what has been deleted since is shown as missing, and
  -- history does not stand in the way of changes.
  actor_id bigint not null,
  -- What was given or taken: a label, an account, a milestone or another issue, as the type says.
  subject_id bigint,
  -- The milestone before.
  old_subject_id bigint,
  -- The title, ref or day before, and the one after; the reason of a lock.
  old_text text not null default '',
  new_text text not null default '',
  -- Whether a label or an assignee was taken away.
  is_removal boolean not null default false,
  created_at timestamptz(3) not null
);

-- The order of a timeline.
create index issue_event_of_issue on forge.issue_event (issue_id, created_at, id);

-- What people see and change of their own second factor and their browsers.

-- Codes that each take the place of a one-time code once, for whoever has lost the device that shows those. They belong to an
-- enrolment and go with it.
create table forge.recovery_code (
  account_id bigint not null
    constraint recovery_code_enrolment_known references forge.totp (account_id) on delete cascade,
  -- SHA-256 of a code, in hexadecimal: a code has 80 random bits.
  hash text collate "C" not null constraint recovery_code_hash_form check (hash ~ '^[0-9a-f]{64}$'),
  -- When it was used; null: it was not.
  used_at timestamptz(3),
  constraint recovery_code_pkey primary key (account_id, hash)
);

-- Which events about issues the workflows on the default branch of a repository wait for. Most wait for none: an event that
-- none waits for needs no look at the files of the branch.
create table forge.action_listening (
  repository_id bigint not null constraint action_listening_pkey primary key
    constraint action_listening_repository_known references forge.repository (id) on delete cascade,
  -- The default branch when its files were read. A row of another branch says nothing, and neither does a missing one.
  branch text collate "C" not null,
  events text[] collate "C" not null
);

-- Pictures that publishers send instead of an address. Contents are those of packages: equal ones are stored once, and the
-- foreign key keeps the clean-up from removing a picture that is used.
create table forge.site_picture (
  -- Names it in its address.
  uuid uuid constraint site_picture_pkey primary key,
  blob text collate "C" not null constraint site_picture_blob_known references forge.package_blob (sha256),
  -- The media type, as the bytes have it.
  type text collate "C" not null,
  created_at timestamptz(3) not null,
  -- A small picture of a picture, for lists; whoever sends the picture may send it. It is a picture like any other, so that
  -- clean-up, backups and checks of contents know it already. It goes with the picture that it is of.
  thumbnail_of uuid constraint site_picture_thumbnail_of_known references forge.site_picture (uuid) on delete cascade
);

-- Whether a content is used.
create index site_picture_of_blob on forge.site_picture (blob);

-- Lists find it by its picture.
create index site_picture_of_picture on forge.site_picture (thumbnail_of) where thumbnail_of is not null;

-- Follows: which users follow which accounts.
create table forge.follow (
  account_id bigint not null
    constraint follow_account_known references forge.account (id) on delete cascade,
  followed_id bigint not null
    constraint follow_followed_known references forge.account (id) on delete cascade,
  created_at timestamptz(3) not null,
  constraint follow_pkey primary key (account_id, followed_id),
  constraint follow_of_another check (account_id <> followed_id)
);

-- Who follows an account; also for the deletion of accounts.
create index follow_of_followed on forge.follow (followed_id, account_id);

-- Counts both sides; accounts have had the numbers from the beginning. The rows are locked in the order of their ids, so
-- that two such statements do not wait for each other.
create function forge.count_follows() returns trigger language plpgsql as $$
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

create trigger follow_insert after insert on forge.follow
referencing new table as changed for each statement execute function forge.count_follows();

create trigger follow_delete after delete on forge.follow
referencing old table as changed for each statement execute function forge.count_follows();

-- Whether a text has a pattern that forge.fold has made: the same answer as forge.fold(written) like pattern, without the
-- rules of Unicode for nearly all texts, which take twenty times as long. A call is replaced by its body, because the
-- function is not strict; calls of forge.fold cannot be. None of the characters in the class is composed with a neighbour or
-- has more than one character as its lower case, and none but ASCII letters has an ASCII letter as its lower case. So the
-- rules of ASCII suffice for a pattern in ASCII, and for others an expression that names both cases of each letter (src/forge/
-- protocol/letter-classes.ts).
create function forge.text_like(written text, pattern text, expression text) returns boolean
language sql immutable parallel safe as $$
  select case
    when octet_length(written) = char_length(written) then lower(written collate "C") like pattern escape ''
    when written collate "C" ~ '[^\u0001-\u012f\u0131-\u02ff\u0370-\u0373\u0376-\u0377\u037b-\u037d\u037f\u0386\u0388-\u0482\u048a-\u052f\u05d0-\u05ea\u0621-\u064a\u1e00-\u1eff\u2010-\u2027\u2030-\u205e\u20a0-\u20bf\u2190-\u2adb\u2add-\u2bff\u3001-\u3029\u3041-\u3096\u309b-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60\U0001f300-\U0001faff]' then forge.fold(written) like pattern escape ''
    when octet_length(pattern) = char_length(pattern) then lower(written collate "C") like pattern escape ''
    else written collate "C" ~ expression
  end
$$;

-- What searches read of a long text, like forge.searchable, but as it was written.
create function forge.searched(written text) returns text language sql immutable parallel safe as $$
  select case when octet_length(written) <= 65536 then written else left(written, 65536) end
$$;

create function forge.place_comment() returns trigger language plpgsql as $$
begin
  select repository_id into new.repository_id from forge.issue where id = new.issue_id;
  return new;
end
$$;

create trigger issue_comment_place before insert on forge.issue_comment
for each row when (new.repository_id is null) execute function forge.place_comment();

-- Issues of which the title, the text or a comment matches a query (src/forge/protocol/search-query.ts), with repetitions: at
-- most so many of each.
create function forge.issues_matching(query tsquery, most integer)
returns table (id bigint, number bigint) language sql stable rows 100
set enable_seqscan = off set jit = off set work_mem = '64MB' as $$
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

insert into forge.email_tally (slot, addresses)
select slot, 0 from generate_series(0, 15) as slot;

-- Who acts where Actions acts by itself: it starts scheduled runs, and is whom the calls of jobs come from. It has no password,
-- and its name is reserved.
insert into forge.account (id, kind, name, full_name, created_at, updated_at) overriding system value
values (-2, 'bot', 'gitea-actions', 'Gitea Actions', '2026-01-01', '2026-01-01');
insert into forge.system_account (account_id) values (-2);
