-- Pictures that publishers send instead of an address. Contents are those of packages: equal ones are stored once. As with
-- files of releases, the clean-up of the release before does not know this table, and the foreign key keeps it from
-- removing a picture that is used.
create table forge.site_picture (
  -- Names it in its address.
  uuid uuid constraint site_picture_pkey primary key,
  blob text collate "C" not null constraint site_picture_blob_known references forge.package_blob (sha256),
  -- The media type, as the bytes have it.
  type text collate "C" not null,
  created_at timestamptz(3) not null
);

-- Whether a content is used.
create index site_picture_of_blob on forge.site_picture (blob);

-- The picture of an item, in the site and in the trash. No foreign keys: a restored backup may lack a content, and with
-- it the picture.
alter table site.media_item add column picture uuid;
alter table site.removed_item add column picture uuid;

-- Whether a picture is shown.
create index media_item_of_picture on site.media_item (picture) where picture is not null;
create index removed_item_of_picture on site.removed_item (picture) where picture is not null;

-- A picture is deleted with the last row that has it. The release before deletes items without a trash, so this is not
-- left to the program. A row that moves between the two tables is in one of them at the end of the statement.
create function site.forget_picture() returns trigger language plpgsql as $$
begin
  delete from forge.site_picture
  where uuid = old.picture
    and not exists (select from site.media_item where picture = old.picture)
    and not exists (select from site.removed_item where picture = old.picture);
  return null;
end
$$;

create trigger media_item_picture_forgotten after delete on site.media_item
  for each row when (old.picture is not null) execute function site.forget_picture();
create trigger removed_item_picture_forgotten after delete on site.removed_item
  for each row when (old.picture is not null) execute function site.forget_picture();
