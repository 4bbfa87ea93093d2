-- Searches in issues use forge.issues_matching since 0074_searches_by_prefix, and every program that runs on this schema
-- knows that. A database that the first files made has neither of these two.
drop function if exists forge.issue_candidates(text, integer);
drop function if exists forge.issues_like(text, integer);

insert into forgehall.required_migration (name) values ('0074_searches_by_prefix') on conflict do nothing;
