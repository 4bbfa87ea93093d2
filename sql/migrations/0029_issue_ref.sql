-- The branch or tag that an issue is about, as clients wrote it; nothing here reads it. "" for none.
alter table forge.issue
  add column ref text not null default '' constraint issue_ref_size check (char_length(ref) <= 255);
