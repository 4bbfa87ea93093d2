-- The forge: accounts and how they prove who they are, organizations and their teams, and the audit trail.
--
-- Moments are timestamptz(3) and come from the server's clock; the database never says now().
-- Texts that are compared or sorted have collation "C": the same order on every server, and the cheapest one.

create schema forge;

-- All runs of three characters of a text, for searches inside texts: a needle can only be where all its runs are.
-- This is what pg_trgm does, with the array operators that every PostgreSQL has. Null for texts shorter than three.
create function forge.grams(haystack text) returns text[] language sql immutable strict parallel safe as $$
  select array_agg(substr(haystack, at, 3)) from generate_series(1, char_length(haystack) - 2) as at
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

insert into forge.email_tally (slot, addresses)
select slot, 0 from generate_series(0, 15) as slot;

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
  created_at timestamptz(3) not null
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
