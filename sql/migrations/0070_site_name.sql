-- What administrators decide about the site itself.
create table site.setting (
  key text collate "C" constraint setting_pkey primary key constraint setting_key_known check (key in ('name')),
  value text not null
);
