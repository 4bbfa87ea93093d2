-- A small picture of a picture, for lists; whoever sends the picture may send it. It is a picture like any other, so that
-- clean-up, backups and checks of contents know it already. It goes with the picture that it is of.
alter table forge.site_picture
  add column thumbnail_of uuid constraint site_picture_thumbnail_of_known references forge.site_picture (uuid) on delete cascade;

-- Lists find it by its picture.
create index site_picture_of_picture on forge.site_picture (thumbnail_of) where thumbnail_of is not null;
