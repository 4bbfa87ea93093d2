-- Files of issues and of comments, beside those of releases: each file belongs to exactly one of the three. The release
-- before reads and writes those of releases alone. It counts all files as uses of their contents, so its clean-up keeps
-- those of these.
alter table forge.attachment
  add column issue_id bigint constraint attachment_issue_known references forge.issue (id) on delete cascade,
  add column comment_id bigint constraint attachment_comment_known references forge.issue_comment (id) on delete cascade;

-- Every answer with an issue or a comment shows their files.
create index attachment_of_issue on forge.attachment (issue_id, id) where issue_id is not null;
create index attachment_of_comment on forge.attachment (comment_id, id) where comment_id is not null;
