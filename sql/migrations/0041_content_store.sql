-- Identifies this database in the store of the contents of packages (S3_URL), which remembers whose it is: the clean-up
-- removes contents that its database does not know, so two databases must not share a store.
create table forgehall.content_store (
  id text constraint content_store_pkey primary key
);

-- A database has one identity, also if several processes start for the first time.
create unique index content_store_single on forgehall.content_store ((true));
