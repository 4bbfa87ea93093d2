-- Deploy keys: SSH keys of a repository, in normal form. Nothing uses them yet, because git is served over HTTP only.
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
