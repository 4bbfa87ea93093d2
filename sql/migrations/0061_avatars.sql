-- The pictures that users send for accounts and repositories. Contents are those of packages: equal ones are stored once.
-- As with files of releases, the clean-up of the release before does not know these columns, and the foreign keys keep it
-- from removing a picture that is used.
alter table forge.account
  add column avatar text collate "C" references forge.package_blob (sha256),
  -- The media type, as the bytes have it.
  add column avatar_type text collate "C";
alter table forge.repository
  add column avatar text collate "C" references forge.package_blob (sha256),
  add column avatar_type text collate "C";

-- Whether a content is used, and the type of one that is asked for.
create index account_by_avatar on forge.account (avatar) where avatar is not null;
create index repository_by_avatar on forge.repository (avatar) where avatar is not null;
