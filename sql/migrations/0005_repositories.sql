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
  watchers_count bigint not null default 1,
  -- Names of licence templates that it was created with.
  licenses text[] not null default '{}',
  -- Switches of features and merging that differ from the defaults: {"has_wiki": false, …}.
  settings jsonb not null default '{}' constraint repository_settings_form check (jsonb_typeof(settings) = 'object'),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  archived_at timestamptz(3),
  constraint repository_owner_present check (owner_id is not null or state = 'removing'),
  -- The directory belongs to one row, whatever its owner is called by now. First, so that it is the name that is told.
  constraint repository_name_unique unique (owner_id, key),
  constraint repository_folder_unique unique (folder_owner, folder_name)
);

-- The lists of an owner, last changed first, and the searches over all, once for each way to sort them.
create index repository_of_owner on forge.repository (owner_id, updated_at desc, id desc) where state = 'ready';
create index repository_by_name on forge.repository (key, id) where state = 'ready';
create index repository_by_update on forge.repository (updated_at, id) where state = 'ready';
create index repository_by_creation on forge.repository (created_at, id) where state = 'ready';
create index repository_by_size on forge.repository (size, id) where state = 'ready';

-- What is to be brought to its end.
create index repository_unfinished on forge.repository (created_at, id) where state <> 'ready';

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
  exclusive_order integer not null default 0
);

create index repository_label_of_repository on forge.repository_label (repository_id, id);
