-- How often the text of an issue has changed: who changes it can say which version they have read, and overwrite no other.
-- Changes by a release that does not know the column are not counted.
alter table forge.issue add column content_version integer not null default 0;
