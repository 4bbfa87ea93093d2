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

-- Searches inside names (forge.grams in 0002_forge.sql).
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
