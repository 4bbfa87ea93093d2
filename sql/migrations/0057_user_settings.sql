-- What users set for programs that show the forge to them. The server keeps it and heeds none of it.
alter table forge.account
  add column theme text not null default '',
  add column diff_view_style text not null default '',
  add column hides_activity boolean not null default false;
