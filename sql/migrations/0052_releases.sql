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

-- Files that belong to something, for now to releases. Contents are those of packages: equal ones are stored once. The
-- clean-up of the release before does not know this table: the foreign key keeps it from removing contents that are used
-- here, and its task fails until that release is gone.
create table forge.attachment (
  id bigint generated always as identity constraint attachment_pkey primary key,
  -- Names it in the address of its download.
  uuid uuid not null constraint attachment_uuid_unique unique,
  release_id bigint constraint attachment_release_known references forge.release (id) on delete cascade,
  name text collate "C" not null constraint attachment_name_length check (char_length(name) between 1 and 255),
  blob text collate "C" not null constraint attachment_blob_known references forge.package_blob (sha256),
  uploader_id bigint constraint attachment_uploader_known references forge.account (id) on delete set null,
  download_count bigint not null default 0,
  created_at timestamptz(3) not null
);

create index attachment_of_release on forge.attachment (release_id, id);
-- Whether a content is used.
create index attachment_of_blob on forge.attachment (blob);
create index attachment_of_uploader on forge.attachment (uploader_id) where uploader_id is not null;

-- Every repository is shown with the number of its releases that are no drafts.
alter table forge.repository add column release_count bigint not null default 0;

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
